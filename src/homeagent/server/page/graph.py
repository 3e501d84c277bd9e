"""Who and what facts connect, as a picture, and as a list for those who do not see it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import events, ui

from homeagent.server.page.elements import block, disclosure, empty, heading, link, named, text
from homeagent.server.page.why import relation
from homeagent.server.routes import facts as facts_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.facts import Edge, GraphForm

__all__ = ["build"]

_LISTED = 300
_COLOURS = {"person": "#2f8f78", "relative": "#c77d2e", "named": "#4a78b5", "owned": "#8d62b0", "value": "#7d8a90"}


async def build(visit: Visit, request: Request) -> None:
    """Show the graph, of all or about something."""
    heading(visit.say("nav_graph"), visit.say("graph_about"))
    about = request.query_params.get("about", "")[:400]
    graph = await facts_routes.graph(visit.asker.viewer, visit.daemon, about, current=True)
    if not graph.edges:
        empty(visit, "empty_facts", symbol="hub", address="/")
        return
    if not graph.whole:
        text("p", visit.say("graph_cut"), "fine")
    kinds = ("person", "relative", "named", "owned", "value")
    with block("ul", "key"):
        for kind in kinds:
            with block("li"):
                block("span", "dot").style(f"background: {_COLOURS[kind]}")
                text("span", visit.say(f"entity_{kind}"))
    known = {each.entity for each in graph.nodes}

    def opened(event: events.GenericEventArguments) -> None:
        data = event.args.get("data") if isinstance(event.args, dict) else None
        name = str(data.get("id", "")) if isinstance(data, dict) else ""
        if name in known:
            ui.navigate.to(f"/facts?subject={quote(name)}")

    chart = ui.echart(_options(visit, graph), renderer="svg").classes("graph")
    chart.on("chart:click", opened, ["data"])
    named(chart, visit.say("graph_picture", nodes=len(graph.nodes), edges=len(graph.edges)))
    chart.props["role"] = "img"
    _listed(visit, graph)


def _options(visit: Visit, graph: GraphForm) -> dict[str, object]:
    names = {each.entity: each.names[0] if each.names else each.entity for each in graph.nodes}
    kinds = {each.entity: each.kind for each in graph.nodes}
    for edge in graph.edges:
        names.setdefault(edge.to, edge.label)
    degree = dict.fromkeys(names, 0)
    for edge in graph.edges:
        degree[edge.source] = degree.get(edge.source, 0) + 1
        degree[edge.to] = degree.get(edge.to, 0) + 1
    nodes = [
        {
            "id": name,
            "name": _short(shown),
            "symbolSize": 14 + 3 * min(degree.get(name, 0), 12),
            "itemStyle": {"color": _COLOURS[kinds.get(name, "value")]},
        }
        for name, shown in names.items()
    ]
    links = [_line(visit, each) for each in graph.edges]
    series = {
        "type": "graph",
        "layout": "force",
        "roam": True,
        "draggable": True,
        "force": {"repulsion": 340, "gravity": 0.15, "edgeLength": [60, 120], "layoutAnimation": False},
        "zoom": 0.78,  # so that names at the edge have room
        "label": {"show": True, "position": "bottom", "fontSize": 12, "width": 88, "overflow": "break"},
        "edgeLabel": {"show": len(links) < 60, "fontSize": 10},
        "edgeSymbol": ["none", "arrow"],
        "edgeSymbolSize": 6,
        "lineStyle": {"color": "#8b999e", "curveness": 0.08, "opacity": 1},
        "data": nodes,
        "links": links,
    }
    # Text nodes of an SVG: the style sheet gives them the ink of light or dark. No tooltips: they are made of HTML.
    return {"animation": False, "tooltip": {"show": False}, "series": [series]}


def _line(visit: Visit, edge: Edge) -> dict[str, object]:
    label = {"formatter": relation(visit, edge.relation)}
    return {"source": edge.source, "target": edge.to, "label": label}


def _short(words: str) -> str:
    return words if len(words) <= 24 else f"{words[:23]}…"


def _listed(visit: Visit, graph: GraphForm) -> None:
    names = {each.entity: each.names[0] if each.names else each.entity for each in graph.nodes}
    with disclosure(visit.say("graph_list")), block("ul", "plain-list"):
        for edge in graph.edges[:_LISTED]:
            with block("li"):
                link(names.get(edge.source, edge.source), f"/facts?subject={quote(edge.source)}")
                text("span", f" {relation(visit, edge.relation)} {edge.label}")
