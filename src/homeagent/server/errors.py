"""What goes wrong, as clients are told: one form for all of it, the one that OpenAI's clients read.

Statuses are chosen here, at one place, by what kind of error it is.
"""

import errno
import logging
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from homeagent.errors import (
    ConfigError,
    HomeAgentError,
    HomeError,
    InputError,
    NotFoundError,
    PolicyError,
    StoreError,
)
from homeagent.masking import masked
from homeagent.models.errors import ModelError
from homeagent.plugins import PluginError
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ERRORS", "AccessError", "Problem", "ProblemBody", "answer_errors", "plain_problem"]


class Problem(BaseModel):
    """What is wrong. ``message`` is a sentence; ``where``, ``problem`` and ``next_step`` are its parts."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None
    where: str = ""
    problem: str = ""
    next_step: str = ""


class ProblemBody(BaseModel):
    """The body of every answer with a status of 400 or more."""

    error: Problem


class AccessError(HomeAgentError):
    """The server does not do this for this client: ``status`` is the HTTP status that says why."""

    def __init__(self, where: str, problem: str, next_step: str, *, status: int = 403) -> None:
        super().__init__(where, problem, next_step)
        self.status = status


_STATUSES: Final[tuple[tuple[type[Exception], int, str], ...]] = (
    (NotFoundError, 404, "not_found"),
    (InputError, 400, "invalid_input"),
    (PolicyError, 400, "invalid_policy"),
    (ConfigError, 400, "invalid_settings"),
    (PluginError, 400, "plugin"),
    (SdkError, 400, "plugin"),
    (ModelError, 502, "model"),
    (HomeError, 507, "home"),
    (StoreError, 503, "store"),
)

_KINDS: Final[dict[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}

_OF_THE_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
_BROKEN: Final = "the server failed at this; its log says why"
_log = logging.getLogger("homeagent.server")

ERRORS: Final[dict[int | str, dict[str, object]]] = {
    status: {"model": ProblemBody, "description": about}
    for status, about in {
        400: "What was sent can't be used",
        401: "No token, or one that does not hold",
        403: "Not for whom the token is, or not from there",
        404: "There is no such thing, or not for whom the token is",
        409: "It was not confirmed, or something else was agreed to than there is by now",
        413: "The body is too large",
        422: "What was sent is not of the form that is described",
        429: "Too many requests",
        502: "The model gave no answer",
        503: "The files of the home can't be used at the moment",
        507: "The home can't be written to",
    }.items()
}
"""What any route may answer besides what it is for."""


def plain_problem(error: HomeAgentError | SdkError) -> tuple[int, dict[str, object]]:
    """Return status and body that say what an error says."""
    status, code = _status(error)
    said = Problem(
        message=masked(_clean(str(error))),
        type=_KINDS.get(status, "invalid_request_error" if status < 500 else "server_error"),
        code=code,
        where=masked(_clean(error.where)),
        problem=masked(_clean(error.problem)),
        next_step=masked(_clean(error.next_step)),
    )
    return status, ProblemBody(error=said).model_dump()


def answer_errors(app: FastAPI) -> None:
    """Let an app answer every error in the one form."""

    async def known(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HomeAgentError | SdkError)  # noqa: S101 - it is registered for these
        status, body = plain_problem(error)
        return JSONResponse(body, status, headers=_headers(status))

    async def unfit(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for these
        first = error.errors()[0] if error.errors() else {}
        place = ".".join(_clean(str(each)) for each in first.get("loc", ()))
        return _said(422, f"{place}: {_clean(str(first.get('msg', 'is not of the form described')))}", param=place)

    async def full(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, OSError)  # noqa: S101 - it is registered for these
        _log.error("a file could not be used: %s", error, exc_info=error)
        if error.errno not in _OF_THE_DISK:
            return _said(500, _BROKEN)
        step = "Free some space or mend the permissions; the log of the server says which file it is"
        status, body = plain_problem(HomeError("the home", f"can't be used ({error.strerror})", step))
        return JSONResponse(body, status, headers=_headers(status))

    async def broken(_request: Request, _error: Exception) -> JSONResponse:
        return _said(500, _BROKEN)  # and it is raised again, so that the log has all of it

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
        return _said(error.status_code, _clean(str(error.detail)), headers=error.headers)

    app.add_exception_handler(HomeAgentError, known)
    app.add_exception_handler(SdkError, known)
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(OSError, full)
    app.add_exception_handler(Exception, broken)


def _said(
    status: int, message: str, *, param: str | None = None, headers: "Mapping[str, str] | None" = None
) -> JSONResponse:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    body = ProblemBody(error=Problem(message=message, type=kind, param=param, problem=message))
    return JSONResponse(body.model_dump(), status, headers=dict(headers or {}) | _headers(status))


def _status(error: HomeAgentError | SdkError) -> tuple[int, str]:
    if isinstance(error, AccessError):
        return error.status, "access"
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            return status, code
    return 400, "refused"


def _headers(status: int) -> dict[str, str]:
    if status == 401:
        return {"www-authenticate": "Bearer"}
    # OpenAI's clients would send a failed turn again by themselves; it is in the log, and the person decides.
    return {"x-should-retry": "false"} if status >= 500 else {}


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
