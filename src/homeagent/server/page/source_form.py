"""The form of a model's source: where it is, which model, and where its key is; tried before anything is promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.server.page.elements import Act, attempting, block, button, disclosure, entry, text
from homeagent.server.routes import sources as sources_routes

if TYPE_CHECKING:
    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.sources import CheckForm

__all__ = ["SourceForm", "show_check"]


class SourceForm:
    """Asks for a source, writes it into the settings, and asks it whether it would answer; that costs nothing."""

    def __init__(self, visit: Visit, name: str = "") -> None:
        self._visit = visit
        self._given = name

    def show(self, done: Act) -> None:
        """Show it here; ``done`` is called when the source would answer."""
        say = self._visit.say
        self._done = done
        with block("div", "fields"):
            self._name = entry(say("source_name"), value=self._given or "main")
            self._url = entry(say("base_url"), value="http://127.0.0.1:11434/v1")
            self._model = entry(say("model"), placeholder="qwen3:8b")
            self._key = entry(say("key"), password=True)
            self._variable = entry(say("key_env"), placeholder="MODEL_KEY")
            text("p", say("key_about"), "fine")
            with disclosure(say("source_prices")), block("div", "flow"):
                self._prices = (
                    entry(say("prompt_price"), kind="number"),
                    entry(say("completion_price"), kind="number"),
                )
        with block("div", "flow"):
            button(say("save_and_try"), self._save, "main", "bolt")
        self._result = block("div")
        self._result.props["role"] = "status"

    async def _save(self) -> None:
        visit = self._visit
        self._result.clear()
        with attempting(visit):
            wanted = sources_routes.NewSource(
                base_url=str(self._url.value or "").strip(),
                model=str(self._model.value or "").strip(),
                key=str(self._key.value or "").strip(),
                key_env=str(self._variable.value or "").strip(),
                prompt_price=_price(self._prices[0].value),
                completion_price=_price(self._prices[1].value),
            )
            name = str(self._name.value or "").strip() or "main"
            await sources_routes.put(name, wanted, visit.owner, visit.daemon)
            with self._result:
                text("p", visit.say("trying"), "fine")
            checks = (await sources_routes.checked(visit.owner, visit.daemon)).checks
            self._key.set_value("")
            self._result.clear()
            mine = next((each for each in checks if each.name == name), None)
            with self._result:
                if mine is not None:
                    show_check(visit, mine)
            if mine is not None and mine.ok:
                self._done()


def _price(value: object) -> float | None:
    words = str(value if value is not None else "").strip()
    return float(words) if words else None


def show_check(visit: Visit, check: CheckForm) -> None:
    """Show what a source said."""
    with block("div", "good" if check.ok else "alert"):
        if check.ok:
            text("p", visit.say("source_ok", name=check.name, models=", ".join(check.models[:8])))
            return
        text("p", f"{check.name}: {visit.told(check.problem)}")
        text("p", visit.told(check.next_step), "fine")
