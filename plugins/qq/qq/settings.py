"""The settings of the plugin. Everybody and every group is named by number: anyone can call himself anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from homeagent_sdk import Secret

__all__ = ["QqSettings"]


@dataclass(frozen=True)
class QqSettings:
    """Where the OneBot implementation is, who the owner is there, and what is passed over."""

    http_url: Annotated[str, "the HTTP server of the OneBot v11 implementation, e.g. NapCat"] = "http://127.0.0.1:3000"
    ws_url: Annotated[str, "its WebSocket server, from which the messages come"] = "ws://127.0.0.1:3001"
    token: Annotated[Secret, "its access token"] = Secret()  # noqa: RUF009 - a Secret can't be changed
    owner: Annotated[int, "the QQ number of the owner of this home"] = 0
    groups: Annotated[tuple[int, ...], "if given, only messages of these groups are looked at"] = ()
    group_members: Annotated[tuple[int, ...], "if given, only these (and the owner) are heard in groups"] = ()
    download_hosts: Annotated[tuple[str, ...], "the ends of host names from which files are fetched"] = (
        "qq.com",
        "qq.com.cn",
        "qpic.cn",
    )

    def hears(self, sender: int, group: int | None) -> bool:
        """Whether a message of this sender, in this group or in private, is handed to the program at all.

        Who is answered is said in the program's own settings, ``[channels.qq]``, by the same numbers.
        """
        if group is None:
            return True
        known = not self.group_members or sender in self.group_members or sender == self.owner
        return known and (not self.groups or group in self.groups)
