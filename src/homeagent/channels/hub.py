"""The hub: many channels, one agent. What comes in becomes a turn in its chat's lane; what is said goes out again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from homeagent.agent import Incoming
from homeagent.channels.desk import Desk, HubParts
from homeagent.channels.exchange import Company, Direct, Exchange, Outcome
from homeagent.channels.intake import Intake, Taken, source_of
from homeagent.channels.lanes import Job
from homeagent.channels.owners import link_owners, running_alone
from homeagent.channels.sentences import language_of
from homeagent.channels.webhook import WEBHOOK, key_of
from homeagent.config import ChannelOptions
from homeagent.errors import ConfigError, HomeAgentError
from homeagent.memory import INJECTED, OWNER, Place
from homeagent_sdk.channels import OWN_CHANNELS

if TYPE_CHECKING:
    from homeagent.agent import Ui
    from homeagent.channels.speaking import Hearing
    from homeagent_sdk import Arrival, Injection

__all__ = ["Hub", "HubState"]

_AGAIN_SECONDS: Final = 30.0
_log = logging.getLogger("homeagent.channels")

UiFor = Callable[["Injection"], "Ui"]


@dataclass(frozen=True, slots=True)
class HubState:
    """How a hub is: whether it runs, each channel's state, and how many messages wait or were given up.

    A channel is ``connected``, or it is said why not; of one that is called and never calls nothing is said.
    """

    running: bool
    channels: Mapping[str, str]
    unanswered: int
    unsent: int
    given_up: int


class Hub:
    """The channels of one home. `respond` works at once; `run` connects the channels and answers what comes.

    ``options`` are the owner's, by channel; in one that is not named nobody is answered.
    """

    def __init__(self, parts: HubParts, options: Mapping[str, ChannelOptions]) -> None:
        self._parts = parts
        self._options = dict(options)
        self._desk = Desk(parts, self.options)
        self._intake = Intake(self._desk)
        self._running = False

    def options(self, channel: str) -> ChannelOptions:
        """Return what the owner says of a channel."""
        return self._options.get(channel, ChannelOptions())

    async def use(self, options: Mapping[str, ChannelOptions]) -> None:
        """Go by these options from the next message on. Raises `HomeError`."""
        self._options = dict(options)
        self._say_what_can_not_be_used()
        if self._running:
            await asyncio.to_thread(link_owners, self._parts.past, self._options, self._parts.folder)

    def state(self) -> HubState:
        """Return how the channels are, and how many messages wait to be answered or sent."""
        states = {name: self._desk.lines.states.get(name, "") for name in self._desk.lines.names()}
        return HubState(self._running, states, *self._desk.spool.counts())

    async def respond(self, incoming: Incoming, ui: Ui) -> str:
        """Run one turn in its chat's lane and return the answer, like `Agent.respond`.

        A message that interrupts stops it; it is then gone on with, and this returns what is said in the end. When
        this call is cancelled the turn is closed as interrupted.
        """
        language = language_of(incoming.text, self.options(incoming.place.channel))
        direct = Direct(self._parts.agent, incoming, ui, language)
        job = Job(direct.run)
        self._desk.lanes.put(incoming.place, job)
        try:
            await job.ended.wait()
        except asyncio.CancelledError:
            self._desk.lanes.withdraw(incoming.place, job)
            await job.ended.wait()
            raise
        if not direct.outcome.done():
            direct.outcome.cancel()
        return await direct.outcome

    async def take(self, channel: str, arrival: Arrival) -> Taken:
        """Take a message of a channel and say what becomes of it; it is on the disk when this returns."""
        return await self._intake.take(channel, arrival)

    async def outcome(self, channel: str, name: str) -> Outcome | None:
        """Return what became of an earlier message of a channel, by the name that `take` gave."""
        return await asyncio.to_thread(self._parts.past.outcome, source_of(channel), name)

    async def run(self, ui_for: UiFor | None = None) -> None:
        """Connect the channels and answer what comes and what plugins put in, until cancelled.

        ``ui_for`` gives where the answer to something that was put in is shown, when no channel can take it; without
        it such messages wait. Raises `HomeError` when another process runs the channels of this home.
        """
        with running_alone(self._parts.folder):
            await asyncio.to_thread(link_owners, self._parts.past, self._options, self._parts.folder)
            self._running = True
            self._say_what_is_not_there()
            self._say_what_can_not_be_used()
            try:
                await self._desk.courier.start()
                await self._intake.take_up()
                await self._listen_and_answer(ui_for)
            finally:
                self._running = False
                await self.close()

    def _say_what_is_not_there(self) -> None:
        there = {*self._parts.registry.channels, *self._parts.lines, *OWN_CHANNELS}
        for name in self._options.keys() - there:
            known = ", ".join(sorted(there))
            _log.warning("config.toml [channels.%s]: there is no such channel now; there are %s", name, known)

    def _say_what_can_not_be_used(self) -> None:
        try:
            key_of(self.options(WEBHOOK))
        except ConfigError as error:
            _log.warning("%s", error)

    async def _listen_and_answer(self, ui_for: UiFor | None) -> None:
        failed: HomeAgentError | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._desk.lines.listen(self._arrived))
                tasks.create_task(self.answer_injections(ui_for))
        except* HomeAgentError as errors:
            failed = next(each for each in errors.exceptions if isinstance(each, HomeAgentError))
        if failed is not None:
            raise failed

    async def close(self) -> None:
        """Stop every turn and all sending; what is not done is done at the next start."""
        self._intake.stop()
        await self._desk.lanes.close()
        await self._desk.courier.close()

    # -- what plugins put in -----------------------------------------------------------------------------------------

    async def answer_injections(self, ui_for: UiFor | None = None) -> None:
        """Answer what plugins put in, when it is due, until cancelled; each once.

        It is in the name of whose chat it was put into, with what that person may see and use, and the answer goes
        there. Of a channel that only a running hub can send to they wait for one.
        """
        while True:
            injection = await self._parts.inbox.next(partial(self._is_ours, ui_for))
            place = Place(injection.channel, injection.chat)
            ui = None if self._desk.lines.of(place.channel) or ui_for is None else ui_for(injection)
            exchange = Exchange(
                self._parts.agent,
                self._desk.courier,
                self._parts.past,
                partial(self._prepare, injection),
                partial(self._parts.inbox.done, injection.id),
                ui,
            )
            run = partial(self._run_injection, exchange, injection)
            self._desk.lanes.put(place, Job(run, injection.priority, injection.interrupt))

    def _is_ours(self, ui_for: UiFor | None, injection: Injection) -> bool | None:
        """Whether to take a message that was put in: yes, no, or (None) if no other process does."""
        if self._desk.lines.of(injection.channel) is not None:
            return self._running
        return False if ui_for is None else None

    async def _run_injection(self, exchange: Exchange, injection: Injection) -> None:
        try:
            await exchange.run()
        except HomeAgentError as error:
            _log.error("what %s put in could not be answered: %s", injection.id, error)
            loop = asyncio.get_running_loop()
            loop.call_later(_AGAIN_SECONDS, self._parts.inbox.give_again, injection.id)

    async def _prepare(self, injection: Injection) -> tuple[Incoming, Hearing]:
        place = Place(injection.channel, injection.chat)
        options = self.options(place.channel)
        company = await asyncio.to_thread(self._parts.past.company, place)
        if company is None and self._desk.lines.of(place.channel) is None:
            company = Company(OWNER, (), owner_only=True)  # nobody spoke there yet, and it is nobody else's
        alone = company is not None and company.owner_only
        private = company is not None and not company.members
        incoming = Incoming(
            injection.text,
            place,
            company.sender if company is not None and (alone or private) else OWNER,
            company.members if company is not None else (),
            no_memory=injection.no_memory,
            injected=True,
            source=INJECTED,
            external_id=injection.id,
            tools=None if alone else options.guest_tools,  # a guest may have put it in by way of a reminder
        )
        asked = company.sender if company is not None and alone else ""
        return incoming, self._desk.hearing(place, language_of(injection.text, options), owner=asked)

    async def _arrived(self, channel: str, arrival: Arrival) -> bool:
        return (await self.take(channel, arrival)).accepted
