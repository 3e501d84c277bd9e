"""What may be changed of a document, as the model writes it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a document."""

    action: Annotated[
        Literal["replace", "append", "insert", "delete", "set"],
        "replace a text everywhere; append a paragraph or a row; insert or delete a paragraph; set a cell",
    ]
    text: Annotated[
        str, "the new text; a row has its cells separated by tabs; a cell may hold a number or a =formula"
    ] = ""
    old: Annotated[str, "replace: the text to look for"] = ""
    at: Annotated[
        str, "insert, delete: the number of the paragraph; set: the cell, e.g. B2 or Sheet1!B2; append: style or sheet"
    ] = ""
