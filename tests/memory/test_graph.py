"""The graph: whose fact it is, what held when, and what is written, merged and taken back on purpose."""

from __future__ import annotations

from datetime import datetime

import pytest

from homeagent.errors import InputError, NotFoundError
from homeagent.memory.turn import Place, Viewer
from tests.memory.worlds import HIDDEN, change, opened, reply, tables_holding, tool, turn, user


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as opened_memory:
        yield opened_memory


def day(text):
    return datetime.fromisoformat(f"2026-{text}T10:00:00+08:00")


def keep(memory, text, when="05-01", **more):
    kept = memory.keep(turn(user(text), at=day(when), **more))
    memory.distil()
    return kept


def held(memory, subject, relation=None, **more):
    return [(fact.relation, fact.value) for fact in memory.graph.facts(subject=subject, relation=relation, **more)]


def viewer(person, chat="group", members=()):
    return Viewer(person, Place("cli", chat), members)


# -- whose fact it is ------------------------------------------------------------------------------------------------


def test_a_colleagues_diet_is_hers_and_not_the_owners(memory):
    keep(memory, "我同事林小满吃素，聚餐要给她留菜")
    keep(memory, "我自己无肉不欢，最爱牛腩煲")
    assert held(memory, "me", "diet") == []
    assert set(held(memory, "me", "likes")) == {("likes", "无肉不欢"), ("likes", "牛腩煲")}
    assert held(memory, "林小满") == [("diet", "素")]
    assert held(memory, "me", "colleague") == [("colleague", "林小满")]


def test_i_in_a_group_is_whoever_speaks(memory):
    for sender, text in (("guest-chen", "我对芒果过敏"), ("owner", "我对花生过敏")):
        keep(memory, text, sender=sender, chat="group", members=("owner", "guest-chen"))
    assert held(memory, "me") == [("allergic_to", "花生")]
    both = ("owner", "guest-chen")
    assert held(memory, "me", viewer=viewer("guest-chen", members=both)) == [("allergic_to", "芒果")]
    assert held(memory, "我", viewer=viewer("owner", members=both)) == [("allergic_to", "花生")]
    assert held(memory, "guest-chen") == [("allergic_to", "芒果")]


def test_two_guests_facts_never_meet(memory):
    keep(memory, "My locker code at the pool is 6042.", sender="ana", chat="dm-ana")
    keep(memory, "My locker at the pool is on the upper floor.", sender="bo", chat="dm-bo")
    assert [fact.value for fact in memory.graph.history(viewer=viewer("bo", "dm-bo"))] == ["upper floor"]
    assert [fact.value for fact in memory.graph.history(viewer=viewer("ana", "dm-ana"))] == ["6042"]


def test_two_people_of_one_name_stay_two(memory):
    keep(memory, "我是阿杰，我下周值班", sender="qq-1001", chat="group")
    keep(memory, "我也叫阿杰，我下周休假", sender="qq-2002", chat="group")
    assert len(memory.graph.entities("阿杰")) == 2
    assert [each for each in memory.graph.suggestions() if each.into_name == each.other_name == "阿杰"] == []


def test_who_is_asked_about_is_not_the_asker(memory):
    keep(memory, "Which invoices did Odalys Brandt approve in March?")
    keep(memory, "By the way, my name is Marek.")
    assert held(memory, "me") == [("name", "Marek")]
    assert held(memory, "Marek") == [("name", "Marek")]


@pytest.mark.parametrize("text", ["You live in Malta.", "你住在马耳他。"])
def test_whom_a_reply_speaks_to_is_nobody(memory, text):
    memory.keep(turn(user("Where do I live?"), reply(text)))
    memory.distil()
    assert memory.graph.facts() == []


def test_a_name_the_assistant_invents_is_no_fact(memory):
    memory.keep(turn(user("今天好累"), reply("辛苦啦，小栗子！"), at=day("05-13")))
    keep(memory, "别叫我小栗子，叫我阿澈", "05-15")
    assert held(memory, "me", "called") == [("called", "阿澈")]
    assert [fact.value for fact in memory.graph.history("me", "called") if fact.negative] == ["小栗子"]


def test_the_assistants_word_is_weaker_and_never_ends_the_users(memory):
    keep(memory, "备用钥匙在鞋柜第二层")
    memory.keep(turn(user("好"), reply("备用钥匙在花盆下面。"), at=day("05-02")))
    memory.distil()
    strong, weak = memory.graph.facts(subject="备用钥匙", relation="located_at")
    assert (strong.value, weak.value) == ("鞋柜第二层", "花盆下面")
    assert weak.confidence < 0.5 < strong.confidence


def test_what_somebody_else_says_of_me_does_not_end_my_own_word(memory):
    keep(memory, "我住在洛阳", sender="ana", chat="group", members=("ana", "bo"))
    keep(memory, "我住在无锡", "05-02", sender="bo", chat="group", members=("ana", "bo"))
    assert held(memory, "ana") == [("lives_in", "洛阳")]


# -- what held when --------------------------------------------------------------------------------------------------


def test_a_new_value_bounds_the_old_one_and_both_can_be_asked_for(memory):
    keep(memory, "服务器 SSH 端口是 2200", "05-01")
    keep(memory, "安全加固做完了，SSH 改走 47310，老口子已经关掉", "07-10")
    assert held(memory, "SSH") == [("value", "47310")]
    assert held(memory, "服务器 SSH 端口", at=day("06-01")) == [("value", "2200")]
    assert held(memory, "服务器 SSH 端口") == []
    before = memory.graph.before("服务器 SSH 端口", "value")
    assert before is not None
    assert (before.value, before.until) == ("2200", day("07-10"))


def test_a_denial_ends_what_it_denies(memory):
    keep(memory, "I drink coffee in the morning.", "01-10")
    keep(memory, "I do not drink coffee in the morning anymore, I switched to barley tea.", "04-10")
    assert held(memory, "me", "drinks") == [("drinks", "barley tea")]
    assert held(memory, "me", "drinks", at=day("02-01")) == [("drinks", "coffee")]


def test_a_slip_is_corrected_and_not_strengthened_by_being_retold(memory):
    keep(memory, "体检约在周四上午", "05-11")
    keep(memory, "说错了，体检是周五上午", "05-12")
    keep(memory, "今天我把体检记成周四，差点闹笑话", "05-13")
    assert held(memory, "体检") == [("scheduled", "周五上午")]


def test_what_was_called_off_is_planned_no_more(memory):
    keep(memory, "周六下午三点和魏棠打羽毛球", "05-18")
    assert held(memory, "me", "plans") == [("plans", "和魏棠打羽毛球")]
    keep(memory, "周六的羽毛球取消了，场馆检修", "05-21")
    assert held(memory, "me", "plans") == []


def test_three_values_in_a_row_each_hold_until_the_next(memory):
    for when, place in (("01-01", "Graz"), ("03-01", "Malmö"), ("06-01", "Porto")):
        keep(memory, f"I live in {place}.", when)
    assert [held(memory, "me", at=day(f"{month}-15")) for month in ("01", "04", "07")] == [
        [("lives_in", place)] for place in ("Graz", "Malmö", "Porto")
    ]
    assert [fact.until is None for fact in memory.graph.history("me", "lives_in")] == [False, False, True]


def test_a_stranger_can_not_end_what_was_not_said_in_front_of_him(memory):
    keep(memory, "备用钥匙在鞋柜第二层", "05-01")
    keep(memory, "备用钥匙在花盆下面", "05-02", sender="bo", chat="dm-bo")
    assert held(memory, "备用钥匙", viewer=viewer("owner", "home")) == [("located_at", "鞋柜第二层")]
    assert set(held(memory, "备用钥匙")) == {("located_at", "鞋柜第二层"), ("located_at", "花盆下面")}


def test_erasing_the_newer_value_brings_the_older_back(memory):
    keep(memory, "书房的无线密码提示是青柠", "05-26")
    newer = keep(memory, "书房的无线密码提示改成了zq雪梨", "05-27")
    assert held(memory, "书房的无线密码提示") == [("value", "zq雪梨")]
    memory.erase(newer)
    assert held(memory, "书房的无线密码提示") == [("value", "青柠")]
    assert tables_holding(memory.home.derived, "zq雪梨") == []


def test_a_fact_said_twice_is_one_fact_with_two_sayings(memory):
    for when in ("05-01", "05-02"):
        keep(memory, "My name is Marek.", when)
    (fact,) = memory.graph.facts(subject="me", relation="name")
    assert [saying.at for saying in fact.said] == [day("05-01"), day("05-02")]
    assert fact.confidence > 0.9
    assert [saying.span for saying in fact.said] == [(0, 17), (0, 17)]


def test_a_daughter_and_her_name_are_asked_for_alike(memory):
    keep(memory, "我女儿叫小满")
    keep(memory, "我女儿今年六岁")
    keep(memory, "小满喜欢恐龙")
    assert set(held(memory, "小满")) == set(held(memory, "我女儿")) == {("age", "六岁"), ("likes", "恐龙")}


def test_linked_senders_are_one_person(memory):
    memory.link("cli", "ana", "Ana")
    memory.link("mail", "ana@x", "Ana")
    keep(memory, "I live in Graz.", sender="ana", chat="a")
    keep(memory, "I like fennel.", sender="ana@x", chat="b", channel="mail")
    assert set(held(memory, "ana")) == {("lives_in", "Graz"), ("likes", "fennel")}
    memory.unlink("mail", "ana@x")
    assert held(memory, "ana") == [("lives_in", "Graz")]


# -- what may be computed --------------------------------------------------------------------------------------------


def test_a_hidden_output_gives_no_facts_and_gives_them_when_it_is_shown(memory):
    memory.set_policies({"look": HIDDEN})
    memory.keep(turn(tool("主机 nova 的系统盘是 512GB 固态硬盘"), at=day("05-01")))
    memory.distil()
    assert memory.graph.facts() == []
    memory.set_policies({"look": None})
    memory.distil()
    assert [fact.value for fact in memory.graph.facts()] == ["512GB 固态硬盘"]
    memory.set_policies({"look": HIDDEN})
    assert memory.graph.facts() == []


def test_a_forgotten_turn_gives_no_facts_until_it_is_taken_back(memory):
    kept = keep(memory, "I live in Graz.")
    memory.forget(kept)
    assert memory.graph.history() == []
    memory.undo(kept)
    memory.distil()
    assert held(memory, "me") == [("lives_in", "Graz")]


def test_facts_have_the_same_ids_after_a_rebuild(memory):
    keep(memory, "我同事林小满吃素")
    memory.graph.commit_fact("me", "likes", "龙井")
    before = [(fact.fact, fact.subject, fact.object) for fact in memory.graph.history()]
    memory.rebuild()
    assert [(fact.fact, fact.subject, fact.object) for fact in memory.graph.history()] == before
    assert memory.rebuild(verify=True).equal


# -- what is written on purpose --------------------------------------------------------------------------------------


def test_a_committed_fact_is_an_event_and_beats_what_was_said(memory):
    keep(memory, "I live in Graz.", "05-01")
    memory.graph.commit_fact("me", "lives_in", "Malmö")
    assert held(memory, "me") == [("lives_in", "Malmö")]
    assert memory.counts()["write"] == 1
    with pytest.raises(InputError, match="not known"):
        memory.graph.commit_fact("me", "eye colour", "green")
    with pytest.raises(InputError, match="no value"):
        memory.graph.commit_fact("me", "likes", " ")


def test_an_edited_fact_no_longer_counts_and_stays_askable(memory):
    keep(memory, "I live in Graz.")
    (wrong,) = memory.graph.facts(subject="me")
    memory.graph.edit_fact(wrong.fact, "Malmö")
    assert held(memory, "me") == [("lives_in", "Malmö")]
    assert [fact.value for fact in memory.graph.history("me") if fact.retracted] == ["Graz"]
    keep(memory, "I live in Graz.", "12-30")
    assert ("lives_in", "Graz") in held(memory, "me", at=day("12-31"))
    memory.graph.edit_fact(wrong.fact, None)
    assert ("lives_in", "Graz") not in held(memory, "me", at=day("12-31"))
    with pytest.raises(NotFoundError):
        memory.graph.edit_fact("f00", "x")
    assert memory.rebuild(verify=True).equal


def test_a_fact_written_in_a_turn_is_seen_by_who_was_there_and_goes_with_the_turn(memory):
    kept = keep(memory, "remember that", sender="ana", chat="dm-ana")
    memory.graph.commit_fact("me", "likes", "quincemarker", turn=memory.find(kept))
    assert held(memory, "me", viewer=viewer("ana", "dm-ana")) == [("likes", "quincemarker")]
    assert memory.graph.facts(viewer=viewer("bo", "dm-bo")) == []
    memory.erase(kept)
    assert memory.graph.history() == []
    assert tables_holding(memory.home.derived, "quincemarker") == []


def test_a_fact_written_outside_of_turns_is_the_owners_alone(memory):
    keep(memory, "hello", sender="ana", chat="dm-ana")
    memory.graph.commit_fact("me", "likes", "fennel")
    assert memory.graph.facts(viewer=viewer("ana", "dm-ana")) == []
    assert held(memory, "me", viewer=viewer("owner", "home", ("owner",))) == [("likes", "fennel")]
    assert memory.graph.facts(viewer=viewer("owner", "group", ("owner", "ana"))) == []


def test_a_merge_joins_two_entities_and_can_be_taken_back(memory):
    keep(memory, "Odalys Brandt is my dentist.")
    keep(memory, "Odalys likes fennel.")
    (suggested,) = [
        each for each in memory.graph.suggestions() if {each.into_name, each.other_name} == {"Odalys Brandt", "Odalys"}
    ]
    event = memory.graph.merge_entities(suggested.into, suggested.other)
    assert held(memory, "Odalys Brandt") == [("likes", "fennel")]
    (entity,) = memory.graph.entities("Odalys")
    assert set(entity.names) == {"Odalys Brandt", "Odalys"}
    assert {saying.text for fact in memory.graph.facts(subject="Odalys") for saying in fact.said} == {
        "Odalys likes fennel."
    }
    memory.graph.unmerge(event)
    assert held(memory, "Odalys Brandt") == []
    with pytest.raises(NotFoundError):
        memory.graph.unmerge(1)
    with pytest.raises(NotFoundError):
        memory.graph.merge_entities(suggested.into, "e00")


# -- whom a text means -----------------------------------------------------------------------------------------------


def test_my_sister_is_who_i_named_so_and_nobody_elses(memory):
    keep(memory, "My sister Ottoline lives in Bergen.")
    keep(memory, "My sister lives in Turin.", sender="ann", chat="group", members=("ann", "owner"))
    keep(memory, "My sister Gwen likes fennel.", sender="ann", chat="group", members=("ann", "owner"))
    assert held(memory, "my sister") == held(memory, "我妹妹") == [("lives_in", "Bergen")]
    both = ("ann", "owner")
    assert set(held(memory, "my sister", viewer=viewer("ann", members=both))) == {
        ("lives_in", "Turin"),
        ("likes", "fennel"),
    }
    memory.graph.commit_fact("my sister", "likes", "skiing")
    assert ("likes", "skiing") in held(memory, "Ottoline")


def test_my_things_are_not_anothers(memory):
    keep(memory, "My bike is in the garage.")
    keep(memory, "My bike is in the hall.", sender="ann", chat="group", members=("ann", "owner"))
    assert held(memory, "my bike", "located_at") == [("located_at", "garage")]
    assert held(memory, "我的bike", "located_at") == [("located_at", "garage")]


def test_the_owner_is_the_owner_whoever_asks(memory):
    keep(memory, "I live in Graz.", chat="group", members=("ann", "owner"))
    keep(memory, "I live in Oslo.", sender="ann", chat="group", members=("ann", "owner"))
    asks = viewer("ann", members=("ann", "owner"))
    assert held(memory, "owner", viewer=asks) == [("lives_in", "Graz")]
    assert held(memory, "me", viewer=asks) == [("lives_in", "Oslo")]


def test_a_written_fact_goes_to_who_has_that_name_and_a_name_of_two_is_refused(memory):
    keep(memory, "我叫阿杰，我喜欢足球", sender="qq-1", chat="group", members=("owner", "qq-1", "qq-2"))
    memory.graph.commit_fact("阿杰", "age", "30")
    assert ("age", "30") in held(memory, "me", viewer=viewer("qq-1", "dm-qq-1")) or held(memory, "qq-1", "age")
    keep(memory, "我叫阿杰，我喜欢篮球", sender="qq-2", chat="group", members=("owner", "qq-1", "qq-2"))
    with pytest.raises(InputError, match="several") as refused:
        memory.graph.commit_fact("阿杰", "age", "31")
    assert all(each.entity in refused.value.next_step for each in memory.graph.entities("阿杰"))


def test_a_fact_of_a_forgotten_turn_or_write_is_gone_until_it_is_brought_back(memory):
    kept = keep(memory, "remember that")
    memory.graph.commit_fact("Ada", "likes", "fennel", turn=memory.find(kept))
    wrong = memory.graph.commit_fact("Ada", "likes", "soup")
    memory.graph.edit_fact(wrong, "stew", turn=memory.find(kept))
    assert set(held(memory, "Ada")) == {("likes", "fennel"), ("likes", "stew")}
    memory.forget(kept)
    assert held(memory, "Ada") == [("likes", "soup")], "the correction was forgotten with its turn"
    assert memory.rebuild(verify=True).equal
    memory.undo(kept)
    memory.distil()
    assert set(held(memory, "Ada")) == {("likes", "fennel"), ("likes", "stew")}
    memory.rebuild()
    assert set(held(memory, "Ada")) == {("likes", "fennel"), ("likes", "stew")}


def test_other_rules_read_everything_again(tmp_path):
    home = tmp_path / "home"
    with opened(home) as memory:
        keep(memory, "I live in Oslo now.")
        memory.graph.commit_fact("me", "likes", "fennel")
        change(memory.home.derived, "DELETE FROM fact")
    with opened(home) as memory:
        memory.distil()
        assert memory.graph.facts() == [], "nothing is read twice"
        change(memory.home.derived, "UPDATE meta SET value = 'distil-0' WHERE key = 'rules'")
    with opened(home) as memory:
        memory.distil()
        assert set(held(memory, "me")) == {("lives_in", "Oslo"), ("likes", "fennel")}
        memory.rebuild()
        change(memory.home.derived, "DELETE FROM fact")
    with opened(home) as memory:
        memory.distil()
        assert memory.graph.facts() == [], "a rebuild has used these rules"
