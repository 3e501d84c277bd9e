"""Files to send along with a message."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from nicegui import events, ui

from homeagent.server.page.elements import attempting, block, button, text
from homeagent.server.uploads import attachment_of

if TYPE_CHECKING:
    from homeagent.memory import Attachment
    from homeagent.server.page.visit import Visit

__all__ = ["Attaching"]

_LARGEST = 20 << 20
_MOST = 20


class Attaching:
    """The files that go along with the next message. What they are shows in their bytes."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._files: list[Attachment] = []
        self._shown = block("div", "files")
        self._upload = ui.upload(
            multiple=True, auto_upload=True, max_file_size=_LARGEST, max_files=_MOST, on_upload=self._came
        ).classes("hidden-upload")
        self._upload.on_rejected(lambda: ui.notify(visit.say("file_refused"), type="negative"))
        self._upload.props["aria-hidden"] = "true"

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What is attached."""
        return tuple(self._files)

    def clear(self) -> None:
        """Attach nothing."""
        self._files.clear()
        self._upload.reset()
        self._show()

    def button(self) -> None:
        """Put the button that asks for files here."""
        made = button(self._visit.say("attach"), lambda: None, "quiet", "attach_file")
        made.on("click", js_handler=f"() => getElement({self._upload.id}).$refs.qRef.pickFiles()")

    async def _came(self, event: events.UploadEventArguments) -> None:
        with attempting(self._visit):
            data = await event.file.read()
            kind = event.file.content_type
            self._files.append(await asyncio.to_thread(attachment_of, data, event.file.name, kind))
            self._show()

    def _show(self) -> None:
        self._shown.clear()
        with self._shown:
            for each in self._files:
                with block("span", "file"):
                    text("span", f"{each.name} · {len(each.data):,} B")
                    label = self._visit.say("detach", name=each.name)
                    button("", partial(self._drop, each), "quiet tiny", "close", label=label)

    def _drop(self, file: Attachment) -> None:
        self._files.remove(file)
        self._show()
