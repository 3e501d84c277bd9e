"""Documents: turns that were put away together, by what they are about."""

import asyncio
import contextlib
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from homeagent.errors import NotFoundError
from homeagent.memory import Memory, TurnId, Viewer
from homeagent.server.access import AskerHere, OwnerHere
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere
from homeagent.server.looking import ViewerHere
from homeagent.server.memory_forms import DocumentForm, document_form

__all__ = ["router"]

router = APIRouter(prefix="/api/documents", tags=["documents"])
"""The routes of this matter."""

DocumentName = Annotated[str, InPath(min_length=1, max_length=400)]


class DocumentList(BaseModel):
    """Documents; ``total`` is how many there are."""

    documents: list[DocumentForm]
    total: int


class DocumentText(DocumentForm):
    """A document with its whole text, secrets masked."""

    text: str


class NewDocument(BaseModel):
    """Turns to put together on purpose."""

    title: str = Field(min_length=1, max_length=400)
    turns: Annotated[list[Annotated[str, Field(min_length=1, max_length=400)]], Field(min_length=1, max_length=1_000)]


@router.get("", summary="Documents, all or about something")
async def documents(
    viewer: ViewerHere,
    daemon: DaemonHere,
    q: Annotated[str, Query(max_length=4_000, description="what they are about; empty for all, newest first")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> DocumentList:
    """Return the documents of which every turn may be seen."""
    return await asyncio.to_thread(_listed, daemon.app.memory, viewer, q, limit, offset)


def _listed(memory: Memory, viewer: Viewer | None, q: str, limit: int, offset: int) -> DocumentList:
    if q.strip():
        found = memory.find_documents(q, viewer=viewer, limit=limit + offset)
        return DocumentList(documents=[document_form(each) for each in found[offset:]], total=len(found))
    names = [row.document for row in reversed(memory.documents()) if memory.library.may_see(row.document, viewer)]
    shown = [document_form(memory.document(name)) for name in names[offset : offset + limit]]
    return DocumentList(documents=shown, total=len(names))


@router.post("/archive", summary="Put finished turns away")
async def archive(owner: OwnerHere, daemon: DaemonHere) -> DocumentList:
    """Put every finished turn that is in no document yet into one; return those it touched."""
    del owner
    memory = daemon.app.memory

    def archived() -> DocumentList:
        made = [document_form(memory.document(row.document)) for row in memory.archive()]
        return DocumentList(documents=made, total=len(made))

    done = await asyncio.to_thread(archived)
    daemon.app.agent.look_again()
    return done


@router.post("", summary="Make a document", status_code=201)
async def new(wanted: NewDocument, owner: OwnerHere, daemon: DaemonHere) -> DocumentForm:
    """Make a document of these turns, whatever else they are in."""
    del owner
    memory = daemon.app.memory

    def made() -> DocumentForm:
        row = memory.commit_document(wanted.title, [TurnId(each) for each in wanted.turns])
        return document_form(memory.document(row.document))

    return await asyncio.to_thread(made)


@router.get("/{document}", summary="One document with its text")
async def document(document: DocumentName, asker: AskerHere, daemon: DaemonHere) -> DocumentText:
    """Return a document and its turns as they were said."""
    return await asyncio.to_thread(_whole, daemon.app.memory, asker.viewer, document)


def _whole(memory: Memory, viewer: Viewer | None, name: str) -> DocumentText:
    with contextlib.suppress(NotFoundError):
        if memory.library.may_see(name, viewer):
            return DocumentText(
                **document_form(memory.document(name)).model_dump(),
                text=plain(memory.document_text(name, mask=True)),
            )
    raise NotFoundError(f"document {name!r}", "is not among those you may see", "Search by what it is about")
