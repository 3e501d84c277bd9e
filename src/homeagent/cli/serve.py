"""``homeagent serve``: the server for a home, until it is told to end."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from homeagent.cli.running import run_until_done

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from homeagent.cli.session import Session
    from homeagent.server import ServeOptions
    from homeagent.server.daemon import Daemon

__all__ = ["serve"]

_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what it means, not a choice


def serve(session: Session) -> int:
    """Serve the home; print the address and a token when requests are taken. Leave with 0 when told to end."""
    from homeagent.server import ServeOptions, serving

    arguments = session.arguments
    options = ServeOptions(
        arguments.host,
        arguments.port,
        tuple(arguments.name),
        show_token=not arguments.no_token,
        in_chinese=_chinese,
    )
    with serving.only_server(session.home.root) as told:
        sock = serving.listening(options)
        try:
            _serve(session, options, sock, told)
        finally:
            sock.close()
    return 0


def _chinese(text: str) -> str:
    """Return what an error or a reason says in Chinese."""
    from homeagent.cli.chinese import error_in_chinese, reason_in_chinese

    reason = reason_in_chinese(text)
    return error_in_chinese(text) if reason == text else reason


def _serve(session: Session, options: ServeOptions, sock: socket.socket, told: Path) -> None:
    from homeagent.app import FollowedSettings
    from homeagent.cli.answering import answers_in
    from homeagent.models import OfflineModel
    from homeagent.server import serving
    from homeagent.server.desk import PRIVATE
    from homeagent.server.logs import log_as_json

    offline = OfflineModel(answers_in(session.terminal, lambda: not PRIVATE.get()))
    settings = FollowedSettings(session.home, offline)
    log_as_json()
    app = settings.open(lambda _step, _done: None)

    def started(daemon: Daemon) -> None:
        url = _url(options, sock)
        told.touch(mode=0o600)
        told.write_text(json.dumps({"url": url}), "utf-8")
        _say(session, daemon, url)

    try:
        run_until_done(serving.serve(app, settings, options, sock=sock, started=started))
    finally:
        app.shutdown()


def _url(options: ServeOptions, sock: socket.socket) -> str:
    host = _EVERYWHERE.get(options.host, f"[{options.host}]" if ":" in options.host else options.host)
    return f"http://{host}:{sock.getsockname()[1]}"


def _say(session: Session, daemon: Daemon, url: str) -> None:
    """Print the address, a token, and what to do with them."""
    from homeagent.server.page import ROOT

    terminal, options = session.terminal, daemon.options
    plain = {"url": url}
    lines = [terminal.message("serves", url=url)]
    if options.show_token:
        first = not daemon.tokens.listed()
        token, value = daemon.tokens.new(name="first") if first else daemon.tokens.passing()
        plain["token"] = value
        plain["page"] = f"{url}{ROOT}/enter/{daemon.entrances.new(token.id)}"
        lines += [f"token: {value}", terminal.message("serves_first" if first else "serves_passing")]
        lines.append(terminal.message("serves_page", link=plain["page"]))
    lines.append(terminal.message("serves_clients", url=url))
    if options.host not in ("127.0.0.1", "localhost", "::1"):
        lines.append(terminal.message("serves_others"))
    terminal.result(plain, lines)
    sys.stdout.flush()
