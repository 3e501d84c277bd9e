"""The web application: every router, the one form of errors, and who passes."""

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.routing import Route

from homeagent import __version__
from homeagent.channels import Mounted
from homeagent.server.daemon import Daemon
from homeagent.server.errors import ERRORS, answer_errors
from homeagent.server.routes import ROUTERS

__all__ = ["build"]

_ABOUT = (
    "One household's agent and its memory. Speak to it with any OpenAI client, look into its memory, and say what of "
    "it is computed. Every call but those of health needs a token: `homeagent token new`."
)


class _Answer(JSONResponse):
    """JSON in UTF-8."""

    media_type = "application/json"


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
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.append(Route("/webhook", Mounted(daemon.app.webhook)))  # signed: it needs no token
    return app
