"""Plugins: what they declare, where they run, and how a turn calls them. Built-ins run in this process."""

from homeagent.plugins.boundary import Deadline, Failure, Interrupted, PluginError, guarded
from homeagent.plugins.checked import checked
from homeagent.plugins.consent import Consent, Growth, asked_of, tools_of, treatment_of, wanted_of
from homeagent.plugins.consents import Consents
from homeagent.plugins.declaration import ChannelDeclaration, HandlerDeclaration, Manifest, ToolDeclaration, declared
from homeagent.plugins.environment import Runtime, prepare_runtime
from homeagent.plugins.host import CallSeat, Host, Injector
from homeagent.plugins.in_process import InProcess
from homeagent.plugins.installing import put_back_unless_good, put_in, take_out
from homeagent.plugins.limits import enforceable, enforced_of
from homeagent.plugins.manifest_problems import ManifestError
from homeagent.plugins.manifests import describe, find_source, write_new
from homeagent.plugins.out_of_process import OutOfProcess
from homeagent.plugins.outline import ToolOutline, outline
from homeagent.plugins.registry import START_SECONDS, Registry, shared_names
from homeagent.plugins.runner import PluginRunner
from homeagent.plugins.shelf import FoundPlugin, found_plugins, named_plugin
from homeagent.plugins.stages import StageEngine
from homeagent_sdk.manifest import Description
from homeagent_sdk.manifest_source import PluginSource
from homeagent_sdk.permissions import Permission

__all__ = [
    "START_SECONDS",
    "CallSeat",
    "ChannelDeclaration",
    "Consent",
    "Consents",
    "Deadline",
    "Description",
    "Failure",
    "FoundPlugin",
    "Growth",
    "HandlerDeclaration",
    "Host",
    "InProcess",
    "Injector",
    "Interrupted",
    "Manifest",
    "ManifestError",
    "OutOfProcess",
    "Permission",
    "PluginError",
    "PluginRunner",
    "PluginSource",
    "Registry",
    "Runtime",
    "StageEngine",
    "ToolDeclaration",
    "ToolOutline",
    "asked_of",
    "checked",
    "declared",
    "describe",
    "enforceable",
    "enforced_of",
    "find_source",
    "found_plugins",
    "guarded",
    "named_plugin",
    "outline",
    "prepare_runtime",
    "put_back_unless_good",
    "put_in",
    "shared_names",
    "take_out",
    "tools_of",
    "treatment_of",
    "wanted_of",
    "write_new",
]
