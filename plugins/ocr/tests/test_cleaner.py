import json

import pytest
from ocr.cleaning import only_text
from ocr.tools import ocr_image

from homeagent_sdk.testing import check_cleaner

READ = {
    "path": "receipts/may.jpg",
    "width": 900,
    "height": 400,
    "lines": [
        {"text": "北京市海淀区图书馆", "score": 0.998, "box": [10, 12, 600, 60]},
        {"text": 'Total: "12.50"', "score": 0.971, "box": [10, 80, 300, 120]},
        {"text": " ", "score": 0.5, "box": [1, 2, 3, 4]},
    ],
}
OUTPUT = json.dumps(READ, ensure_ascii=False)
KEPT = '北京市海淀区图书馆\nTotal: "12.50"'


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (OUTPUT, KEPT),
        (json.dumps(READ), KEPT),  # as \uXXXX
        (OUTPUT[: OUTPUT.index("图书馆")], "北京市海淀区"),
        (json.dumps(READ)[: json.dumps(READ).index("Total")], "北京市海淀区图书馆"),
        ('{"path": "a.png", "width": 3, "height": 3, "lines": []}', ""),
        (
            '{"error": [{"field": "path", "reason": "a.txt is no picture", "hint": "It reads PNG"}]}',
            "a.txt is no picture",
        ),
        ("took longer than 120 seconds", "took longer than 120 seconds"),
        ("{", ""),
        ("[" * 5000, ""),
    ],
)
def test_the_text_alone_is_kept(output, kept):
    assert only_text(output) == kept


def test_the_cleaner_is_a_good_one():
    assert check_cleaner(ocr_image.policy.cleaner, [OUTPUT, "", '{"lines": [3, {"text": 3}, {}]}']) == []
