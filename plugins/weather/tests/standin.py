"""A stand-in of open-meteo on this machine: the same addresses, parameters and shapes of answers."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = {
    "berlin": {
        "id": 2950159,
        "name": "Berlin",
        "latitude": 52.52437,
        "longitude": 13.41053,
        "elevation": 74.0,
        "feature_code": "PPLC",
        "country_code": "DE",
        "admin1_id": 2950157,
        "timezone": "Europe/Berlin",
        "population": 3426354,
        "country_id": 2921044,
        "country": "Germany",
        "admin1": "State of Berlin",
    },
    "上海": {
        "id": 1796236,
        "name": "上海",
        "latitude": 31.22222,
        "longitude": 121.45806,
        "elevation": 12.0,
        "feature_code": "PPLA",
        "country_code": "CN",
        "timezone": "Asia/Shanghai",
        "population": 24874500,
        "country": "中国",
        "admin1": "上海",
    },
}
CURRENT = {
    "temperature_2m": 14.2,
    "apparent_temperature": 12.9,
    "relative_humidity_2m": 61,
    "precipitation": 0.4,
    "weather_code": 61,
    "wind_speed_10m": 11.5,
}
DAILY = {
    "weather_code": [61, 3, 0, 95],
    "temperature_2m_max": [17.1, 19.0, 22.4, 24.0],
    "temperature_2m_min": [8.3, 7.9, 10.0, 12.5],
    "precipitation_sum": [4.2, 0.0, 0.0, 11.0],
    "precipitation_probability_max": [83, 12, None, 90],
    "wind_speed_10m_max": [21.6, 14.0, 9.7, 33.1],
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.server.asked.append((parts.path, asked))  # type: ignore[attr-defined]
        if parts.path == "/broken/v1/search":
            self._answer(502, b"<html>Bad Gateway</html>", "text/html")
        elif parts.path == "/v1/search":
            found = PLACES.get(asked["name"].casefold())
            self._json(200, {**({"results": [found]} if found else {}), "generationtime_ms": 0.54})
        elif parts.path == "/v1/forecast":
            self._forecast(asked)
        else:
            self._json(404, {"error": True, "reason": "Not Found"})

    def _forecast(self, asked: dict[str, str]) -> None:
        days = int(asked.get("forecast_days", "7"))
        if not 0 <= days <= 16:
            reason = f"Forecast days is invalid. Allowed range 0 to 16. Given {days}."
            return self._json(400, {"error": True, "reason": reason})
        chinese = asked["longitude"].startswith("121")
        found: dict[str, object] = {
            "latitude": float(asked["latitude"]),
            "longitude": float(asked["longitude"]),
            "generationtime_ms": 0.0858306884765625,
            "utc_offset_seconds": 28800 if chinese else 7200,
            "timezone": "Asia/Shanghai" if chinese else "Europe/Berlin",
            "timezone_abbreviation": "GMT+8" if chinese else "GMT+2",
            "elevation": 12.0 if chinese else 38.0,
        }
        if "current" in asked:
            found["current_units"] = {"time": "iso8601", "interval": "seconds", "temperature_2m": "°C"}
            values = {name: CURRENT[name] for name in asked["current"].split(",")}
            found["current"] = {"time": "2026-05-01T10:15", "interval": 900, **values}
        if "daily" in asked:
            columns = {name: DAILY[name][:days] for name in asked["daily"].split(",")}
            dates = [f"2026-05-{number:02}" for number in range(1, min(days, 4) + 1)]
            found["daily_units"] = {"time": "iso8601", "weather_code": "wmo code"}
            found["daily"] = {"time": dates, **columns}
        return self._json(200, found)

    def _json(self, status: int, value: object) -> None:
        self._answer(status, json.dumps(value).encode(), "application/json; charset=utf-8")

    def _answer(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def standing_in() -> Iterator[ThreadingHTTPServer]:
    """Run the stand-in; ``server.url`` is its address, ``server.asked`` what it was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []  # type: ignore[attr-defined]
    server.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run it and yield its address."""
    with standing_in() as server:
        yield server.url
