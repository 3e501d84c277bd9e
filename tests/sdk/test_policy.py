from __future__ import annotations

import dataclasses

import pytest

from homeagent_sdk import DeclarationError, MemoryPolicy, head


def test_a_policy_is_plain_without_arguments() -> None:
    assert MemoryPolicy() == MemoryPolicy(no_memory=False, cleaner=None)


def test_no_memory_and_a_cleaner_contradict_each_other() -> None:
    with pytest.raises(DeclarationError) as caught:
        MemoryPolicy(no_memory=True, cleaner=head(5))
    assert str(caught.value) == (
        "MemoryPolicy: no_memory and cleaner contradict each other: what is never computed needs no cleaning. "
        "Keep one of the two"
    )


def test_only_a_cleaner_is_taken_as_cleaner() -> None:
    with pytest.raises(DeclarationError) as caught:
        MemoryPolicy(cleaner="head(5)")  # type: ignore[arg-type]
    assert str(caught.value) == (
        'MemoryPolicy: cleaner is a str, not a Cleaner. Write parse_cleaner("json(content)") or function_cleaner(clean)'
    )


def test_no_memory_is_true_or_false() -> None:
    with pytest.raises(DeclarationError, match="no_memory is 1"):
        MemoryPolicy(no_memory=1)  # type: ignore[arg-type]


def test_a_policy_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        MemoryPolicy().no_memory = True  # type: ignore[misc]
