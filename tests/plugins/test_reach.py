"""Which hosts a plugin may reach: exactly those it names, by name and port, wherever the name leads."""

from __future__ import annotations

import pytest

from homeagent.plugins.reach import Refused, Rule, Target, reach
from homeagent_sdk import Problem
from homeagent_sdk.permissions import Permission, read_permission


@pytest.mark.parametrize(
    ("permission", "target", "reached"),
    [
        ("net:api.example.org", "api.example.org:443", True),
        ("net:api.example.org", "API.Example.org:80", True),
        ("net:api.example.org", "api.example.org.:80", True),
        ("net:api.example.org", "example.org:443", False),
        ("net:api.example.org", "api.example.org.evil.net:443", False),
        ("net:api.example.org:443", "api.example.org:443", True),
        ("net:api.example.org:443", "api.example.org:80", False),
        ("net:*.example.org", "a.b.example.org:443", True),
        ("net:*.example.org", "example.org:443", False),
        ("net:*.example.org", "badexample.org:443", False),
        ("net:*.example.org:8443", "a.example.org:8443", True),
        ("net:*.example.org:8443", "a.example.org:443", False),
        ("net:127.0.0.1:8080", "127.0.0.1:8080", True),
        ("net:127.0.0.1:8080", "127.0.0.1:8081", False),
        ("net:[::1]:8080", "[::1]:8080", True),
        ("net:[::1]", "[::1]:1", True),
        ("net:[::1]", "[::2]:1", False),
    ],
)
def test_a_host_is_reached_by_the_very_name_and_port_that_are_permitted(
    permission: str, target: str, reached: bool
) -> None:
    read = read_permission(permission)
    assert isinstance(read, Permission)
    if reached:
        assert reach([read], Target.of(target)).matches(Target.of(target))
    else:
        with pytest.raises(Refused, match="is not among this plugin's permissions; ask for net:"):
            reach([read], Target.of(target))


@pytest.mark.parametrize("line", ["net:", "net:*.", "net:a..b", "net:*.*.org", "net:a:b:c", "net:::1", "net:a:port"])
def test_what_names_no_host_is_no_permission(line: str) -> None:
    assert isinstance(read_permission(line), Problem)


def test_a_refusal_names_the_host_and_what_to_ask_for() -> None:
    with pytest.raises(Refused) as caught:
        reach([Permission("read", "/srv")], Target.of("example.org:443"))
    told = "example.org:443 is not among this plugin's permissions; ask for net:example.org:443 in its manifest"
    assert str(caught.value) == told


def test_a_name_of_the_outside_does_not_lead_to_this_machine() -> None:
    rule, target = Rule.of("api.example.org"), Target("api.example.org", 443)
    assert rule.passed(target, ["93.184.216.34", "127.0.0.1", "::1"]) == ("93.184.216.34",)
    for address in ("127.0.0.1", "169.254.169.254", "::1", "fe80::1%eth0", "::", "::ffff:127.0.0.1"):
        with pytest.raises(Refused, match="this very machine"):
            rule.passed(target, [address])
    with pytest.raises(Refused, match=r"ask for net:\[::1\]:443 in"):
        rule.passed(target, ["::1"])
    assert rule.passed(target, ["192.168.1.7"]) == ("192.168.1.7",)  # a household's own server
    for here in ("127.0.0.1", "localhost", "[::1]"):
        assert Rule.of(here).passed(Target(here.strip("[]"), 80), ["127.0.0.1"]) == ("127.0.0.1",)


@pytest.mark.parametrize("text", ["", "a", "a:", ":1", "a:0", "a:65536", "a:x"])
def test_what_is_no_host_and_port_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="no host and port"):
        Target.of(text)


def test_an_address_that_comes_in_brackets_is_named_as_a_permission_can_be_written() -> None:
    for host in ("::1", "[::1]"):
        with pytest.raises(Refused, match=r"ask for net:\[::1\]:80 in"):
            reach([], Target.at(host, 80))
