"""Small things that every form of the API is made of: text, moments, places, and turns."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory import Place
    from homeagent.memory.store.records import Moment, SegmentRow, TurnRow

__all__ = [
    "ChatName",
    "Done",
    "PlaceForm",
    "Share",
    "TurnForm",
    "TurnName",
    "When",
    "iso",
    "place_form",
    "plain",
    "turn_form",
]

TurnName = Annotated[str, Field(min_length=1, max_length=400, description="the id of a turn, or its external id")]
"""How a turn is named."""

ChatName = Annotated[
    str, Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9._~-]+$", description="the name of a chat")
]
"""How a chat of the API is named."""


def _zoned(at: datetime) -> datetime:
    if not 1 < at.year < 9999:
        raise ValueError("is no time that anybody lives in")
    return at if at.tzinfo is not None else at.astimezone()


When = Annotated[datetime, AfterValidator(_zoned)]
"""A moment; without a zone it is in that of this machine."""


def plain(text: str) -> str:
    """Return a text as JSON can carry it: halves of surrogate pairs become U+FFFD. Raw in an export loses nothing."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def iso(at: "datetime | Moment | None") -> str | None:
    """Return a moment with its zone, as ISO 8601."""
    if at is None:
        return None
    return at.isoformat() if isinstance(at, datetime) else at.datetime().isoformat()


class Done(BaseModel):
    """It is done."""

    ok: bool = True


class PlaceForm(BaseModel):
    """Where something was said."""

    channel: str
    chat: str


class Share(BaseModel):
    """With whom a turn is shared on purpose: a person, or everybody in a chat."""

    person: str = ""
    channel: str = ""
    chat: str = ""


class TurnForm(BaseModel):
    """A turn in short. ``text`` is the beginning of what was said, ``reply`` of what was answered."""

    turn: str
    external_id: str
    source: str
    place: PlaceForm
    sender: str
    members: list[str]
    at: str | None
    status: str
    forgotten: bool
    text: str
    reply: str
    tools: list[str]
    attachments: int


_SHOWN = 400


def place_form(place: "Place") -> PlaceForm:
    """Return a place."""
    return PlaceForm(channel=plain(place.channel), chat=plain(place.chat))


def turn_form(row: "TurnRow", segments: "Sequence[SegmentRow]", *, forgotten: bool) -> TurnForm:
    """Return a turn in short."""
    said = [each.segment for each in segments]
    return TurnForm(
        turn=row.turn_id,
        external_id=plain(row.external_id),
        source=plain(row.source),
        place=place_form(row.place),
        sender=plain(row.sender),
        members=[plain(each) for each in row.members],
        at=iso(row.at),
        status=row.status,
        forgotten=forgotten,
        text=_short(next((each.text for each in said if each.role == "user"), "")),
        reply=_short(next((each.text for each in reversed(said) if each.role == "assistant" and each.text), "")),
        tools=[plain(each.tool or "") for each in said if each.role == "tool"],
        attachments=sum(len(each.attachments) for each in said),
    )


def _short(text: str) -> str:
    text = plain(text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
