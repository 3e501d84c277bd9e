"""Calls of the plugin's tools on the small web of `stand_in`."""

import asyncio

from browser import plugin
from stand_in import web

from homeagent_sdk.testing import FakeHost


def calling(*calls, search="duck", folder=None, own=True, **settings):
    """Make calls, given as (tool, arguments), one after the other; return the results and the web they were made on.

    In the arguments WEB stands for the address that may be visited, PRIVATE for the one that may not.
    """
    with web() as found:

        async def run():
            given = {
                "search": f"{found.address}/{search}?q={{words}}",
                "own_hosts": [found.host] if own else [],
                **settings,
            }
            async with FakeHost(plugin, settings=given, data_folder=folder) as host:
                return [await host.call(name, **filled(arguments, found)) for name, arguments in calls]

        return asyncio.run(run()), found


def filled(arguments, found):
    return {
        name: value.replace("WEB", found.address).replace("PRIVATE", found.private) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def call(tool, /, **arguments):
    """Make one call."""
    (result,), found = calling((tool, arguments))
    return result, found
