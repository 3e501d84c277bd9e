"""Settings, the tokens of the household, backups, and what the home holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import Text, attempting, block, button, chip, entry, heading, icon, text
from homeagent.server.page.setting_form import show_setting
from homeagent.server.routes import search as search_routes
from homeagent.server.routes import settings as settings_routes
from homeagent.server.routes import tokens as tokens_routes
from homeagent.server.routes import transfer as transfer_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.settings import SettingField

__all__ = ["build"]

_CHOICES = {
    "memory.embedder": ["offline", "none", "server"],
    "memory.distil": ["auto", "rules", "model"],
    "ui.language": ["auto", "en", "zh"],
}


async def build(visit: Visit, _request: Request) -> None:
    """Show everything that may be set."""
    heading(visit.say("nav_settings"), visit.say("settings_about"))
    found = await settings_routes.settings(visit.owner, visit.daemon)
    text("p", visit.say("settings_path", path=found.path), "fine")
    sections: dict[str, list[SettingField]] = {}
    for each in found.fields:
        sections.setdefault(each.key.partition(".")[0], []).append(each)
    for section, fields in sections.items():
        with block("section", "card"):
            text("h2", visit.say(f"section_{section}"))
            for each in fields:
                _setting(visit, each)
    await _household(visit)
    await _backups(visit)
    await _holdings(visit)


def _setting(visit: Visit, field: SettingField) -> None:
    schema: dict[str, object] = {}
    about = f"help_{field.key}"
    schema["description"] = visit.say(about) if visit.has(about) else ""
    if field.key in _CHOICES:
        schema["enum"] = _CHOICES[field.key]
    if field.private:
        schema["writeOnly"] = True
    show_setting(visit, field.key, schema, field.value)


async def _household(visit: Visit) -> None:
    async def make() -> None:
        with attempting(visit):
            wanted = tokens_routes.NewToken(person=str(person.value or "").strip(), name=str(name.value or "").strip())
            made = await tokens_routes.new(wanted, visit.owner, visit.daemon)
            shown.clear()
            with shown, block("div", "good"):
                text("p", visit.say("token_made", person=made.person))
                text("code", made.value, "token")

    async def revoke(token: str) -> None:
        with attempting(visit):
            await tokens_routes.revoke(token, visit.owner, visit.daemon)
            ui.navigate.to("/settings")

    with block("section", "card"):
        text("h2", visit.say("household"))
        text("p", visit.say("household_about"), "fine")
        with block("ul", "plain-list"):
            for each in (await tokens_routes.listed(visit.owner, visit.daemon)).tokens:
                with block("li", "flow"):
                    text("strong", each.person)
                    text("span", f"{each.name} · {visit.when(each.made)}", "fine")
                    if each.id == visit.token:
                        chip(visit.say("this_token"))
                    label = f"{visit.say('revoke')}: {each.person} {each.name}"
                    button(visit.say("revoke"), partial(revoke, each.id), "quiet tiny", "block", label=label)
        with block("div", "flow"):
            person = entry(visit.say("token_person"), placeholder="anna")
            name = entry(visit.say("token_for"), placeholder=visit.say("token_for_example"))
            button(visit.say("make_token"), make, "main", "key")
        shown = block("div", "results")
        shown.props["role"] = "status"


async def _backups(visit: Visit) -> None:
    found = await transfer_routes.backups(visit.owner, visit.daemon)

    async def write() -> None:
        with attempting(visit):
            rule = transfer_routes.RuleForm(hours=float(hours.value or 0), keep=int(keep.value or 0))
            await transfer_routes.set_rule(rule, visit.owner, visit.daemon)
            ui.notify(visit.say("saved", key=visit.say("backups")), type="positive")

    async def drop() -> None:
        with attempting(visit):
            await transfer_routes.drop_rule(visit.owner, visit.daemon)
            ui.navigate.to("/settings")

    with block("section", "card"):
        text("h2", visit.say("backups"))
        text("p", visit.say("backups_about"), "fine")
        with block("div", "flow"):
            for address, key, name in (
                ("/api/memory/backup", "download_backup", "homeagent-log.db"),
                ("/api/memory/export", "export", "homeagent.jsonl"),
            ):
                with block("a", "button plain") as made:
                    made.props["href"] = address
                    made.props["download"] = name
                    icon("download")
                    Text("span", visit.say(key))
        with block("div", "flow"):
            hours = entry(visit.say("every_hours"), found.rule.hours if found.rule else 24, kind="number")
            keep = entry(visit.say("keep_newest"), found.rule.keep if found.rule else 7, kind="number")
            button(visit.say("set_rule"), write, "plain", "schedule")
            if found.rule is not None:
                button(visit.say("drop_rule"), drop, "quiet", "close")
        if found.made:
            text("p", visit.say("backups_made", count=len(found.made), newest=found.made[-1]), "fine")


async def _holdings(visit: Visit) -> None:
    status = await search_routes.status(visit.owner, visit.daemon)
    with block("section", "card"):
        text("h2", visit.say("holdings"))
        with block("dl", "about-turn"):
            rows = [(visit.say(f"count_{key}") if visit.has(f"count_{key}") else key, visit.number(count))
                    for key, count in status.counts.items()]  # fmt: skip
            rows += [(visit.say("home"), status.home), (visit.say("embedder"), status.embedder)]
            rows += [(visit.say("raw_digest"), status.raw_digest)]
            for name, value in rows:
                with block("div"):
                    text("dt", name)
                    text("dd", value)
        text("p", visit.say("raw_digest_about"), "fine")
