"""A memory lives through anything, in any order; after each step raw is what was said and nothing hidden is computed."""

from __future__ import annotations

import hashlib
import json
import textwrap
from contextlib import ExitStack
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from homeagent.memory.text.fold import fold_text
from homeagent_sdk import CleanerError
from tests.memory.worlds import (
    HIDDEN,
    PLAIN,
    LetterEmbedder,
    cleaned,
    computed_texts,
    index_terms,
    opened,
    raw_segments,
    reply,
    stored_values,
    temporary_home,
    tool,
    turn,
    user,
)

LETTERS = st.characters(exclude_categories=())
TEXTS = st.text(LETTERS, max_size=20)
CHATS = st.sampled_from(["home", "club"])
TOOLS = ("look", "read", "memory_recall")
POLICIES = {
    "none": None,
    "plain": PLAIN,
    "hidden": HIDDEN,
    "field": cleaned("json(content)"),
    "fails": cleaned("json(nowhere)"),
    "head": cleaned("head(30)"),
    "empty": cleaned('regex("(?s).*","")'),
    "lines": cleaned("lines(2,2)"),
}
CHANNEL_POLICIES = {"none": None, "hidden": HIDDEN, "head": cleaned("head(3)"), "fails": cleaned("json(a)")}


@dataclass
class Secret:
    """An output of a tool, or a message marked no_memory, made of words that occur nowhere else."""

    chat: str
    tool: str | None
    error: bool
    words: tuple[str, ...]
    arguments: tuple[str, ...]
    text: str
    quoted: bool = False
    pinned: bool = False

    @property
    def token(self):
        return self.words[-1]


def nonsense(number):
    """A word of nine letters that nothing else holds, and that no stemmer shortens."""
    digest = hashlib.blake2b(str(number).encode(), digest_size=9).digest()
    return "".join("bcfhjkmpqrtvwxz"[byte % 15] for byte in digest)


QUOTES = {
    "token": lambda secret: f"The key is `{secret.token}`, I think.",
    "run": lambda secret: f"It says {' '.join(secret.words)} and no more.",
    "line": lambda secret: f"So:\n{' '.join(secret.words)}\nThat is all.",
    "fence": lambda secret: f"```json\n{secret.text}\n```",
    "numbers": lambda secret: "\n".join(f"{n:4d}\t{line}" for n, line in enumerate(secret.text.split("\n"), 1)),
    "wrapped": lambda secret: "> " + "\n> ".join(textwrap.wrap(" ".join(secret.words), 24)),
    "arguments": lambda secret: f"I asked for {' '.join(secret.arguments) or 'nothing'}.",
    "upper": lambda secret: f"IT SAYS {' '.join(secret.words).upper()} AND NO MORE",
}


@dataclass
class Kept:
    chat: str
    segments: list = field(default_factory=list)
    secrets: list = field(default_factory=list)
    copies: bool = False
    forgotten: bool = False
    erasable: bool = True


class Life(RuleBasedStateMachine):
    """One home with two chats and three tools, and somebody who can't make up his mind."""

    @initialize(vectors=st.booleans())
    def begin_life(self, vectors):
        self.stack = ExitStack()
        self.home = self.stack.enter_context(temporary_home())
        self.embedder = LetterEmbedder() if vectors else None
        self.memory = opened(self.home, self.embedder)
        self.kept, self.open, self.secrets = {}, {}, []
        self.policies, self.channel, self.renamed, self.made = dict.fromkeys(TOOLS, "none"), "none", False, 0
        for chat in ("home", "club"):
            self._keep(Kept(chat, [user(f"welcome to {chat}")], erasable=False))

    # -- what can be said ----------------------------------------------------------------------------------------

    def _new_words(self, count):
        self.made += count
        return tuple(nonsense(self.made - number) for number in range(count))

    def _secret(self, chat, name, error):
        first, second, third, fourth, token = self._new_words(5)
        words = (first, second, f"{token[:5]}{self.made}{token[5:]}7")
        text = json.dumps({"content": first, "note": second, "line": " ".join(words)}, indent=1)
        return Secret(chat, name, error, words, (third, fourth) if name else (), text)

    def _segments(self, data, chat):
        """Some segments for a turn in this chat, the secrets among them, and whether a reply copies something."""
        turn_of = Kept(chat)
        for kind in data.draw(st.lists(st.sampled_from(["user", "tool", "reply", "quote", "marked"]), max_size=4)):
            match kind:
                case "user":
                    turn_of.segments.append(user(data.draw(TEXTS)))
                case "reply":
                    turn_of.segments.append(reply(data.draw(st.sampled_from(["Yes.", "My own words", "别的"]))))
                case "tool":
                    secret = self._secret(chat, data.draw(st.sampled_from(TOOLS)), data.draw(st.booleans()))
                    arguments = json.dumps({"q": " ".join(secret.arguments)})
                    turn_of.segments.append(tool(secret.text, secret.tool, arguments=arguments, error=secret.error))
                    turn_of.secrets.append(secret)
                case "marked":
                    secret = self._secret(chat, None, error=False)
                    turn_of.segments.append(user(secret.text, no_memory=True))
                    turn_of.secrets.append(secret)
                case "quote":
                    known = [
                        each for each in (*self.secrets, *turn_of.secrets) if each.chat == chat and not each.pinned
                    ]
                    if known:
                        secret = data.draw(st.sampled_from(known))
                        secret.quoted = turn_of.copies = True
                        name = data.draw(st.sampled_from(sorted(QUOTES)))
                        turn_of.segments.append(reply(QUOTES[name](secret)))
        return turn_of

    def _keep(self, turn_of):
        self.kept[self.memory.keep(turn(*turn_of.segments, chat=turn_of.chat))] = turn_of
        self.secrets += turn_of.secrets

    @rule(data=st.data(), chat=CHATS)
    def keep(self, data, chat):
        self._keep(self._segments(data, chat))

    @precondition(lambda self: len(self.open) < 2)
    @rule(data=st.data(), chat=CHATS)
    def begin(self, data, chat):
        turn_of = self._segments(data, chat)
        self.open[self.memory.begin(turn(*turn_of.segments, chat=chat))] = turn_of
        self.secrets += turn_of.secrets

    @precondition(lambda self: self.open)
    @rule(data=st.data(), ask=st.booleans())
    def append(self, data, ask):
        turn_id = data.draw(st.sampled_from(sorted(self.open)))
        turn_of, more = self.open[turn_id], self._segments(data, self.open[turn_id].chat)
        for segment in more.segments:
            self.memory.append(turn_id, segment)
        turn_of.segments += more.segments
        turn_of.secrets += more.secrets
        turn_of.copies |= more.copies
        self.secrets += more.secrets
        if ask:
            self.memory.recall("welcome")

    @precondition(lambda self: self.open)
    @rule(data=st.data(), status=st.sampled_from(["done", "failed", "interrupted"]))
    def close(self, data, status):
        turn_id = data.draw(st.sampled_from(sorted(self.open)))
        self.memory.close(turn_id, status)
        self.kept[turn_id] = self.open.pop(turn_id)

    # -- what can be done about it -------------------------------------------------------------------------------

    @rule(name=st.sampled_from(TOOLS), policy=st.sampled_from(sorted(POLICIES)))
    def set_policy(self, name, policy):
        names = [name] if name == "memory_recall" or not self.renamed else ["look", "read"]
        self._unmoved(lambda: self.memory.set_policies(dict.fromkeys(names, POLICIES[policy])))
        self.policies |= dict.fromkeys(names, policy)

    @rule(policy=st.sampled_from(sorted(CHANNEL_POLICIES)))
    def set_channel_policy(self, policy):
        self._unmoved(lambda: self.memory.set_policies({"cli": CHANNEL_POLICIES[policy]}, kind="channel"))
        self.channel = policy

    @rule(policies=st.dictionaries(st.sampled_from(TOOLS), st.sampled_from(sorted(POLICIES)), max_size=2))
    def try_policies(self, policies):
        before = list(self.memory.all_computed()), self.memory.counts()
        self._unmoved(lambda: self.memory.try_policies({name: POLICIES[each] for name, each in policies.items()}))
        assert (list(self.memory.all_computed()), self.memory.counts()) == before

    @precondition(lambda self: not self.renamed)
    @rule(policy=st.sampled_from(sorted(POLICIES)))
    def rename(self, policy):
        self.renamed = True
        self._unmoved(lambda: self.memory.rename_tool("look", "read"))
        self.set_policy("look", policy)

    @rule(name=st.sampled_from(TOOLS))
    def remove_tool(self, name):
        self._unmoved(lambda: self.memory.remove_tool(name))

    @rule()
    def archive(self):
        self._unmoved(self.memory.archive)

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def forget_or_undo(self, data):
        name = data.draw(st.sampled_from(sorted(self.kept)))
        self._unmoved(lambda: (self.memory.undo if self.kept[name].forgotten else self.memory.forget)(name))
        self.kept[name].forgotten = not self.kept[name].forgotten

    @precondition(lambda self: any(each.erasable for each in self.kept.values()))
    @rule(data=st.data())
    def erase(self, data):
        name = data.draw(st.sampled_from([name for name, each in self.kept.items() if each.erasable]))
        self.memory.erase(name)
        for secret in self.kept.pop(name).secrets:
            if self._hidden_words(secret) >= set(secret.words):
                secret.pinned = True
            else:
                self.secrets.remove(secret)

    @rule()
    def rebuild(self):
        self._unmoved(self.memory.rebuild)

    @rule()
    def restart(self):
        before = self.memory.digest()
        self.memory.shutdown()
        self.memory = opened(self.home, self.embedder)
        assert self.memory.digest() == before
        self.kept |= self.open
        self.open = {}

    @rule()
    def verify(self):
        assert self.memory.rebuild(verify=True).differences == ()

    def _unmoved(self, act):
        before = self.memory.digest()
        act()
        assert self.memory.digest() == before

    # -- what must hold ------------------------------------------------------------------------------------------

    @invariant()
    def raw_is_what_was_said(self):
        for name, turn_of in (self.kept | self.open).items():
            assert raw_segments(self.memory, name) == turn_of.segments

    def _hidden_words(self, secret):
        """The words of a secret that must be in no computed row, by the rules as one reads them."""
        everything = {*secret.words, *secret.arguments}
        policy = POLICIES[self.policies[secret.tool]] if secret.tool else HIDDEN
        if secret.pinned or secret.tool == "memory_recall":
            return set(secret.words) if secret.pinned else everything
        if policy is None or policy == PLAIN:
            return set()
        if policy == HIDDEN:
            return everything
        cleaner = policy.cleaner.for_error_output() if secret.error else policy.cleaner
        try:
            text = cleaner(secret.text) if cleaner is not None else secret.text
        except CleanerError:
            return set(secret.words)
        gone = {word for word in secret.words if word not in text}
        return gone & {secret.token} if secret.quoted else gone

    @invariant()
    def nothing_hidden_is_computed(self):
        self.memory.settle()
        hidden = {word for secret in self.secrets for word in self._hidden_words(secret)}
        values = {}
        for table, text in stored_values(self.memory.home.derived):
            values.setdefault(table, []).append(text)
        stored = {table: "\n".join(texts) for table, texts in values.items()}
        held = [
            (word, table) for word in sorted(hidden) for table, text in stored.items() if fold_text(word)[2:] in text
        ]
        assert held == []
        assert not {fold_text(word) for word in hidden} & index_terms(self.memory.home.derived)

    @invariant()
    def what_is_not_hidden_is_computed(self):
        for name, turn_of in self.kept.items():
            texts = computed_texts(self.memory, name)
            if turn_of.forgotten:
                assert texts == [""] * len(turn_of.segments)
                continue
            for segment, text in zip(turn_of.segments, texts, strict=True):
                if segment.role == "user" and not segment.no_memory and self.channel in ("none", "hidden"):
                    assert text == (segment.text if self.channel == "none" else "")
                if segment.role == "tool" and self.policies[segment.tool] in ("none", "plain"):
                    assert segment.text in text or segment.tool == "memory_recall"
            if not turn_of.copies:
                replies = [row for row in zip(turn_of.segments, texts, strict=True) if row[0].role == "assistant"]
                assert [text for _, text in replies] == [segment.text for segment, _ in replies]

    def teardown(self):
        if not hasattr(self, "memory"):
            return
        try:
            assert self.memory.rebuild(verify=True).differences == ()
        finally:
            self.memory.shutdown()
            self.stack.close()


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
