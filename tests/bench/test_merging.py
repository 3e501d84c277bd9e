"""The bench of merging: two entities for each person, joined and taken apart."""

from bench.merging import merging


def test_two_entities_of_each_person_are_joined_and_half_are_taken_apart():
    figures = merging(400)
    assert (figures["entities"], figures["suggested"], figures["joined_to"]) == (400, 200, 200)
    assert (figures["largest"], figures["after_taking_back"]) == (2, 300)
    assert figures["merge_seconds"] > 0
