"""The dates of the measuring sets."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bench.dates import latest, parse_date


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("12:30 pm on 1 January, 2024", datetime(2024, 1, 1, 12, 30, tzinfo=UTC)),
        ("29.12.2023, 00:51:12", datetime(2023, 12, 29, 0, 51, 12, tzinfo=UTC)),
        ("2024年04月01日 周一 08:30", datetime(2024, 4, 1, 8, 30, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
    ],
)
def test_each_form_is_read_in_utc(text, moment) -> None:
    assert parse_date(text) == moment


@pytest.mark.parametrize("text", ["", "soon", "31.02.2024, 10:00:00", "May-40-2024", "1:00 pm on 1 Mai, 2024"])
def test_what_names_no_moment_is_unknown(text) -> None:
    assert parse_date(text) is None


def test_the_latest_date_is_found_among_unknown_ones() -> None:
    dates = ["", "March-15-2024", "2024年04月01日 周一 08:30", "soon"]
    assert latest(dates) == datetime(2024, 4, 1, 8, 30, tzinfo=UTC)
    assert latest(["", "soon"]) is None
