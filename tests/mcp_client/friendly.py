"""A server written with the official library, run as a script: over stdio, or over HTTP with a port as its argument."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)

KEY = "homeagent/policy"
PIXEL = b"\x89PNG\r\n\x1a\n pixel"

server = MCPServer("friendly", version="1.2.3")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def greet(name: str) -> str:
    """Greet somebody.

    With care.
    """
    return f"Hello {name}, 你好 \x1b[31mred\x1b[0m"


@server.tool()
def measure() -> dict[str, Any]:
    """Measure."""
    return {"degrees": 21.5, "unit": "C"}


@server.tool(structured_output=False)
def mixed() -> list[Any]:
    """Return everything there is."""
    return [
        TextContent(type="text", text="first\n  line"),
        ImageContent(type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png"),
        AudioContent(type="audio", data=base64.b64encode(b"sound").decode(), mime_type="audio/wav"),
        EmbeddedResource(type="resource", resource=TextResourceContents(uri="note://1", text="a note")),
        EmbeddedResource(type="resource", resource=BlobResourceContents(uri="file:///a/b.bin", blob="AAEC")),
        ResourceLink(type="resource_link", name="report", uri="file:///report.txt", description="the report"),
    ]


@server.tool()
def fail() -> str:
    """Fail."""
    raise ToolError("the lamp is broken")


@server.tool(meta={KEY: {"no_memory": True}})
def noise() -> str:
    """Return noise."""
    return "zqnoise8841 " * 40


@server.tool(meta={KEY: {"cleaner": "json(said)"}})
def wrapped(said: str) -> str:
    """Wrap a sentence."""
    import json

    return json.dumps({"etag": "zqetag7719", "said": said})


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def wipe(path: str) -> str:
    """Wipe a path."""
    return f"wiped {path}"


@server.tool()
async def wait(mark: str, context: Context) -> str:
    """Wait until stopped; leave a mark then."""
    await context.report_progress(1, 2, "half way")
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        Path(mark).write_text("cancelled")
        raise
    return "done"


@server.tool()
def surroundings() -> str:
    """Tell the environment."""
    return "\n".join([str(Path.cwd()), str(os.getpid()), *sorted(os.environ)])


@server.tool()
async def learn(name: str, context: Context) -> str:
    """Learn another tool."""

    def trick() -> str:
        """Do the trick."""
        return "tada"

    server.add_tool(trick, name=name)
    await context.session.send_tool_list_changed()
    return "learned"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        print("starting up", file=sys.stderr)
        server.run()
