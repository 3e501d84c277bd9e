"""What a person is asked and shown from inside a tool goes to the person, and what the tool prints does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.agent import Incoming
from homeagent.agent.events import ToolProgress
from homeagent_sdk import ToolContext, tool
from tests.agent.worlds import HERE, Ui, World, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from homeagent.agent import Event


class PrintingUi(Ui):
    """Shows everything by printing it, as a console does."""

    def show(self, event: Event) -> None:
        super().show(event)
        if isinstance(event, ToolProgress):
            print(f"progress: {event.text}")

    async def ask(self, question: str) -> bool:
        print(f"question: {question}")
        return True


@tool
async def tidies(context: ToolContext) -> str:
    """Tidy up."""
    print("the tool's own words")
    context.progress("half of it")
    agreed = await context.ask("All of it?")
    return f"agreed: {agreed}"


@tool
def tidies_in_a_thread(context: ToolContext) -> str:
    """Tidy up elsewhere."""
    print("the tool's own words")
    context.progress("a quarter")
    return "tidied"


@in_loop
async def test_a_question_from_inside_a_tool_is_printed_to_the_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = [call("tidies", 1), call("tidies_in_a_thread", 2), "done"]
    async with World(tmp_path, script, tidies, tidies_in_a_thread) as world:
        await world.app.agent.respond(Incoming("tidy up", HERE), PrintingUi())
    printed = capsys.readouterr().out
    assert "question: All of it?" in printed
    assert "progress: half of it" in printed
    assert "progress: a quarter" in printed
    assert "the tool's own words" not in printed
