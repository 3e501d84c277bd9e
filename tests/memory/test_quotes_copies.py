"""How much of a hidden text makes a copy of it, to the character; with one fixed secret, as hashes have their luck."""

from __future__ import annotations

from contextlib import closing
from difflib import SequenceMatcher

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from homeagent.memory.door.copies import Copyable, fold_for_copies, sketch_of
from homeagent.memory.door.quotes import Quotes
from homeagent.memory.store.sqlite.derived import SqliteDerived
from tests.memory.worlds import temporary_home

CHAT = 7


class Chat:
    """One chat of which some texts are hidden or its people's own; `left` says what of a reply is no copy."""

    def __init__(self, derived):
        self._derived = derived
        self._quotes = Quotes(derived, b"a secret that is always the same")
        self._at = 0

    def hide(self, *texts, tokens=(), own=False):
        self._at += 1
        sketch = sketch_of(Copyable(texts, tokens), self._quotes.salt(CHAT))
        self._derived.add_sketch(CHAT, self._at, sketch, own=own)

    def cuts(self, reply):
        return self._quotes.find(reply, CHAT, self._at + 1)

    def left(self, reply):
        """The reply with every copied part as one mark."""
        for start, end in reversed(self.cuts(reply)):
            reply = f"{reply[:start]}■{reply[end:]}"
        return reply


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    with closing(SqliteDerived(tmp_path_factory.mktemp("quotes") / "derived.db")) as derived:
        yield derived


@pytest.fixture
def chat(derived):
    for table in ("copied_run", "copied_unit"):
        with derived.transaction() as connection:
            connection.execute(f"DELETE FROM {table}")  # noqa: S608
    return Chat(derived)


@pytest.mark.parametrize("before", range(13))
def test_a_run_of_twelve_characters_is_a_copy_wherever_it_stands(chat, before):
    chat.hide(f"{'uvw xyz ' * 3}"[: 2 * before] + " abc defghi jkl")
    assert chat.left("No: abc defghi jkl!") == "No: ■!"


@pytest.mark.parametrize("before", range(13))
def test_a_run_of_eleven_characters_is_none(chat, before):
    chat.hide(f"{'uvw xyz ' * 3}"[: 2 * before] + " abc defgh jkl qqqq")
    assert chat.left("No: abc defgh jkl!") == "No: abc defgh jkl!"


@pytest.mark.parametrize(
    ("line", "copied"),
    [("abcdefgh", True), ("ab cd ef gh", True), ("abcdefg", False), ("abc defg", False), ("钥匙在花盆下面哦", True)],
)
def test_a_whole_line_of_eight_characters_is_a_copy_and_of_seven_is_none(chat, line, copied):
    chat.hide(f"first\n{line}\nlast")
    assert chat.left(f"So:\n{line}\nYes.") == ("So:\n■\nYes." if copied else f"So:\n{line}\nYes.")


@pytest.mark.parametrize("line", ["abcdefgh", "abc def ghij"])
def test_a_line_is_a_copy_at_the_beginning_and_at_the_end_too(chat, line):
    chat.hide(line)
    assert chat.left(line) == "■"
    assert chat.left(f"{line}\nYes.") == "■\nYes."
    assert chat.left(f"So:\n{line}") == "So:\n■"


@pytest.mark.parametrize(
    ("token", "copied"),
    [
        ("a1b2c3d4", True),
        ("A1b2C3d4", True),
        ("abcdefg8", True),
        ("1234567x", True),
        ("a1b2c3d", False),
        ("abcdefgh", False),
        ("12345678", False),
        ("sk-a1b2c3", True),
        ("x_1_y_2_z", True),
        ("a1/b2/c3", True),
    ],
)
def test_an_opaque_token_of_eight_mixed_characters_is_a_copy_and_other_words_are_none(chat, token, copied):
    chat.hide(f"the key is {token} for you")
    assert chat.left(f"Use {token} now.") == ("Use ■ now." if copied else f"Use {token} now.")


@pytest.mark.parametrize(
    "written",
    [
        *(
            "`{}`",
            "**{}**",
            "_{}_",
            '"{}"',
            "“{}”",
            "「{}」",
            "({})",
            "[{}]",
            "<{}>",
            "{}.",
            "{},",
            "{}:",
            "key={}",
            "键是{}。",
        ),
        *("#{}", "@{}", "https://example.org/{}", "https://example.org/?id={}&x=1", "{}/other", "a/{}", "{}\n", "\t{}"),
    ],
)
def test_a_token_is_a_copy_whatever_stands_around_it(chat, written):
    chat.hide("the id is q7w8e9r0 here")
    assert "q7w8e9r0" not in chat.left(f"So {written.format('q7w8e9r0')} it is")
    assert "q7w8e9r0" not in chat.left(f"So {written.format('Q7W8E9R0')} it is").lower()


@pytest.mark.parametrize(
    "hidden",
    ["id=q7w8e9r0", "/a/q7w8e9r0/b", "<q7w8e9r0>", '{"id":"q7w8e9r0"}', "x-q7w8e9r0-y", "q7\x1b[1mw8e9\x1b[0mr0"],
)
def test_a_token_is_a_copy_wherever_it_was_taken_from(chat, hidden):
    chat.hide(f"see {hidden} there")
    assert chat.left("It is q7w8e9r0.") == "It is ■."


LONG = "the quick violet zebra jumps over seven lazy judges"
WRITTEN = {
    "as it stands": LONG,
    "code fence": f"```text\n{LONG}\n```",
    "inline code": f"`{LONG}`",
    "quoted": f"> {LONG}",
    "quoted twice": f"> > {LONG}",
    "quotation marks": f"“{LONG}”",
    "corner brackets": f"「{LONG}」",
    "bold": f"**{LONG}**",
    "bold words": " ".join(f"**{word}**" for word in LONG.split()),
    "line number": f"12: {LONG}",
    "line number and bar": f"   7 | {LONG}",
    "line number and tab": f"7\t{LONG}",
    "wrapped": LONG.replace(" ", "\n"),
    "wrapped and quoted": "> " + LONG.replace(" ", "\n> "),
    "wrapped in the middle of a word": LONG.replace("zebra", "ze\nbra"),
    "wide spaces": LONG.replace(" ", "\u3000 \u00a0"),
    "no spaces": LONG.replace(" ", ""),
    "upper case": LONG.upper(),
    "full width": LONG.translate({code: code + 0xFEE0 for code in range(33, 127)}),
    "invisible characters": "\u200b".join(LONG),
    "colours": LONG.replace("zebra", "\x1b[1;31mze\x1b[0mbra"),
    "list item": f"- {LONG}",
    "table": f"| {LONG} |",
    "control characters": LONG.replace(" ", "\x07 "),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(
    "hidden", [LONG, f"first line\n{LONG}\nlast line", LONG.upper(), "\x1b[32m".join(LONG.split(" "))]
)
def test_a_copy_is_known_however_it_is_written(chat, name, hidden):
    chat.hide(hidden)
    left = chat.left(f"It says:\n{WRITTEN[name]}\nand I agree.")
    folded = fold_for_copies(left).text
    for word in ("violet", "zebra", "jumps", "seven", "lazy"):
        assert word not in folded
    assert left.startswith("It says:\n")
    assert left.endswith("\nand I agree.")


SHORT = "abcdef\nghijkl\nmnopqr\nstuvwx"


@pytest.mark.parametrize(
    "written", [SHORT, SHORT.replace("\n", "\n> "), f"```\n{SHORT}\n```", SHORT.replace("\n", " ")]
)
def test_lines_that_are_short_each_are_a_copy_together(chat, written):
    chat.hide(f"first\n{SHORT}\nlast")
    assert "ghijkl" not in chat.left(f"So it is:\n{written}\nDone")


def test_short_lines_with_their_numbers_are_a_copy_together(chat):
    chat.hide(f"first\n{SHORT}\nlast")
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(SHORT.split("\n"), 1))
    assert "ghijkl" not in chat.left(f"So it is:\n{numbered}\nDone")


@pytest.mark.parametrize(
    "written", ["ｑ７ｗ８ｅ９ｒ０", "q7w8\x1b[1me9r0", "q7w8\u200be9r0", "q7w8`e9r0", "q7w8\ne9r0"]
)
def test_a_short_token_is_a_copy_however_it_is_written(chat, written):
    chat.hide("the id is q7w8e9r0 here")
    assert "9" not in fold_for_copies(chat.left(f"It is {written} then")).text


@pytest.mark.parametrize("written", ["Say qzxvbnmlkjhgfs now", "Say reqzxvbnmlkjhgf now", "xylophone quartzes"])
def test_a_run_of_twelve_is_a_copy_inside_longer_words_too(chat, written):
    chat.hide("the word is qzxvbnmlkjhgf here", "ylophone quartz")
    left = chat.left(written)
    assert "qzxvbnmlkjhgf" not in left
    assert "ylophone quartz" not in left


@pytest.mark.parametrize(
    "hidden",
    [
        '{"text": "line one is here\\nline two is there", "n": 1}',
        '["\\u94a5\\u5319\\u5728\\u82b1\\u76c6\\u4e0b\\u9762\\uff0c\\u522b\\u544a\\u8bc9\\u522b\\u4eba", "line one is here\\nline two is there"]',
        '"\\u94a5\\u5319\\u5728\\u82b1\\u76c6\\u4e0b\\u9762\\uff0c\\u522b\\u544a\\u8bc9\\u522b\\u4eba \\nline one is here\\nline two is there"',
        '{"a": [{"b": "say \\"line one is here\\" and \\"line two is there\\" \\t"}]}',
    ],
    ids=["object", "list", "string", "nested"],
)
def test_what_stands_in_json_with_escapes_is_a_copy_when_it_is_read_out(chat, hidden):
    chat.hide(hidden)
    left = chat.left("It says line one is here and line two is there. 钥匙在花盆下面，别告诉别人")
    assert "line one" not in left
    assert "line two" not in left
    assert "\\u94a5" not in hidden or "钥匙" not in left


@pytest.mark.parametrize(
    "around", ["{} trunca", "Result: {}", "{}\n{}"], ids=["cut off", "words before", "lines of JSON"]
)
def test_what_stands_in_broken_json_with_escapes_is_a_copy_when_it_is_read_out(chat, around):
    value = '{"text": "\\u94a5\\u5319\\u5728\\u82b1\\u76c6\\u4e0b\\u9762\\uff0c\\u522b\\u544a\\u8bc9\\u522b\\u4eba"}'
    chat.hide(around.replace("{}", value))
    assert "钥匙" not in chat.left("它说：钥匙在花盆下面，别告诉别人")


def test_what_people_wrote_themselves_is_no_copy(chat):
    chat.hide(f"I typed {LONG} myself and a1b2c3d4 too\nabc defg h", own=True)
    chat.hide(f"{LONG}\na1b2c3d4\nabc defg h")
    said = f"You said {LONG} and a1b2c3d4.\nabc defg h"
    assert chat.left(said) == said


def test_of_a_run_that_people_wrote_in_part_only_the_other_part_is_a_copy(chat):
    chat.hide("was it a quick violet zebra?", own=True)
    chat.hide(LONG)
    left = chat.left(f"Yes: {LONG}")
    assert "quick violet zebra" in left
    assert "jumps over seven" not in left


def test_what_was_written_after_the_reply_makes_nothing_in_it_their_own(chat):
    chat.hide(LONG)
    assert chat.left(LONG) == "■"
    chat.hide(LONG, own=True)
    assert chat._quotes.find(LONG, CHAT, 2) == ((0, len(LONG)),)
    assert chat._quotes.find(LONG, CHAT, 3) == ()


def test_of_a_text_with_tokens_only_the_tokens_are_copies(chat):
    chat.hide(tokens=("a1b2c3d4",))
    assert chat.left(f"{LONG} and a1b2c3d4") == f"{LONG} and ■"


def test_another_chat_has_its_own_hashes(chat):
    chat.hide(f"{LONG}\na1b2c3d4\nabc defg h")
    assert chat._quotes.find(f"{LONG}\na1b2c3d4\nabc defg h", CHAT + 1, 99) == ()


LETTERS = st.sampled_from("甲乙丙丁戊己庚辛壬癸子丑寅卯")
HIDDEN_TEXTS = st.lists(st.text(LETTERS, min_size=1, max_size=20), min_size=1, max_size=5).map(" ".join)


@given(HIDDEN_TEXTS, st.data())
@settings(max_examples=60, deadline=None)
def test_any_piece_of_twelve_or_more_characters_is_cut_out_whole(hidden, data):
    assume(len(fold_for_copies(hidden).text) >= 12)
    start = data.draw(st.integers(0, len(hidden) - 12))
    end = data.draw(st.integers(start + 12, len(hidden)))
    piece = hidden[start:end].strip()
    assume(len(fold_for_copies(piece).text) >= 12)
    wrap = data.draw(st.sampled_from(["", "\n", "\n> ", "`", "　"]))
    written = piece[:6] + wrap + piece[6:]
    with temporary_home() as home, closing(SqliteDerived(home.parent / "derived.db")) as derived:
        chat = Chat(derived)
        chat.hide(hidden)
        reply = f"Before. {written} After!"
        cut = {place for low, high in chat.cuts(reply) for place in range(low, high)}
        copied = [place for place, letter in enumerate(reply) if letter in piece and not letter.isspace()]
        assert [reply[place] for place in copied if place not in cut] == []


@given(st.text(LETTERS, max_size=60), st.text(LETTERS, max_size=60))
@settings(max_examples=60, deadline=None)
def test_texts_that_share_less_than_ten_characters_are_no_copies(hidden, reply):
    match = SequenceMatcher(None, hidden, reply, autojunk=False).find_longest_match()
    assume(match.size < 10)
    with temporary_home() as home, closing(SqliteDerived(home.parent / "derived.db")) as derived:
        chat = Chat(derived)
        chat.hide(f"x{hidden}y")
        assert chat.cuts(reply) == ()
