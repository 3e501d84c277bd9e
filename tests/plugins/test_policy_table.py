"""What of each example plugin's output is remembered: the whole table, read from the source without running any of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dev.ratchet import ROOT
from homeagent.plugins import describe, find_source, outline

if TYPE_CHECKING:
    from homeagent.plugins import ToolOutline

CLEANER, PLAIN, NO_MEMORY = "cleaner", "plain", "no_memory"

TABLE: dict[str, dict[str, str]] = {
    "a2a": {"a2a_query": CLEANER, "a2a_discover": PLAIN, "a2a_status": PLAIN},
    "bili": {"bili_video": CLEANER},
    "browser": {
        "browser_search": CLEANER,
        "browser_fetch": CLEANER,
        "browser_render": CLEANER,
        "browser_start": NO_MEMORY,
        "browser_navigate": NO_MEMORY,
        "browser_html": NO_MEMORY,
        "browser_click": NO_MEMORY,
        "browser_type": NO_MEMORY,
        "browser_scroll": NO_MEMORY,
        "browser_close": NO_MEMORY,
        "browser_screenshot": NO_MEMORY,
    },
    "calendar": {},
    "editdoc": {"edit_document": NO_MEMORY},
    "files": {"folder_read": CLEANER, "folder_write": PLAIN, "folder_edit": PLAIN, "folder_ls": PLAIN},
    "memo": {},
    "music": {"music_search": CLEANER, "music_lyrics": CLEANER},
    "ocr": {"ocr_image": CLEANER},
    "qq": {
        "qq_get_message": CLEANER,
        "qq_get_history": CLEANER,
        "qq_get_group_files": CLEANER,
        "qq_get_download_tasks": CLEANER,
        "qq_read_document": CLEANER,
        "qq_video_download": CLEANER,
        "qq_list_chats": PLAIN,
        "qq_get_groups": PLAIN,
        "qq_get_friends": PLAIN,
        "qq_resolve_name": PLAIN,
        "qq_resolve_nickname": PLAIN,
        "qq_get_group_member_info": PLAIN,
        "qq_group_manage": NO_MEMORY,
        "qq_friend_action": NO_MEMORY,
        "qq_download_file": NO_MEMORY,
        "qq_send_file": NO_MEMORY,
        "qq_upload_group_file": NO_MEMORY,
        "qq_send_like": NO_MEMORY,
    },
    "rss": {
        "rss_subscribe": NO_MEMORY,
        "rss_unsubscribe": NO_MEMORY,
        "rss_check_now": NO_MEMORY,
        "rss_list": PLAIN,
    },
    "weather": {},
}
"""By the folder below ``plugins/``: each tool and how it is treated. `EVERY` says what all tools of a plugin are."""

EVERY = {"calendar": PLAIN, "memo": PLAIN, "weather": NO_MEMORY}
"""Plugins of which the table names no tools, only what all of them are."""


def tools_of(folder: str) -> tuple[ToolOutline, ...]:
    return outline(find_source(ROOT / "plugins" / folder))


def test_the_policy_table_names_twelve_plugins_and_there_are_no_others() -> None:
    there = {path.parent.name for path in (ROOT / "plugins").glob("*/homeagent.toml")}
    assert len(TABLE) == 12
    assert there == set(TABLE)


@pytest.mark.parametrize("folder", TABLE)
def test_policy_table(folder: str) -> None:
    found = {tool.name: tool.treatment for tool in tools_of(folder)}
    wanted = TABLE[folder] or dict.fromkeys(found, EVERY[folder])
    assert found
    assert found == wanted


@pytest.mark.parametrize("folder", TABLE)
def test_policy_table_tools_carry_the_name_of_their_plugin(folder: str) -> None:
    tools = tools_of(folder)
    name = describe(find_source(ROOT / "plugins" / folder)).name
    # The older system's name is kept for the one tool of editdoc.
    assert [tool.name for tool in tools if not re.match(rf"{name}_|edit_document$", tool.name)] == []
    assert [tool.name for tool in tools if tool.returns_memory] == []


@pytest.mark.parametrize("folder", TABLE)
def test_policy_table_is_explained_in_both_languages(folder: str) -> None:
    tools = tools_of(folder)
    for name in ("README.md", "README.zh.md"):
        page = (ROOT / "plugins" / folder / name).read_text("utf-8")
        assert [tool.name for tool in tools if f"`{tool.name}`" not in page] == [], name
