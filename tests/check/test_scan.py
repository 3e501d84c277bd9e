"""Looking for a marker in the derived database: wherever it got in, it is found."""

from __future__ import annotations

import sqlite3

import pytest

from homeagent.check.scan import DerivedText, compared


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "derived.db"
    connection = sqlite3.connect(found)
    connection.execute("CREATE TABLE computed (a INTEGER, text BLOB, note TEXT)")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5(words, content='', tokenize='ascii')")
    connection.execute("INSERT INTO computed VALUES (1, ?, ?)", ("Das Ｍarker书櫃".encode(), "a NOTE"))
    connection.execute("INSERT INTO computed VALUES (2, ?, NULL)", (b"\xff\xfe raw4411bytes \xff",))
    connection.execute(
        "INSERT INTO computed VALUES (3, ?, NULL)", ("half \ud83d one".encode("utf-8", "surrogatepass"),)
    )
    connection.execute("INSERT INTO terms(rowid, words) VALUES (1, 'zqterm zqtermlong other')")
    connection.commit()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("marker", "place"),
    [
        ("MARKER", "computed.text"),
        ("書柜", "computed.text"),
        ("a note", "computed.note"),
        ("raw4411bytes", "computed.text"),
        ("zqtermlong", "terms (term)"),
        ("half", "computed.text"),
    ],
)
def test_a_marker_is_found_in_any_table_and_shadow_table(path, marker, place):
    assert place in DerivedText(path).places(marker)


@pytest.mark.parametrize("marker", ["zqtermlonger", "nothing", "raw4412"])
def test_what_is_not_there_is_not_found(path, marker):
    assert DerivedText(path).places(marker) == []


def test_looking_changes_nothing(path):
    before = path.read_bytes()
    DerivedText(path).places("marker")
    assert path.read_bytes() == before


def test_a_marker_of_nothing_but_invisible_characters_is_still_something():
    assert compared("\ufeff")
