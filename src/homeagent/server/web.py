"""The web application: every router, the one form of errors, and who passes."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

from homeagent import __version__
from homeagent.channels import Mounted
from homeagent.server.daemon import Daemon
from homeagent.server.errors import ERRORS, answer_errors
from homeagent.server.page import ROOT
from homeagent.server.routes import ROUTERS
from homeagent.server.streams import SSE

__all__ = ["build"]

_ABOUT = (
    "One household's agent and its memory. Speak to it with any OpenAI client, look into its memory, and say what of "
    "it is computed. Every call but those of health needs a token: `homeagent token new`."
)


class _Answer(JSONResponse):
    """JSON in UTF-8."""

    media_type = "application/json"


class _Described:
    """Makes the OpenAPI description, once: what FastAPI works out, and the errors of streams as JSON, as they are."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._made: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        if not self._made:
            app = self._app
            self._made = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            for methods in self._made["paths"].values():
                for about in methods.values():
                    _as_json(about["responses"])
        return self._made


def _as_json(responses: dict[str, Any]) -> None:
    for status, response in responses.items():
        content = response.get("content", {})
        if int(status) >= 400 and "application/json" not in content:
            response["content"] = dict.fromkeys(["application/json"], next(iter(content.values()), {}))
        elif SSE in content:
            content[SSE] = {}  # an event is no text and no object: what is in it stands in docs/server.md


def build(daemon: Daemon) -> FastAPI:
    """Return the application that serves a home."""
    app = FastAPI(
        title="HomeAgent",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # it would be fetched from elsewhere
        redoc_url=None,
        default_response_class=_Answer,
        responses=ERRORS,
        separate_input_output_schemas=False,
    )
    app.state.daemon = daemon
    app.openapi = _Described(app)  # type: ignore[method-assign] # that is how it is meant to be changed
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.append(Route("/webhook", Mounted(daemon.app.webhook)))  # signed: it needs no token
    app.add_api_route("/", _to_the_page, include_in_schema=False)
    return app


async def _to_the_page() -> RedirectResponse:
    return RedirectResponse(f"{ROOT}/")
