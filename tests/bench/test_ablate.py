"""The ablation: every variant on the same questions, and none but the weights taken out of it."""

from __future__ import annotations

from dataclasses import asdict, replace

from bench.ablate import ALL, VARIANTS
from homeagent.memory.recall.score import scoring


def test_every_weight_is_taken_out_somewhere_but_the_threshold() -> None:
    named = {name for names in VARIANTS.values() for name in names}
    assert named == set(asdict(scoring().ranking)) - {"threshold"}


def test_the_report_has_a_row_for_each_variant(bench, smoke) -> None:
    answer = bench("ablate", "--data", smoke, "--set", "smoke", "--embedder", "hashed", "--json")
    assert answer.code == 0
    found = answer.report["sets"]["smoke"]
    assert list(found["without"]) == [ALL, *VARIANTS]
    assert found["without"][ALL]["change"] == [0.0, 0.0, 0.0]
    assert found["n"] == 7


def test_the_whole_is_what_recall_measures(bench, smoke) -> None:
    whole = bench("recall", "--data", smoke, "--set", "smoke", "--embedder", "hashed", "--json").report
    found = bench("ablate", "--data", smoke, "--set", "smoke", "--embedder", "hashed", "--json").report
    rows = found["sets"]["smoke"]["without"]
    assert rows[ALL]["R@5"] == whole["sets"]["smoke"]["turn"]["R@5"]
    assert any(each["MRR"] != rows[ALL]["MRR"] for each in rows.values())


def test_fewer_questions_are_spread_over_the_set(bench, smoke) -> None:
    answer = bench("ablate", "--data", smoke, "--set", "smoke", "--embedder", "none", "--questions", 3, "--json")
    assert answer.report["sets"]["smoke"]["n"] == 3


def test_weights_are_frozen_so_that_a_variant_is_a_copy() -> None:
    without = replace(scoring().ranking, meaning=0.0)
    assert (without.meaning, scoring().ranking.meaning > 0) == (0.0, True)
