"""From an MCP server's settings to what is run or asked: a command with its surroundings, or headers with their keys.

Keys come from environment variables that the settings name, go to this server alone, and stand in no error.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.masking import masked
from homeagent.plugins import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.config import McpSettings

__all__ = ["Program", "headers_of", "program_of", "what_runs"]

_FOLDERS: Final = "mcp"
_PASSED_ON: Final = frozenset(
    {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "SYSTEMROOT", "TMPDIR", "TZ", "USER"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}
    | {"SSL_CERT_DIR", "SSL_CERT_FILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}
    | {f"LC_{of}" for of in ("ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME")}
)


@dataclass(frozen=True)
class Program:
    """A command with its arguments, the variables it sees, and the folder it runs in."""

    command: tuple[str, ...]
    variables: Mapping[str, str]
    folder: Path


def what_runs(settings: McpSettings) -> str:
    """Return what a server runs or asks in words to agree to, without what may be a key."""
    if settings.url:
        return f"asks {settings.url.partition('?')[0]}"
    return f"runs {masked(' '.join((settings.command, *settings.args)))}"


def program_of(name: str, settings: McpSettings, root: Path, environ: Mapping[str, str]) -> Program:
    """Return what to run for the server ``name`` of the home in ``root``; its folder is made.

    Raises `PluginError` when a variable that is to be passed on is not set, or there is no such folder.
    """
    variables = {each: value for each, value in environ.items() if each in _PASSED_ON}
    variables |= settings.env
    variables |= {each: _value(name, each, environ) for each in settings.pass_env}
    folder = Path(settings.cwd).expanduser() if settings.cwd else root / _FOLDERS / name
    if not settings.cwd:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    elif not folder.is_dir():
        raise PluginError(f"config.toml [mcp.{name}] cwd", "there is no such folder", "Make it, or name another")
    command = settings.command
    if command.startswith("~"):
        command = str(Path(command).expanduser())
    return Program((command, *settings.args), variables, folder)


def headers_of(name: str, settings: McpSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers to ask the server ``name`` with. Raises `PluginError` when a variable is not set."""
    found = dict(settings.headers)
    found |= {header: _value(name, variable, environ) for header, variable in settings.headers_env.items()}
    if settings.key_env:
        found["Authorization"] = f"Bearer {_value(name, settings.key_env, environ)}"
    return found


def _value(server: str, variable: str, environ: Mapping[str, str]) -> str:
    value = environ.get(variable, "").strip()
    if not value:
        step = f"Set {variable} in the environment before you start HomeAgent"
        raise PluginError(f"mcp server {server!r}", f"the environment variable {variable} is not set", step)
    if not value.isprintable():
        problem = f"what stands in the environment variable {variable} can't be a key"
        raise PluginError(f"mcp server {server!r}", problem, "Look for line breaks in it")
    return value
