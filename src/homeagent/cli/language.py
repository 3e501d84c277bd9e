"""Which language to speak, found out before anything heavy is loaded."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["chosen_language", "is_chinese", "named_language", "option_value", "settings_file"]

_LANGUAGES: Final = ("en", "zh")


def chosen_language(argv: Sequence[str]) -> str:
    """Return ``en`` or ``zh``: what ``--lang`` says, else the settings, else the language of what is typed.

    Chinese characters are answered in Chinese wherever the machine was set up; else the environment decides.
    """
    named = named_language(argv)
    if named:
        return named
    if any(map(is_chinese, argv)):
        return "zh"
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def named_language(argv: Sequence[str]) -> str:
    """Return the language that ``--lang`` or the settings name; empty when neither does."""
    for named in (option_value(argv, "--lang"), _configured(option_value(argv, "--home"))):
        if named in _LANGUAGES:
            return named
    return ""


def is_chinese(text: str) -> bool:
    """Whether there is a Chinese character in it."""
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def option_value(argv: Sequence[str], option: str) -> str:
    """Return the value of an option wherever it stands, before the command line is taken apart; empty without one."""
    found = ""
    for place, word in enumerate(argv):
        if word == "--":
            break
        if word == option and place + 1 < len(argv):
            found = argv[place + 1]
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found


def _configured(home: str) -> str:
    """Return the language that the settings name; what is wrong with them is said when they are read in earnest."""
    try:
        with open(settings_file(home), "rb") as file:  # noqa: PTH123 - pathlib alone would cost 10 ms
            data = file.read()
    except OSError:
        return ""
    import tomllib

    try:
        ui: object = tomllib.loads(data.decode("utf-8")).get("ui")
    except ValueError:
        return ""
    language = ui.get("language") if isinstance(ui, dict) else None
    return language if isinstance(language, str) else ""


def settings_file(home: str) -> str:
    """Return where the settings of ``home``, or of the default home, are.

    The same as `homeagent.paths` says, but on Linux without loading platformdirs, which would double the time of
    ``--help``.
    """
    home = home or os.environ.get("HOMEAGENT_HOME", "")
    if home:
        return os.path.join(os.path.expanduser(home), "config.toml")  # noqa: PTH111, PTH118 - see above
    if str(sys.platform) == "linux":
        data = os.environ.get("XDG_DATA_HOME", "")
        folder = data if os.path.isabs(data) else os.path.expanduser("~/.local/share")  # noqa: PTH111, PTH117
        return os.path.join(folder, "homeagent", "config.toml")  # noqa: PTH118 - see above
    from homeagent.paths import Home, default_home

    return str(Home(default_home()).config)
