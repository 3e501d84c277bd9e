"""Secrets of a known shape are masked; ordinary sentences and numbers are left as they are."""

from __future__ import annotations

import itertools
import logging
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.masking import MaskingFilter, masked, masked_terms, secrets_in

KEY = "".join(["MIIEvQIBADANBg", "kqhkiG9w0BAQEFAASC"])
CASES = [
    ("my key is sk-" + "proj-abcDEF1234567890xyz", "api-key"),
    ("token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "api-key"),
    ("AKIA" + "IOSFODNN7EXAMPLE in the file", "api-key"),
    ("AIza" + "SyA1234567890abcdefghijklmnopqrstuv", "api-key"),
    ("xoxb-" + "1234567890-abcdefgh", "api-key"),
    (f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----", "private-key"),
    (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}", "private-key"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "jwt"),
    ("Authorization: Bearer abcdef0123456789abcdef", "bearer-token"),
    ("postgres://robin:hunter2@db.example.org/home", "connection"),
    ("The wifi password is BlueHeron42.", "said-password"),
    ("the password for the router is swordfish", "said-password"),
    ("password: opensesame", "said-password"),
    ("My cat is Bean and the door code is 884422 now", "said-password"),
    ("MAIL_PASS=zqpw77Hx20", "password"),
    ('{"api_key": "zq91xk2200", "n": 1}', "password"),
    ("https://example.org/?token=zq91xk2200&page=2", "password"),
    ("家里 wifi 密码是 lantian2024，别告诉别人", "said-password"),
    ("门锁密码：889900", "said-password"),
    ("暗号是龙潭虎穴。", "said-password"),
    ("我的身份证是11010519491231002X", "id-number"),
    ("card 4111 1111 1111 1111 please", "card-number"),
    ("卡号6222021234567890128", "card-number"),
]


@pytest.mark.parametrize(("text", "kind"), CASES)
def test_a_secret_of_a_known_shape_is_masked(text, kind):
    (secret,) = secrets_in(text)
    assert secret.kind == kind
    value = text[secret.start : secret.end]
    assert len(value) >= 4
    assert value not in masked(text)
    assert "****" in masked(text)
    assert masked(masked(text)) == masked(text)
    assert (value in masked(text, said=False)) == (kind == "said-password")


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "the password is stored in the vault",
        "What is the password?",
        "密码是什么？",
        "密码是多少",
        "密码忘了",
        "密码是错的",
        "run 4111111111111112 took long",
        "call +49 170 1234567 at 14:30",
        "order 110105194912310021 is late",
        "https://example.org:8080/path?user=a@b.org",
        "sk-learn is a library, ask-me-anything-about-everything",
        "version 2026.05.03-1",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "the bearer of this letter",
        "the exit code is 1284",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text):
    assert masked(text) == text


def test_matched_words_that_are_parts_of_a_secret_are_masked_too():
    assert masked_terms(["words +1.0: mail zqpw77hx20"], "MAIL_PASS=zqpw77Hx20") == ("words +1.0: mail ****",)
    assert masked_terms(["words +1.0: wifi"], "The wifi is slow") == ("words +1.0: wifi",)


def test_a_log_line_is_masked_with_its_arguments(caplog):
    caplog.handler.addFilter(MaskingFilter())
    logging.getLogger("homeagent.test").warning("refused: %s", "password=zqpw77Hx20")
    assert "zqpw77Hx20" not in caplog.text
    assert "refused: password=****" in caplog.text


@given(st.text(max_size=300))
def test_any_text_can_be_masked_and_what_is_no_secret_stays(text):
    found = secrets_in(text)
    assert masked(text).count("****") >= len(found)
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))


@pytest.mark.parametrize(
    "unit", ["password is ", "1234-", "eyJ", "a://b:", "-----BEGIN PRIVATE KEY-----", "密码是", "4 "]
)
def test_it_takes_no_longer_for_nasty_text(unit):
    begun = time.perf_counter()
    masked(unit * (200_000 // len(unit)))
    assert time.perf_counter() - begun < 5
