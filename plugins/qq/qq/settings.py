"""The settings of the plugin. Everybody and every group is named by its number: anyone can call himself anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from homeagent_sdk import Secret

__all__ = ["QqSettings"]


@dataclass(frozen=True)
class QqSettings:
    """Where the OneBot implementation is, and who is heard. Nobody is until the owner says so."""

    http_url: Annotated[str, "the HTTP server of the OneBot v11 implementation, e.g. NapCat"] = "http://127.0.0.1:3000"
    ws_url: Annotated[str, "its WebSocket server, from which the messages come"] = "ws://127.0.0.1:3001"
    token: Annotated[Secret, "its access token"] = Secret()  # noqa: RUF009 - a Secret can't be changed
    owner: Annotated[int, "the QQ number of the owner of this home"] = 0
    people: Annotated[tuple[int, ...], "who may talk to it in private, besides the owner"] = ()
    groups: Annotated[tuple[int, ...], "the groups in which it listens"] = ()
    group_members: Annotated[tuple[int, ...], "if given, only these (and the owner) are heard in groups"] = ()
    download_hosts: Annotated[tuple[str, ...], "the ends of host names from which files are fetched"] = (
        "qq.com",
        "qq.com.cn",
        "qpic.cn",
    )

    def hears(self, sender: int, group: int | None) -> bool:
        """Whether a message of this sender, in this group or in private, is to be handed in."""
        if group is None:
            return sender == self.owner or sender in self.people
        return group in self.groups and (not self.group_members or sender in self.group_members or sender == self.owner)
