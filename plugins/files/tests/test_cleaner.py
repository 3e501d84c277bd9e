import json

import pytest
from folder.reading import folder_read

from homeagent_sdk.testing import check_cleaner

SHOPPING = '{"path": "lists/shopping.txt", "characters": 16, "more": false, "content": "牛奶两升\\nEggs: twelve"}'
CLEANER = folder_read.policy.cleaner


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (SHOPPING, "牛奶两升\nEggs: twelve"),
        (json.dumps(json.loads(SHOPPING)), "牛奶两升\nEggs: twelve"),  # as \uXXXX
        (SHOPPING[: SHOPPING.index("welve")], "牛奶两升\nEggs: t"),  # cut off
        ('{"path": "a", "content": "\\u725b\\u59', "牛"),  # cut off inside of an escape
        ('{"path": "a", "characters": 0, "more": false, "content": ""}', ""),
    ],
)
def test_only_the_content_is_kept(output, kept):
    assert CLEANER(output) == kept


def test_an_error_is_kept_as_it_is():
    assert CLEANER.for_error_output()("there is no a.txt") == "there is no a.txt"


def test_the_cleaner_is_a_good_one():
    assert check_cleaner(CLEANER, [SHOPPING]) == []
