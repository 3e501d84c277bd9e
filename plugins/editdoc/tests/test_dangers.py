import io
import zipfile

import docx
import openpyxl
import pytest
from documents import edited

CHANGE = [{"action": "append", "text": "x"}]


def document(kind):
    made = io.BytesIO()
    (docx.Document() if kind == "docx" else openpyxl.Workbook()).save(made)
    return made.getvalue()


def with_parts(data, compressed=zipfile.ZIP_DEFLATED, /, **parts):
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w", compressed) as new:
        for part in old.infolist():
            if part.filename not in parts:
                new.writestr(part.filename, old.read(part))
        for name, content in parts.items():
            new.writestr(name, content)
    return made.getvalue()


@pytest.fixture
def put(tmp_path):
    (tmp_path / "docs").mkdir()

    def put(name, data):
        path = tmp_path / "docs" / name
        path.write_bytes(data)
        return path

    return put


@pytest.mark.parametrize("kind", ["docx", "xlsx"])
@pytest.mark.parametrize("changes", [[], CHANGE])
def test_a_bomb_is_not_unpacked(put, kind, changes):
    path = put(f"a.{kind}", with_parts(document(kind), **{"word/media/a.bin": b"\0" * 50_000_000}))
    assert path.stat().st_size < 200_000
    result, _ = edited(path, changes)
    assert "unpacked it would be" in result.text


@pytest.mark.parametrize("kind", ["docx", "xlsx"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_that_declares_entities_is_not_read(put, kind, encoding):
    lines = "".join(f'<!ENTITY b{n} "&b{n - 1};&b{n - 1};">' for n in range(1, 30))
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b0 "boom">{lines}]><a>&b29;</a>'
    part = "word/document.xml" if kind == "docx" else "xl/worksheets/sheet1.xml"
    result, _ = edited(put(f"a.{kind}", with_parts(document(kind), **{part: text.encode(encoding)})), [])
    assert "declares entities" in result.text


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("docx", "word/vbaProject.bin"),
        ("xlsx", "xl/vbaProject.bin"),
        ("docx", "word/activeX/activeX1.bin"),
        ("xlsx", "xl/macrosheets/sheet1.xml"),
    ],
)
def test_a_document_with_a_program_in_it_is_refused(put, kind, part):
    path = put(f"a.{kind}", with_parts(document(kind), **{part: b"program"}))
    before = path.read_bytes()
    result, _ = edited(path, CHANGE)
    assert "it holds a program" in result.text
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"no document", b"PK\x05\x06" + b"\0" * 18, document("xlsx")[:-200]]
)
@pytest.mark.parametrize("kind", ["docx", "xlsx"])
def test_what_is_no_document_is_an_error_and_no_more(put, kind, data):
    result, _ = edited(put(f"a.{kind}", data), CHANGE)
    assert result.error


def test_a_workbook_that_spans_a_billion_cells_is_not_walked_through(put):
    book = openpyxl.Workbook()
    book.active["XFD1048576"] = "far away"
    made = io.BytesIO()
    book.save(made)
    assert "span more than" in edited(put("a.xlsx", made.getvalue()), [])[0].text


@pytest.mark.parametrize(
    "path", ["../outside.docx", "/etc/hosts.docx", "link.docx", "sub/../../outside.docx", "a\0.docx"]
)
def test_nothing_leads_out_of_the_folder(put, tmp_path, path):
    (tmp_path / "outside.docx").write_bytes(document("docx"))
    inside = put("inside.docx", document("docx"))
    (inside.parent / "link.docx").symlink_to(tmp_path / "outside.docx")
    before = (tmp_path / "outside.docx").read_bytes()
    result, _ = edited(Named(inside.parent / "x", path), CHANGE)
    assert result.error
    assert (tmp_path / "outside.docx").read_bytes() == before


@pytest.mark.parametrize("name", ["a.txt", "a.doc", "a.docm", "a.xlsm", "a"])
def test_other_kinds_of_files_are_refused(put, name):
    assert "neither .docx nor .xlsx" in edited(put(name, document("docx")), CHANGE)[0].text


class Named:
    """A path with a name of its own choice."""

    def __init__(self, path, name):
        self.parent, self.name = path.parent, name
