"""The server runs the channels of its home; the webhook needs a signature in place of a token."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from homeagent.channels.signing import signed
from tests.server.serving import Served, configured

if TYPE_CHECKING:
    from pathlib import Path

KEY = "0123456789abcdef0123"


def test_the_webhook_answers_and_the_owner_sees_the_channels(tmp_path: Path) -> None:
    (tmp_path / "hook.key").write_text(KEY)
    settings = f"[memory]\nembedder = 'none'\n[channels.webhook]\nkey_file = '{tmp_path}/hook.key'\nowners = ['me']\n"
    home = configured(tmp_path / "home", settings)
    body = json.dumps({"chat": "desk", "sender": "me", "id": "1", "text": "My bicycle is parked at gate 7."}).encode()
    with Served(home) as served, served.client("") as anybody, served.client() as owner:
        assert anybody.post("/webhook", content=body).status_code == 401
        answer = anybody.post("/webhook", content=body, headers=signed(KEY.encode(), body, time.time()))
        assert answer.status_code == 200, answer.text
        turn = answer.json()["turn"]
        assert owner.get(f"/api/memory/turns/{turn}").status_code == 200
        assert anybody.get("/api/channels").status_code == 401
        assert owner.get("/api/channels").json() == {
            "running": True,
            "channels": [{"name": "webhook", "state": ""}],
            "unanswered": 0,
            "unsent": 0,
            "given_up": 0,
        }
