"""Plugins: what they declare, where they run, and how a turn calls them. Built-ins run in this process."""

from homeagent.plugins.boundary import Deadline, Failure, PluginError, guarded
from homeagent.plugins.declaration import HandlerDeclaration, Manifest, ToolDeclaration, declared
from homeagent.plugins.host import CallSeat, Host, Injector
from homeagent.plugins.in_process import InProcess
from homeagent.plugins.registry import Registry
from homeagent.plugins.runner import PluginRunner
from homeagent.plugins.stages import StageEngine

__all__ = [
    "CallSeat",
    "Deadline",
    "Failure",
    "HandlerDeclaration",
    "Host",
    "InProcess",
    "Injector",
    "Manifest",
    "PluginError",
    "PluginRunner",
    "Registry",
    "StageEngine",
    "ToolDeclaration",
    "declared",
    "guarded",
]
