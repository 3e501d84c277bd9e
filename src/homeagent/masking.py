"""Secrets of a known shape in text: keys, tokens, passwords that are said, card and identity numbers.

They are masked in the program's logs and in what recall hands out; raw keeps them. A password that somebody said in a
sentence ("the wifi password is ...") is masked in logs alone: it was said so that it can be asked for. Shapes are those
that the issuers document (named beside each); numbers must also pass their check digit, so that an ordinary number is
left alone. A shape nobody knows is not found: a policy that hides is the sure way.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["MaskingFilter", "Secret", "masked", "masked_terms", "secrets_in"]

_STARS: Final = "****"
_SAID: Final = "said-password"


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret: what kind, its character range, and what is shown in its place."""

    kind: str
    start: int
    end: int
    masked: str


def _head(value: str) -> str:
    return value[:4] + _STARS


def _tail(value: str) -> str:
    return _STARS + value[-4:]


def _stars(_value: str) -> str:
    return _STARS


def _luhn(value: str) -> bool:
    """Whether a card number's check digit is right (ISO/IEC 7812)."""
    digits = [int(digit) for digit in value if digit.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _resident(value: str) -> bool:
    """Whether a Chinese identity number's check digit is right (GB 11643, ISO 7064 MOD 11-2)."""
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(value[:17]))
    return "10X98765432"[total % 11] == value[17].upper()


def _mixed(value: str) -> bool:
    return any(each.isdigit() for each in value) and any(each.isalpha() for each in value)


def _any(_value: str) -> bool:
    return True


_NO_PASSWORD: Final = re.compile(
    r"什么|多少|[吗呢啥哪谁忘错对空]|正确|需要|必须|不能|应该|一样|相同|已经|可以|"
    r"^(wrong|right|correct|incorrect|required|needed|empty|missing|expired|invalid|valid|weak|strong|secret|safe|same|"
    r"changed|reset|unknown|lost|there|here|fine|what|which|not|null|none|true|false|string|hidden|\W+)$",
    re.IGNORECASE,
)


def _password(value: str) -> bool:
    return _NO_PASSWORD.search(value) is None


_SHAPES: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool], Callable[[str], str]], ...]] = (
    # RFC 7468 and OpenSSH: a block, or its beginning where the end was cut off
    (
        "private-key",
        re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY-----|.*)", re.DOTALL),
        _any,
        _stars,
    ),
    # OpenAI, Anthropic, DeepSeek and others: "sk-"
    ("api-key", re.compile(r"(?<![\w-])sk-[A-Za-z0-9_-]{12,}"), _mixed, _head),
    # GitHub names the prefixes of its tokens in its documentation
    ("api-key", re.compile(r"(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"), _any, _head),
    # AWS: IAM identifiers, unique ID prefixes
    ("api-key", re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"), _any, _head),
    # Google API keys, Slack tokens, GitLab tokens, Stripe keys: each issuer's documentation of its prefixes
    ("api-key", re.compile(r"(?<!\w)AIza[0-9A-Za-z_-]{35}"), _any, _head),
    ("api-key", re.compile(r"(?<!\w)xox[abposr]-[A-Za-z0-9-]{10,}"), _any, _head),
    ("api-key", re.compile(r"(?<!\w)glpat-[\w-]{20,}"), _any, _head),
    ("api-key", re.compile(r"(?<!\w)[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"), _any, _head),
    # RFC 7519: a header and a payload, both JSON objects in base64url, and a signature
    ("jwt", re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"), _any, _head),
    # RFC 6750
    ("bearer-token", re.compile(r"(?i:\bbearer)\s+(?P<value>[A-Za-z0-9._~+/-]{16,}=*)"), _any, _head),
    # RFC 3986: userinfo with a password
    ("connection", re.compile(r"[a-z][a-z0-9+.-]*://[^\s:/@]+:(?P<value>[^\s@/]+)@(?=\S)"), _any, _stars),
    # what people and configuration files say
    (
        "password",
        re.compile(
            r"(?i:(?<![a-z])(?:password|passwd|passphrase|passwort|pass|pwd|api[_-]?key|secret(?:[_-]?key)?"
            r"|(?:access|auth|refresh)[_-]?token|token))"
            r"(?:[\"']\s*:\s*[\"']|=[\"']?)(?P<value>[^\s\"'`”,;&]{4,})"
        ),
        _password,
        _stars,
    ),
    (
        _SAID,
        re.compile(
            r"(?i:\b(?:password|passwd|passcode|passphrase|pwd|pin(?: code)?"
            r"|(?:door|gate|alarm|entry|access|security|lock) code|api[ _-]?key|secret[ _-]?key|access[ _-]?token)"
            r"[\"']?(?: (?:for|of|to) [\w' -]{1,30}?)?\s*(?:[:=]|\bis\b:?|\bwas\b))"
            r"\s*[\"'`“]?(?P<value>[^\s\"'`”,;]{4,}?)"
            r"(?=[\"'`”,;!?]|[.]?(?:\s*$|\s*\n|\s+[A-Z])|[.]?\s)"
        ),
        _password,
        _stars,
    ),
    (
        _SAID,
        re.compile(
            r"(?:密码|口令|密钥|暗号|通行码|(?i:pin) ?码)[^\S\n]*(?:现在|就|已经)?"
            r"(?:是|为|叫|改成了?|改为|换成了?|设成|[:：=＝])[^\S\n]*[\"'“「]?"
            r"(?P<value>[!-~]{4,}|[\u4e00-\u9fff]{2,12}(?=[\s\"'”」，。！；,.!;]|$))"
        ),
        _password,
        _stars,
    ),
    (
        "id-number",
        re.compile(r"(?<!\d)[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d{4}[\dXx](?!\w)"),
        _resident,
        _tail,
    ),
    ("card-number", re.compile(r"(?<![\d-])[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?!\d)"), _luhn, _tail),
)


_HINTS: Final[tuple[tuple[str, ...], ...]] = (
    ("private key-----",),
    ("sk-",),
    ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ("akia", "asia"),
    ("aiza",),
    ("xox",),
    ("glpat-",),
    ("k_live_", "k_test_"),
    ("eyj",),
    ("bearer",),
    ("://",),
    ("pass", "pwd", "key", "token", "secret"),
    ("pass", "pwd", "pin", "code", "key", "token"),
    ("密码", "口令", "密钥", "暗号", "通行码", "pin"),
    ("18", "19", "20"),
    ("2", "3", "4", "5", "6"),
)
"""What a text must hold, folded, for a shape to be looked for at all: most texts hold none of it."""

_EVERY_HINT: Final = tuple(sorted({hint for hints in _HINTS for hint in hints}))


def secrets_in(text: str) -> list[Secret]:
    """Return the secrets of a known shape in a text, in order and without overlap. Linear in its length."""
    found: list[Secret] = []
    small = text.casefold()
    hinted = {hint for hint in _EVERY_HINT if hint in small}
    if not hinted:
        return []
    for (kind, shape, holds, shown), hints in zip(_SHAPES, _HINTS, strict=True):
        if hinted.isdisjoint(hints):
            continue
        for match in shape.finditer(text):
            group = "value" if "value" in shape.groupindex else 0
            value = match[group]
            if holds(value) and not (kind == _SAID and _is_plain(value, match.string, match.end(group))):
                found.append(Secret(kind, match.start(group), match.end(group), shown(value)))
    return list(_apart(sorted(found, key=lambda secret: (secret.start, -secret.end))))


def masked(text: str, *, said: bool = True) -> str:
    """Return a text with its secrets masked; masking twice is masking once. ``said``: also passwords in sentences."""
    parts: list[str] = []
    at = 0
    for secret in secrets_in(text):
        if secret.kind == _SAID and not said:
            continue
        parts += text[at : secret.start], secret.masked
        at = secret.end
    return "".join([*parts, text[at:]])


def masked_terms(reasons: Iterable[str], text: str) -> tuple[str, ...]:
    """Return words that were matched in ``text``, masked where they are a part of a secret that recall masks."""
    values = [text[each.start : each.end].casefold() for each in secrets_in(text) if each.kind != _SAID]
    if not values:
        return tuple(reasons)

    def shown(word: str) -> str:
        return _STARS if len(word) > 2 and any(word in each for each in values) else word

    return tuple(" ".join(map(shown, words.split(" "))) for words in reasons)


class MaskingFilter(logging.Filter):
    """Masks the secrets in everything a handler writes; add it to the handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask the message of a record and let it pass."""
        record.msg, record.args = masked(record.getMessage()), ()
        return True


def _is_plain(value: str, text: str, end: int) -> bool:
    """Whether an ordinary word goes on into a sentence: "the password is stored in the vault"."""
    return value.isascii() and value.isalpha() and value.islower() and text[end : end + 1] == " "


def _apart(found: list[Secret]) -> Iterator[Secret]:
    end = 0
    for secret in found:
        if secret.start >= end:
            yield secret
            end = secret.end
