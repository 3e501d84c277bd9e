import openpyxl
import pytest
from documents import edited
from openpyxl.chart import BarChart, Reference


@pytest.fixture
def path(tmp_path):
    (tmp_path / "docs").mkdir()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "家用"
    for row in (["item", "euros"], ["rent 房租", 900], ["bread", 12.5], ["sum", "=SUM(B2:B3)"]):
        sheet.append(row)
    book.create_sheet("Other")["A1"] = "rent 房租 too"
    book.save(tmp_path / "docs/home.xlsx")
    return tmp_path / "docs/home.xlsx"


def cells(path, sheet="家用"):
    return [list(row) for row in openpyxl.load_workbook(path)[sheet].values]


def test_without_changes_it_shows_the_sheets_with_formulas_as_they_are_written(path):
    result, questions = edited(path, [])
    assert result.text.splitlines()[:5] == [
        "Sheet 家用, A1:B4:",
        "item\teuros",
        "rent 房租\t900",
        "bread\t12.5",
        "sum\t=SUM(B2:B3)",
    ]
    assert questions == []


def test_cells_are_set_rows_appended_and_texts_replaced(path):
    changes = [
        {"action": "set", "at": "B2", "text": "950"},
        {"action": "set", "at": "Other!C3", "text": "0043 1 234"},
        {"action": "append", "at": "家用", "text": "milk 牛奶\t1.20\t=B2*2"},
        {"action": "replace", "old": "房租", "text": "租金"},
    ]
    result, _ = edited(path, changes)
    assert "replaced '房租' in 2 cells" in result.text
    assert cells(path)[1] == ["rent 租金", 950, None]
    assert cells(path)[3][1] == "=SUM(B2:B3)"
    assert cells(path)[4] == ["milk 牛奶", 1.2, "=B2*2"]
    assert cells(path, "Other")[2][2] == "0043 1 234"


def test_formulas_are_not_worked_out(path):
    edited(path, [{"action": "set", "at": "B2", "text": "1000"}])
    assert openpyxl.load_workbook(path, data_only=True)["家用"]["B4"].value is None


@pytest.mark.parametrize("text", ["123456789012345678", "007", "1e5", "2026-05-01", "+43 1", "nan"])
def test_what_only_looks_like_a_number_stays_text(path, text):
    edited(path, [{"action": "set", "at": "A1", "text": text}])
    assert cells(path)[0][0] == text


@pytest.mark.parametrize(
    "formula",
    [
        "=cmd|'/c calc'!A0",
        '=WEBSERVICE("http://127.0.0.1:9/?"&A1)',
        '=HYPERLINK("http://evil.example","x")',
        "='[other.xlsx]Sheet1'!A1",
        '=CALL("kernel32","x")',
        "=RTD(1)",
        '=SUM(IMPORTXML ("x"))',
        "=_xlfn.WEBSERVICE(A1)",
        "=A1#B",
    ],
)
def test_a_formula_that_reaches_out_is_not_written(path, formula):
    before = path.read_bytes()
    result, _ = edited(path, [{"action": "set", "at": "A1", "text": formula}])
    assert result.error
    assert path.read_bytes() == before


@pytest.mark.parametrize("formula", ['=IF(B2>900,"teuer (nicht gut)","ok")', "=SUM('Other'!A1:A9)*1.2", "=家用!B2"])
def test_a_formula_that_reckons_is_written(path, formula):
    result, _ = edited(path, [{"action": "set", "at": "C1", "text": formula}])
    assert not result.error
    assert cells(path)[0][2] == formula


def test_a_text_that_becomes_a_formula_by_replacing_stays_text(path):
    edited(path, [{"action": "replace", "old": "rent", "text": "=CALL(1)"}])
    cell = openpyxl.load_workbook(path)["家用"]["A2"]
    assert (cell.value, cell.data_type) == ("=CALL(1) 房租", "s")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"action": "set", "at": "nowhere", "text": "x"}, "can't be set"),
        ({"action": "set", "at": "A1:B2", "text": "x"}, "can't be set"),
        ({"action": "set", "at": "No!A1", "text": "x"}, "there is no sheet 'No'"),
        ({"action": "delete", "at": "1"}, "is for text documents"),
    ],
)
def test_a_change_that_can_not_be_made_is_refused(path, change, told):
    result, _ = edited(path, [change])
    assert told in result.text


def test_a_chart_would_be_lost_so_it_is_refused(path):
    book = openpyxl.load_workbook(path)
    chart = BarChart()
    chart.add_data(Reference(book.active, min_col=2, min_row=1, max_row=3))
    book.active.add_chart(chart, "E2")
    book.save(path)
    before = path.read_bytes()
    result, _ = edited(path, [{"action": "set", "at": "A1", "text": "x"}])
    assert "would be lost" in result.text
    assert path.read_bytes() == before
    assert "rent" in edited(path, [])[0].text
