"""Reads what a server says when it fails: which `ModelError` it is, and what a person can do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from homeagent.models.errors import (
    BusyError,
    ContextTooLongError,
    CreditError,
    KeyRefusedError,
    ModelError,
    RequestRefusedError,
    ServerDownError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.models.sources import Source

__all__ = ["Failure", "failure_in", "model_error", "redacted", "wait_asked_for"]

_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|exceed_context_size|context.{0,12}(length|size|window|limit)|maximum model length"
    r"|prompt (is )?too long|too many (input )?tokens|(input|prompt)[^.]{0,40}(too long|exceeds)"
    r"|input token count|range of input length|token.{0,20}exceed|exceed.{0,40}(number of|max).{0,12}tokens?"
    r"|上下文.{0,8}(长|超)|(输入|提示词|token).{0,12}(过长|超长|超出|超过)",
    re.IGNORECASE,
)
_NO_CREDIT: Final = re.compile(
    r"insufficient[_ ](quota|balance|credit)|exceeded your current quota|余额不足|欠费|arrearage", re.IGNORECASE
)
_FLAGGED: Final = re.compile(r"moderation|flagged|content.?(filter|policy)|data_inspection", re.IGNORECASE)
_WINDOW: Final = re.compile(
    r"(?:maximum|max|context|model|available)[a-z' _-]{0,40}(?:length|window|size|limit)[a-z' _:-]{0,20}\(?(\d{3,8})",
    re.IGNORECASE,
)
_KEY_LIKE: Final = re.compile(r"\b(sk|pk|gsk|xai|AIza|hf|nvapi)[-_]?[A-Za-z0-9_*-]{8,}|\bBearer +[^\s,;\"']+")
_LONGEST: Final = 300
_LONGEST_READ: Final = 4000


@dataclass(frozen=True, slots=True)
class Failure:
    """What a server said: the status (0 inside a stream), its message, its code, the seconds to wait it asked for."""

    status: int
    message: str
    code: str = ""
    retry_after: float | None = None
    window_tokens: int | None = None
    prompt_tokens: int | None = None


def failure_in(body: object, status: int = 0, retry_after: float | None = None) -> Failure:
    """Return what the body of an error says: ``{"error": {...}}``, ``{"error": "..."}``, ``{"detail": ...}``, text."""
    table: Mapping[str, object] = body if isinstance(body, dict) else {}
    inner = table.get("error", table)
    error: Mapping[str, object] = inner if isinstance(inner, dict) else {}
    said = error.get("message") or error.get("detail") or table.get("message") or table.get("detail")
    message = said if isinstance(said, str) else str(said or (inner if isinstance(inner, str) else body or ""))
    code = error.get("code")
    words = [str(part) for part in (code, error.get("type")) if part is not None]
    if not status:
        number = code if isinstance(code, int) else int(str(code)) if str(code).isdigit() else 0
        status = number if 400 <= number < 600 else 0
    window, prompt = error.get("n_ctx"), error.get("n_prompt_tokens")
    return Failure(
        status,
        message[:_LONGEST_READ],
        " ".join(words)[:_LONGEST_READ],
        retry_after,
        window if isinstance(window, int) else None,
        prompt if isinstance(prompt, int) else None,
    )


def model_error(source: Source, failure: Failure, key: str | None) -> ModelError:
    """Return the error that a failure means. The key, and what looks like one, is taken out of the text."""
    said = redacted(failure.message, key)
    problem = f"{_status_words(failure.status)}{f' ({said})' if said else ''}"
    where, words = source.where, f"{failure.code} {failure.message}"
    match failure.status:
        case status if status not in {401, 403, 429} and _is_too_long(words):
            found = _WINDOW.search(failure.message)
            window = failure.window_tokens or (int(found[1]) if found else None)
            step = "Send less, or set window_tokens of the source to what the model really has"
            prompt = failure.prompt_tokens
            return ContextTooLongError(where, problem, step, window_tokens=window, prompt_tokens=prompt)
        case 402 | 429 | 403 | 0 if failure.status == 402 or _NO_CREDIT.search(words):
            return CreditError(where, problem, "Top up the account, or put another source before it")
        case 403 if _FLAGGED.search(words):
            return RequestRefusedError(where, problem, "The server's filter did not take the request", status=403)
        case 401 | 403:
            return KeyRefusedError(where, problem, f"Put a valid key into {_place_of_key(source)}")
        case 408 | 409 | 425 | 429 | 503 | 529:
            step = "Wait a little, or add another source"
            return BusyError(where, problem, step, retry_after=failure.retry_after)
        case status if status >= 500 or _is_passing(words):
            return ServerDownError(where, problem, "Look into the server's log")
        case 404:
            step = "Check base_url (most end in /v1) and the name of the model"
            return RequestRefusedError(where, problem, step, status=404)
        case status:
            step = "Check the model's name and what it can do (tools, images)"
            return RequestRefusedError(where, problem, step, status=status)


def redacted(text: str, key: str | None) -> str:
    """Return the text, at most 300 characters, on one line, without the key and without what looks like one."""
    text = " ".join(text.split())
    if key:
        text = text.replace(key, "***")
    text = _KEY_LIKE.sub("***", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def wait_asked_for(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds a server asks to wait: ``retry-after-ms``, ``Retry-After`` in seconds or as a date."""
    text = headers.get("retry-after-ms", "")
    if _is_number(text):
        return float(text) / 1000
    text = headers.get("retry-after", "").strip()
    if _is_number(text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def _is_too_long(words: str) -> bool:
    about_reply = re.search(r"max_(completion_|output_)?tokens|(output|completion) tokens", words, re.IGNORECASE)
    about_prompt = re.search(r"context|prompt|input", words, re.IGNORECASE)
    return bool(_TOO_LONG.search(words)) and not (about_reply and not about_prompt)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()))


def _is_passing(words: str) -> bool:
    return bool(re.search(r"overloaded|server_error|internal|unavailable|try again", words, re.IGNORECASE))


def _status_words(status: int) -> str:
    return (
        f"refused with status {status}"
        if 400 <= status < 500
        else f"failed with status {status}"
        if status
        else "failed"
    )


def _place_of_key(source: Source) -> str:
    if source.key_env:
        return f"the environment variable {source.key_env}"
    return str(source.key_file) if source.key_file else "key_env or key_file (the source names no key)"
