from pathlib import Path

import pytest
from browser.chromium import find_chromium
from browser.settings import BrowserSettings
from worlds import calling

from homeagent_sdk import ToolError

try:
    find_chromium(BrowserSettings())
except ToolError as error:
    pytest.skip(str(error), allow_module_level=True)


def test_a_page_is_driven_step_by_step(tmp_path):
    results, found = calling(
        ("browser_start", {}),
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_type", {"selector": "input[name=q]", "text": "你好 there"}),
        ("browser_scroll", {"to": "bottom"}),
        ("browser_screenshot", {}),
        ("browser_click", {"text": "Send it"}),
        ("browser_html", {"selector": "p"}),
        ("browser_html", {}),
        ("browser_close", {}),
        ("browser_html", {}),
        ("browser_close", {}),
        folder=tmp_path,
    )
    texts = [result.text for result in results]
    assert texts[0].startswith("The browser is open")
    assert texts[1].startswith(f"200 {found.address}/form\nForm")
    assert "5" in texts[3]
    picture = Path(texts[4])
    assert picture.parent == tmp_path / "screenshots"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "You said 你好 there" in texts[5]
    assert texts[6] == "<p>You said 你好 there</p>"
    assert "<title>Said</title>" in texts[7]
    assert texts[8] == "The browser is closed"
    assert "no page is open" in texts[9]
    assert texts[10] == "No browser was open"
    assert found.leaked == []


def test_a_page_that_scripts_make_is_rendered():
    (result,), _ = calling(("browser_render", {"address": "WEB/scripted"}))
    assert "<p>Bus 12 leaves at 07:40.</p>" in result.text


@pytest.mark.parametrize("tool", ["browser_navigate", "browser_render"])
def test_private_addresses_are_refused_and_other_schemes_too(tool):
    addresses = (
        "PRIVATE/secret",
        "WEB/to?u=PRIVATE/secret",
        "http://localhost:8081/",
        "file:///etc/hostname",
        "chrome://version",
        "view-source:http://example.org",
    )
    results, found = calling(*((tool, {"address": address}) for address in addresses))
    assert [address for address, result in zip(addresses, results, strict=True) if not result.error] == []
    assert [result.text for result in results if "no address of the" not in result.text] == []
    assert found.leaked == []


def test_nothing_of_a_page_reaches_a_private_address():
    results, found = calling(
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_click", {"selector": "#out"}),
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_click", {"selector": "#bounce"}),
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_click", {"selector": "#file"}),
    )
    assert found.leaked == []
    assert "nothing here" not in "".join(result.text for result in results)
    hostname = Path("/etc/hostname")
    assert not hostname.exists() or hostname.read_text().strip() not in results[-1].text


def test_without_hosts_of_ones_own_this_machine_is_not_reached():
    (result,), found = calling(("browser_navigate", {"address": "WEB/article"}), own=False)
    assert result.error
    assert (found.seen, found.leaked) == ([], [])


def test_a_link_to_a_new_window_is_followed():
    results, _ = calling(
        ("browser_navigate", {"address": "WEB/form"}),
        ("browser_click", {"selector": "#new"}),
        ("browser_html", {"selector": "h1"}),
    )
    assert results[2].text == "<h1>阳台种番茄</h1>"


def test_what_is_not_there_is_said():
    results, _ = calling(
        ("browser_navigate", {"address": "WEB/article"}),
        ("browser_click", {"selector": "#absent"}),
        ("browser_click", {}),
        ("browser_html", {"selector": "::nonsense::"}),
        ("browser_navigate", {"address": "http://nowhere.invalid/"}),
        seconds=2,
    )
    assert [result.error for result in results] == [False, True, True, True, True]
    assert "Call log" not in results[1].text


def test_a_chromium_that_is_not_there_is_named():
    (result,), _ = calling(("browser_start", {}), chromium="/nowhere/chromium")
    assert "there is no Chromium" in result.text
