"""The plugin ``shell``: running commands."""

from homeagent.builtin.shell.command import PLUGIN

__all__ = ["PLUGIN"]
