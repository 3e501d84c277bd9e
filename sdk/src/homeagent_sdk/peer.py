"""Requests, replies and cancellation over one stream, the same on both of its ends."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Protocol

from homeagent_sdk.wire import encode_message, read_message
from homeagent_sdk.wire_errors import error_from_wire, error_to_wire
from homeagent_sdk.wire_values import WireError, from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ClosedError", "Endpoint", "Peer"]


class ClosedError(Exception):
    """The other process is gone, or never answers any more."""


class Endpoint(Protocol):
    """What one end does when the other asks or tells it something."""

    async def answer(self, method: str, values: Mapping[str, object]) -> object:
        """Do what is asked and return the result; what it raises goes to whoever asked."""
        ...

    def told(self, method: str, values: Mapping[str, object]) -> None:
        """Take note of something that needs no answer."""
        ...


class Peer:
    """One end of a stream. `run` must be running for anything to happen."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> None:
        self._reader = reader
        self._writer = writer
        self._endpoint = endpoint
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._cancelled: set[int] = set()
        self._answering: dict[int, asyncio.Task[None]] = {}
        self._closed = False

    async def run(self) -> None:
        """Read and answer until the stream ends. Raises `WireError` when what comes is no message."""
        try:
            while (message := await read_message(self._reader)) is not None:
                self._take(message)
        except ConnectionError:
            pass  # the same as an end
        finally:
            self._close()

    async def request(self, method: str, /, **values: object) -> object:
        """Ask the other end and return its answer. Raises what it raised, `ClosedError` when it is gone.

        When the caller is cancelled so is the work at the other end.
        """
        if self._closed:
            raise ClosedError("the process has ended")
        number = next(self._numbers)
        outcome = asyncio.get_running_loop().create_future()
        data = encode_message({"request": number, "method": method, "values": to_wire(values)})
        self._waiting[number] = outcome
        try:
            await self._send(data)
            return await outcome
        except asyncio.CancelledError:
            if number in self._waiting:
                self._cancelled.add(number)
                self._writer.write(encode_message({"cancel": number}))
            raise

    def tell(self, method: str, /, **values: object) -> None:
        """Tell the other end something."""
        if not self._closed:
            self._writer.write(encode_message({"tell": method, "values": to_wire(values)}))

    @property
    def stopping(self) -> bool:
        """Whether something that was cancelled at the other end has not ended there yet."""
        return bool(self._cancelled)

    def _take(self, message: dict[str, object]) -> None:
        match message:
            case {"request": int(number), "method": str(method), "values": values}:
                work = self._answer(number, method, _mapping(values))
                self._answering[number] = asyncio.get_running_loop().create_task(work)
            case {"cancel": int(number)}:
                if number in self._answering:
                    self._answering[number].cancel()
            case {"tell": str(method), "values": values}:
                self._endpoint.told(method, _mapping(values))
            case {"reply": int(number)}:
                self._replied(number, message)
            case _:
                raise WireError("message", "it is none that is known", "Use an SDK of the same version")

    def _replied(self, number: int, message: dict[str, object]) -> None:
        self._cancelled.discard(number)
        outcome = self._waiting.pop(number, None)
        if outcome is None or outcome.done():
            return
        if "error" in message:
            outcome.set_exception(error_from_wire(message["error"]))
            return
        try:
            outcome.set_result(from_wire(message.get("value")))
        except (WireError, ValueError) as error:
            outcome.set_exception(error)

    async def _answer(self, number: int, method: str, values: Mapping[str, object]) -> None:
        try:
            try:
                value = await self._endpoint.answer(method, values)
                reply = encode_message({"reply": number, "value": to_wire(value)})
            except BaseException as error:  # noqa: BLE001 - the plugin boundary: handed on to whoever asked
                reply = encode_message({"reply": number, "error": error_to_wire(error)})
            if not self._closed:
                await self._send(reply)
        except ConnectionError:
            pass  # nobody waits any more
        finally:
            self._answering.pop(number, None)

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise ClosedError("the process has ended") from error

    def _close(self) -> None:
        self._closed = True
        for task in self._answering.values():
            task.cancel()
        for outcome in self._waiting.values():
            if not outcome.done():
                outcome.set_exception(ClosedError("the process has ended"))
                outcome.exception()  # whoever was cancelled does not look
        self._waiting.clear()
        self._cancelled.clear()
        self._writer.close()


def _mapping(values: object) -> dict[str, object]:
    try:
        found = from_wire(values)
    except ValueError as error:
        raise WireError("message", f"its values can't be read ({error})", "Use an SDK of the same version") from error
    if not isinstance(found, dict):
        raise WireError("message", "its values are no object", "Use an SDK of the same version")
    return {str(name): each for name, each in found.items()}
