"""A peer that counts shared words, for testing the protocol; a chat called "fall" ends it, one called "noise" prints."""

from __future__ import annotations

from bench.peers.drivers.serving import Found, embedder, serve


class Toy:
    version = "1.0"
    uses_vectors = True

    def __init__(self, folder, vectors):
        self._file = folder / "units"
        self._embed = embedder(vectors)
        self._units = {}

    def add(self, chat, units):
        if chat == "fall":
            raise ValueError("there is no such chat")
        if chat == "noise":
            print("a line that is no answer")
        self._units.setdefault(chat, []).extend(units)
        with self._file.open("a") as file:
            file.writelines(unit.text + "\n" for unit in units)

    def ask(self, chat, text, limit):
        (one,) = self._embed([text])
        others = self._embed([unit.text for unit in self._units[chat]])
        scores = [sum(a * b for a, b in zip(one, other, strict=True)) for other in others]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        return [Found(self._units[chat][place].id, self._units[chat][place].text) for place in order[:limit]]

    def close(self):
        self._file.unlink()


if __name__ == "__main__":
    serve(Toy)
