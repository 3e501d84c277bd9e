"""Where the command line speaks: results to standard output, everything else to standard error."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from homeagent.cli.language import is_chinese
from homeagent.cli.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Terminal", "printable"]

# Control characters, halves of surrogate pairs, and what turns the direction of writing around.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return ``text`` as a terminal can show it: what would move the cursor or can't be written as ``\x1b``."""
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _write_json(plain: Mapping[str, object]) -> None:
    import json  # late: --help needs none

    # Half a surrogate pair is then written as its escape, which is what JSON has for it: see cli.main.
    sys.stdout.write(json.dumps(plain, ensure_ascii=False) + "\n")


class Terminal:
    """Speaks one language; with ``json``, standard output gets one JSON object and nothing else.

    ``chosen`` says that the person chose the language, rather than that their machine is set up for it.
    """

    def __init__(self, language: str, *, json: bool, chosen: bool = False) -> None:
        self.language = language
        self.json = json
        self._chosen = chosen

    def language_of(self, said: str) -> str:
        """Return the language to answer in: what is said in Chinese is, unless a language was chosen for everything."""
        return "zh" if not self._chosen and is_chinese(said) else self.language

    def message(self, key: str, /, **values: object) -> str:
        """Return a message in the person's language."""
        return message(self.language, key, **values)

    def say(self, key: str, /, **values: object) -> None:
        """Say something beside the result, on standard error."""
        self.note(self.message(key, **values))

    def note(self, text: str) -> None:
        """Write a text beside the result, on standard error."""
        sys.stderr.write(f"{printable(text)}\n")

    def result(self, plain: Mapping[str, object], lines: Iterable[str]) -> None:
        """Give the result: ``plain`` as one JSON object, or ``lines`` to read."""
        if self.json:
            _write_json(plain)
            return
        for line in lines:
            sys.stdout.write(f"{printable(line)}\n")

    def failed(self, where: str, problem: str, next_step: str) -> None:
        """Say what went wrong and what to do; with ``json`` as the one object on standard output."""
        if self.json:
            _write_json({"error": {"where": where, "problem": problem, "next_step": next_step}})
            return
        self.say("error", where=self.told(where), problem=self.told(problem).rstrip(".。"))
        if next_step:
            self.say("next_step", next_step=self.told(next_step).rstrip(".。"))

    def told(self, text: str) -> str:
        """Return what an error says, in the person's language; in JSON it stays as the program says it."""
        if self.language != "zh" or self.json:
            return text
        from homeagent.cli.chinese import error_in_chinese  # late: nobody needs the catalogue until something fails

        return error_in_chinese(text)

    def reason(self, text: str) -> str:
        """Return why something is computed, or was found, in the person's language."""
        if self.language != "zh" or self.json:
            return text
        from homeagent.cli.chinese import reason_in_chinese

        return reason_in_chinese(text)

    def reasons(self, texts: Iterable[str]) -> str:
        """Return several reasons as one list."""
        return ("，" if self.language == "zh" else ", ").join(map(self.reason, texts))
