"""Files fetched from QQ into the plugin's own folder, several at a time, each with how far it is.

Only from hosts that belong to QQ (``download_hosts``) and from the OneBot server itself: an address in a message must
not make the home read what only it can reach.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

import httpx

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from pathlib import Path

    from qq.settings import QqSettings

__all__ = ["Downloads", "Task"]

_MOST_BYTES: Final = 2_000_000_000
_MOST_PICTURE_BYTES: Final = 10_000_000
_MOST_TASKS: Final = 200
_MOST_HOPS: Final = 5
_SECONDS: Final = 60.0
_NOT_IN_NAMES: Final = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]")


@dataclass
class Task:
    """One download. ``state`` is waiting, running, done, failed or interrupted; sizes in bytes, -1 for unknown."""

    id: int
    name: str
    path: str
    state: str = "waiting"
    bytes: int = 0
    total: int = -1
    problem: str = ""


class Downloads:
    """The downloads of a home. The list is on the disk; what ran when the program ended is marked interrupted."""

    def __init__(self, folder: Path, settings: QqSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._list = folder / "list.json"
        self.tasks: list[Task] = _read(self._list)
        self._running: dict[int, asyncio.Task[None]] = {}
        self._client = httpx.AsyncClient(timeout=_SECONDS)

    async def stop(self) -> None:
        """End what runs."""
        running = list(self._running.values())
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._client.aclose()

    def begin(self, address: str, name: str) -> Task:
        """Begin to fetch a file. Raises ``ToolError`` for an address that is none of QQ."""
        self._check(address)
        number = max((task.id for task in self.tasks), default=0) + 1
        task = Task(number, name, str(self._folder / f"{number}-{_safe(name)}"))
        self.tasks = [*self.tasks[-_MOST_TASKS + 1 :], task]
        self._save()
        self._running[number] = asyncio.create_task(self._run(task, address))
        return task

    async def finish(self, task: Task) -> Task:
        """Wait for a download. Raises ``ToolError`` when it failed."""
        running = self._running.get(task.id)
        if running is not None:
            await asyncio.shield(running)
        if task.state != "done":
            raise ToolError("", f"{task.name} could not be fetched: {task.problem or task.state}", "Try again later")
        return task

    async def picture(self, address: str) -> bytes:
        """Fetch something small, such as a picture. Raises ``ToolError``."""
        pieces = bytearray()
        async with await self._open(address) as response:
            async for piece in response.aiter_bytes():
                pieces += piece
                if len(pieces) > _MOST_PICTURE_BYTES:
                    raise ToolError("", f"it has more than {_MOST_PICTURE_BYTES:,} bytes", "Go on without it")
        return bytes(pieces)

    async def _run(self, task: Task, address: str) -> None:
        task.state = "running"
        part = self._folder / f"{task.id}.part"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            async with await self._open(address) as response:
                length = response.headers.get("content-length", "")
                task.total = int(length) if length.isdecimal() else -1
                with part.open("wb") as file:
                    async for piece in response.aiter_bytes():
                        task.bytes += len(piece)
                        if task.bytes > _MOST_BYTES:
                            raise ToolError("", f"it has more than {_MOST_BYTES:,} bytes", "Leave it")
                        await asyncio.to_thread(file.write, piece)
            part.rename(task.path)
            task.state = "done"
        except (ToolError, httpx.HTTPError, OSError) as error:
            task.state, task.problem = "failed", getattr(error, "reason", "") or str(error) or type(error).__name__
        except asyncio.CancelledError:
            task.state = "interrupted"
            raise
        finally:
            part.unlink(missing_ok=True)
            self._running.pop(task.id, None)
            self._save()

    async def _open(self, address: str) -> _Opened:
        """Open an address, following redirects as long as they stay where files may come from."""
        here = address
        for _ in range(_MOST_HOPS):
            self._check(here)
            response = await self._client.send(self._client.build_request("GET", here), stream=True)
            if not response.has_redirect_location:
                if response.is_error:
                    await response.aclose()
                    raise ToolError("", f"its server answers {response.status_code}", "It may have expired")
                return _Opened(response)
            here = urljoin(here, response.headers["location"])
            await response.aclose()
        raise ToolError("", "it is redirected too often", "Leave it")

    def _check(self, address: str) -> None:
        try:
            parts = urlsplit(address)
            host, port = (parts.hostname or "").rstrip(".").casefold(), parts.port
        except ValueError:
            host, port = "", None
        own = urlsplit(self._settings.http_url)
        of_qq = any(host == each or host.endswith(f".{each}") for each in self._settings.download_hosts)
        if not host or parts.scheme not in ("http", "https") or not (of_qq or (host, port) == (own.hostname, own.port)):
            raise ToolError("", f"{host or address!r} is no host of QQ", "Nothing is fetched from there")

    def _save(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._list.with_suffix(".part")
        part.write_text(json.dumps([asdict(task) for task in self.tasks], ensure_ascii=False), "utf-8")
        part.replace(self._list)


class _Opened:
    """A response that is closed at the end of its block."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    async def __aenter__(self) -> httpx.Response:
        return self._response

    async def __aexit__(self, *_: object) -> None:
        await self._response.aclose()


def _safe(name: str) -> str:
    """Return a file name that leads into no other folder, whatever system it was written on."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return _NOT_IN_NAMES.sub("_", last).strip(". ")[-120:] or "file"


def _read(path: Path) -> list[Task]:
    try:
        tasks = [Task(**each) for each in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
    for task in tasks:
        if task.state in ("waiting", "running"):
            task.state = "interrupted"
    return tasks
