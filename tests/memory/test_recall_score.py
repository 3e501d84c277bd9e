import json
import math
from dataclasses import fields, replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.recall.answer import answerable, answerable_signs
from homeagent.memory.recall.cues import Question, question_cues, said_by, turn_cues, without_names
from homeagent.memory.recall.score import (
    AnswerableWeights,
    AskedWords,
    Leg,
    Outputs,
    Passages,
    RankingWeights,
    Turns,
    centred_cosine,
    rank_turns,
    scoring,
    shrunk_mean,
)
from homeagent.memory.recall.speakers import quoted_speaks

WEIGHTS = scoring().ranking


def leg(*scores, coverage=None):
    score = np.array(scores, np.float32)
    return Leg(score, np.array(coverage if coverage is not None else score > 0, np.float32))


def candidates(cosine, *, turn=None, words=None, symbols=None):
    n = len(cosine)
    none = leg(*[0.0] * n)
    rows = np.array(turn if turn is not None else range(n), np.intp)
    return Passages(rows, np.array(cosine, np.float32), words or none, none, symbols or none, none, none)


def turns(m, **changed):
    def nowhere():
        return np.full(m, -1, np.intp)

    def zeros():
        return np.zeros(m, np.float32)

    def no():
        return np.zeros(m, bool)

    plain = Turns(nowhere(), nowhere(), zeros() + 8, zeros(), zeros(), no(), no(), no(), no(), no())
    kinds = {f.name: getattr(plain, f.name).dtype for f in fields(Turns)}
    return replace(plain, **{name: np.array(value, kinds[name]) for name, value in changed.items()})


def passage(text):
    return turn_cues(ComputeText(DoorKey(), text))


def test_the_fitted_numbers_are_at_most_twenty():
    raw = json.loads(files("homeagent.memory.recall").joinpath("weights.json").read_bytes())
    assert len(raw["ranking"]) + len(raw["answerable"]) <= 20
    assert set(raw["ranking"]) == {f.name for f in fields(RankingWeights)}
    assert set(raw["answerable"]) == {f.name for f in fields(AnswerableWeights)}
    assert len(scoring().neutral) == 48


def test_reasons_sum_up_to_the_score():
    ranking = rank_turns(
        candidates([0.4, 0.2, 0.5], words=leg(6.0, 0.0, 2.0)),
        turns(3, before=[-1, 0, 1], after=[1, 2, -1], asks=[1, 0, 0], assistant=[0, 0, 1], first_person=[1, 1, 1]),
        Question(first_person=True),
        WEIGHTS,
    )
    np.testing.assert_allclose(sum(ranking.reasons.values()), ranking.score, rtol=1e-5)
    assert ranking.score.dtype == np.float32
    assert list(ranking.order) == sorted(range(3), key=lambda row: -ranking.score[row])


def test_a_turn_ranks_by_its_best_passage():
    ranking = rank_turns(candidates([0.1, 0.6, 0.3], turn=[0, 0, 1]), turns(2), Question(), WEIGHTS)
    assert list(ranking.order) == [0, 1]
    assert list(ranking.passage) == [1, 2]


def test_a_pending_vector_is_no_reason_against_a_turn():
    ranking = rank_turns(candidates([np.nan, 0.1]), turns(2), Question(), WEIGHTS)
    assert ranking.score[0] == pytest.approx(ranking.score[1])


def test_words_step_back_when_few_of_the_question_occur():
    few = rank_turns(candidates([0.1], words=leg(5.0, coverage=[0.1])), turns(1), Question(), WEIGHTS)
    most = rank_turns(candidates([0.1], words=leg(5.0, coverage=[0.9])), turns(1), Question(), WEIGHTS)
    assert few.reasons["words"][0] < most.reasons["words"][0]


def test_the_person_asked_about_comes_before_the_one_who_addresses_her():
    ranking = rank_turns(candidates([0.4, 0.35]), turns(2, speaker=[-1, 1]), Question(), WEIGHTS)
    assert list(ranking.order) == [1, 0]


def test_the_reply_to_a_matching_question_gains_from_it():
    asked = turns(3, before=[-1, 0, -1], after=[1, -1, -1], asks=[1, 0, 0])
    ranking = rank_turns(candidates([0.5, 0.2, 0.2]), asked, Question(), WEIGHTS)
    assert ranking.reasons["neighbours"][1] > 0
    assert ranking.score[1] > ranking.score[2]


def test_a_weak_neighbour_adds_nothing():
    ranking = rank_turns(candidates([0.0, 0.0]), turns(2, before=[-1, 0], after=[1, -1]), Question(), WEIGHTS)
    assert not ranking.reasons["neighbours"].any()


def test_the_assistant_comes_last_unless_the_question_is_about_what_it_said():
    said = turns(2, assistant=[1, 0])
    assert list(rank_turns(candidates([0.4, 0.2]), said, Question(), WEIGHTS).order) == [1, 0]
    assert list(rank_turns(candidates([0.4, 0.2]), said, Question(of_assistant=True), WEIGHTS).order) == [0, 1]


def test_an_exact_symbol_counts_in_a_memory_of_two_turns():
    ranking = rank_turns(candidates([0.3, 0.4], symbols=leg(0.7, 0.0)), turns(2), Question(), WEIGHTS)
    assert list(ranking.order) == [0, 1]


def test_the_centred_cosine_equals_the_plain_formula():
    random = np.random.default_rng(1)
    vectors, query, mean = (random.normal(size=shape).astype(np.float32) for shape in ((5, 8), 8, 8))
    left, right = vectors - mean, query - mean
    expected = left @ right / np.linalg.norm(left, axis=1) / np.linalg.norm(right)
    np.testing.assert_allclose(centred_cosine(vectors, query, mean), expected, rtol=1e-4, atol=1e-5)


def test_a_small_memory_is_centred_by_the_neutral_sentences():
    neutral, total = np.array([1, 0], np.float32), np.array([0, 2], np.float32)
    assert shrunk_mean(total, 2, neutral)[0] > 0.98
    assert shrunk_mean(total * 100_000, 200_000, neutral)[1] > 0.99


def test_a_name_leaves_the_question_and_is_reported():
    left, named = without_names(QueryText("When did Caroline's sister visit Mel?"), ["Caroline", "Melanie", ""])
    assert (left.text, named) == ("When did sister visit Mel?", ("Caroline",))
    assert without_names(QueryText("小满喜欢什么"), ["小满"])[0].text == "喜欢什么"
    assert without_names(QueryText("Jon?"), ["Jon"])[0].text == "Jon?"
    assert without_names(QueryText("a johnson"), ["John"])[1] == ()


def test_cues_are_found_in_both_languages():
    assert passage("I moved here two years ago.").time
    assert passage("我上周买了三个杯子").number
    assert passage("用户对花生过敏").first_person
    assert passage("How are you? What's new?").asks == 1
    assert passage("").words == 0
    assert question_cues(QueryText("我什么时候去的？")).when
    assert question_cues(QueryText("How many cats do I have?")).first_person
    assert question_cues(QueryText("What did you recommend?")).of_assistant


def test_an_empty_memory_answers_nothing():
    ranking = rank_turns(candidates([]), turns(0), Question(), WEIGHTS)
    assert len(ranking.order) == 0
    assert answerable(ranking, candidates([]), turns(0), Question(), scoring().answerable) == 0.0


def test_an_unknown_number_makes_an_answer_unlikely():
    found = candidates([0.5, 0.45], words=leg(4.0, 4.0))
    ranking = rank_turns(found, turns(2), Question(), WEIGHTS)
    known = answerable(ranking, found, turns(2), Question(), scoring().answerable)
    unknown = answerable(ranking, found, turns(2), Question(unknown_symbol=True), scoring().answerable)
    assert unknown < known / 3


def test_that_no_word_of_the_question_is_held_makes_an_answer_unlikely():
    found = replace(candidates([0.5, 0.3]), asked=asked_words([False, False], idf=(4.0,)))
    held = replace(found, asked=asked_words([False, True], idf=(4.0,)))
    ranking = rank_turns(found, turns(2), Question(), WEIGHTS)
    chances = [answerable(ranking, each, turns(2), Question(), scoring().answerable) for each in (found, held)]
    assert chances[0] < chances[1] - 0.1


def signs(scored, *, asked=None, cosine=None, question=None, **changed):
    n = len(scored)
    found = candidates(cosine or [0.0] * n, words=leg(*scored, coverage=[1.0] * n))
    found = replace(found, asked=asked)
    told = turns(n, **changed)
    question = question or Question()
    return answerable_signs(rank_turns(found, told, question, WEIGHTS), found, told, question)


def asked_words(*held, idf, rarest=0.5):
    return AskedWords(np.array(held, bool), np.array(idf, np.float32), rarest)


def test_an_answer_is_likelier_where_one_turn_stands_out():
    alone, among = signs([30.0, *[0.0] * 49]), signs([30.0] * 50)
    assert alone.lead > among.lead + 1
    assert alone[1:] == among[1:]


def test_a_few_turns_beside_it_do_not_hide_the_one_that_answers():
    assert signs([30.0, *[29.0] * 3, *[0.0] * 46]).lead == signs([30.0, *[0.0] * 49]).lead > 0


def test_in_a_memory_of_two_turns_little_is_no_answer():
    little, much = signs([1.0, 0.0]), signs([40.0, 0.0])
    assert 0 <= little.lead < much.lead - 1


def test_a_turn_stands_out_less_where_another_is_nearer_in_meaning():
    first, other = signs([30.0, 0.0], cosine=[0.3, 0.3]), signs([30.0, 0.0], cosine=[0.3, 0.5])
    assert other.lead < first.lead


def test_it_counts_which_words_of_the_question_the_first_turns_hold():
    idf = (4.0, 2.0)
    both = signs([9.0, 8.0], asked=asked_words([True, False], [True, False], idf=idf))
    spread = signs([9.0, 8.0], asked=asked_words([True, False], [False, True], idf=idf))
    rare = signs([9.0, 8.0], asked=asked_words([True, False], [False, False], idf=idf))
    common = signs([9.0, 8.0], asked=asked_words([False, False], [True, False], idf=idf))
    none = signs([9.0, 8.0], asked=asked_words([False, False], [False, False], idf=idf))
    assert both.held > spread.held > rare.held > common.held > none.held
    assert {each.rare for each in (both, spread, rare, common, none)} == {0.5}


def test_only_the_first_three_turns_are_looked_at_for_words():
    idf = (4.0,)
    third = signs([9.0, 8.0, 7.0, 6.0], asked=asked_words([False, False, True, False], idf=idf))
    fourth = signs([9.0, 8.0, 7.0, 6.0], asked=asked_words([False, False, False, True], idf=idf))
    assert third.held > fourth.held


def test_of_some_passages_the_words_are_those_that_these_hold():
    words = asked_words([True, False, True], [False, True, True], idf=(4.0, 2.0))
    left = words.of(np.array([True, False, True]))
    assert left.held.tolist() == [[True, True], [False, True]]
    assert left.rarest == words.rarest


def test_what_does_not_fit_the_question_makes_an_answer_unlikely():
    when = Question(when=True)
    assert signs([9.0], question=when).mismatch == 1
    assert signs([9.0], question=when, time=[True]).mismatch == 0
    assert signs([9.0], question=when, speaker=[-1.0]).mismatch == 3
    found = candidates([0.5], words=leg(9.0))
    chances = [
        answerable(rank_turns(found, told, when, WEIGHTS), found, told, when, scoring().answerable)
        for told in (turns(1), turns(1, time=[True]))
    ]
    assert chances[0] < chances[1] - 0.1


def test_the_time_in_an_output_is_its_own():
    found = replace(candidates([0.5], words=leg(9.0)), outputs=outputs([True], time=[False]))
    told = turns(1, time=[True])
    when = Question(when=True)
    assert answerable_signs(rank_turns(found, told, when, WEIGHTS), found, told, when).mismatch == 1


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=12), st.booleans(), st.booleans())
def test_every_score_is_finite_and_every_turn_ranked_once(cosines, first_person, when):
    n = len(cosines)
    chain = turns(n, before=list(range(-1, n - 1)), after=[*range(1, n), -1])
    ranking = rank_turns(candidates(cosines), chain, Question(first_person=first_person, when=when), WEIGHTS)
    assert sorted(ranking.order) == list(range(n))
    assert all(math.isfinite(each) for each in ranking.score)


def outputs(there, speaker=None, words=None, figures=False, **cues):
    n = len(there)
    found = {name: np.array(cues.get(name, [False] * n), bool) for name in ("asks", "first_person", "time", "number")}
    return Outputs(
        np.array(there, bool),
        np.array(speaker or [0.0] * n, np.float32),
        np.array(words or [40.0] * n, np.float32),
        **found,
        figures=figures,
    )


def test_what_the_words_of_a_turn_look_like_says_nothing_about_an_output_of_it():
    asking = turns(2, asks=[1.0, 0.0], speaker=[-1.0, 0.0], words=[3, 40])
    both = candidates([0.3, 0.3])
    words = rank_turns(both, asking, Question(), WEIGHTS)
    output = rank_turns(replace(both, outputs=outputs([True, False])), asking, Question(), WEIGHTS)
    assert words.order.tolist() == [1, 0]
    assert words.reasons["question"][0] < 0
    assert output.score[0] == pytest.approx(output.score[1])
    assert output.reasons["question"][0] == output.reasons["speaker"][0] == 0


def test_an_output_that_names_the_person_asked_about_counts_like_his_own_word_in_its_turn():
    one_turn = candidates([0.2, 0.3, 0.3], turn=[0, 0, 1])
    plain = turns(2, speaker=[0.0, 0.0])
    named = replace(one_turn, outputs=outputs([False, True, False], speaker=[0.0, 1.0, 0.0]))
    ranking = rank_turns(named, plain, Question(), WEIGHTS)
    assert ranking.order.tolist() == [0, 1]
    assert ranking.passage.tolist() == [1, 2]
    assert ranking.reasons["speaker"].tolist() == [pytest.approx(WEIGHTS.speaker), 0]


def test_the_best_passage_of_a_turn_is_chosen_with_what_the_words_of_the_turn_add():
    one_turn = candidates([0.30, 0.31], turn=[0, 0])
    said = turns(1, speaker=[1.0], first_person=[True])
    ranking = rank_turns(replace(one_turn, outputs=outputs([False, True])), said, Question(), WEIGHTS)
    assert ranking.passage.tolist() == [0]
    some = outputs([True, False, True], speaker=[1.0, 0.0, -1.0], words=[1.0, 2.0, 3.0], time=[True, True, False])
    kept = some.of(np.array([1, 0, 1], bool))
    assert (kept.there.tolist(), kept.speaker.tolist(), kept.words.tolist()) == ([True, True], [1, -1], [1, 3])
    assert kept.time.tolist() == [True, False]


def test_a_piece_of_an_output_that_quotes_the_person_counts_like_a_turn_of_his():
    said = candidates([0.3, 0.3], turn=[0, 1])
    own = turns(2, speaker=[1.0, 0.0], first_person=[True, False], time=[True, False], asks=[0.0, 1.0], words=[12, 3])
    cues = {"first_person": [False, True], "time": [False, True]}
    quoted = outputs([False, True], speaker=[0.0, 1.0], words=[12.0, 12.0], **cues)
    ranking = rank_turns(replace(said, outputs=quoted), own, Question(when=True), WEIGHTS)
    assert ranking.score[0] == pytest.approx(ranking.score[1])
    another = replace(quoted, speaker=np.array([0, -1], np.float32))
    ranking = rank_turns(replace(said, outputs=another), own, Question(when=True), WEIGHTS)
    assert ranking.reasons["self"][1] == 0
    assert ranking.reasons["speaker"][1] == pytest.approx(-WEIGHTS.speaker)


def test_a_bare_number_alone_is_nothing_in_an_output_and_an_identifier_is():
    found = candidates([0.0, 0.0], symbols=leg(9.0, 9.0))
    page = outputs([True, False], figures=True)
    ranking = rank_turns(replace(found, outputs=page), turns(2), Question(), WEIGHTS)
    assert ranking.reasons["symbols"].tolist() == [0, pytest.approx(9 * WEIGHTS.symbols)]
    ranking = rank_turns(replace(found, outputs=replace(page, figures=False)), turns(2), Question(), WEIGHTS)
    assert ranking.reasons["symbols"][0] == ranking.reasons["symbols"][1] > 0
    held = replace(found, words=leg(4.0, 4.0, coverage=[0.25, 0.25]), outputs=page)
    ranking = rank_turns(held, turns(2), Question(), WEIGHTS)
    part = math.sqrt(0.25)
    assert ranking.reasons["symbols"].tolist() == pytest.approx([9 * WEIGHTS.symbols * part, 9 * WEIGHTS.symbols])


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("Ada: I moved to Lisbon.", "ada"),
        ("- 用户: 我的手机是小米11。", "用户"),
        ("- 用户：好的。", "用户"),
        ("[2024-05-01 10:02] Ada Lovelace: hello", "ada lovelace"),
        ("10:02 **Bert**: hello", "bert"),
        ("> Bert: quoted", "bert"),
        ("mail_read\nBert: written", "bert"),
        ("The ferry leaves at seven.", ""),
        ("12:30", ""),
        ("", ""),
        ("Ada:", ""),
        (f"{'a very long introduction ' * 5}: and then", ""),
    ],
)
def test_who_is_named_in_front_of_a_line_said_it(line, who):
    assert said_by(ComputeText(DoorKey(), line)) == who


def test_a_piece_of_an_output_is_about_whom_it_quotes_or_names():
    quoted = [("ada", False), ("bert", False), ("bert", True), ("", True), ("", False), ("note", True), ("note", False)]
    assert quoted_speaks(quoted, "Ada", ["Ada", "Bert"]) == [1, -1, 0, 1, 0, 1, 0]
