"""Import and export of whole files: all or nothing, again and again, without loss."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from homeagent.errors import HomeError, InputError
from homeagent.memory import Attachment, Memory, Place, Segment, Turn, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.transfer import export_file, import_file

PLACE = Place("cli", "main")


def opened(folder):
    return Memory.open(folder, embedder=NoEmbedder())


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as found:
        yield found


def line(number, text=None, **changes):
    value = {
        "id": f"d{number}",
        "at": None,
        "channel": "cli",
        "chat": "main",
        "person": "owner",
        "segments": [{"role": "user", "text": text or f"the lantern number {number}"}],
    }
    return json.dumps(value | changes, ensure_ascii=False)


def written(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def content(memory):
    """Everything raw that is said of each turn, but for the ids a home gives."""
    return [
        (row.source, row.external_id, row.place, row.sender, row.members, row.at, row.status, *said(memory, row))
        for row in memory.turns()
    ]


def said(memory, row):
    return (each.segment for each in memory.segments(row))


def refused(memory, path):
    before = memory.digest(), memory.counts()
    with pytest.raises(InputError) as caught:
        import_file(memory, path)
    assert (memory.digest(), memory.counts()) == before
    return caught.value


def test_a_file_is_kept_in_its_order_and_found(memory, tmp_path):
    told = []
    report = import_file(
        memory,
        written(tmp_path / "f.jsonl", [line(n) for n in range(700)]),
        progress=lambda *step: told.append(step),
    )
    assert (report.kept, report.known) == (700, 0)
    assert [row.external_id for row in memory.turns()] == [f"d{n}" for n in range(700)]
    assert memory.recall("lantern number 431").hits[0].external_id == "d431"
    assert {step for step, _, _ in told} == {"check", "keep"}
    assert all(0 <= done <= total for _, done, total in told)


def test_one_bad_line_at_the_end_changes_nothing(memory, tmp_path):
    path = written(tmp_path / "f.jsonl", [*(line(n) for n in range(1500)), '{"id": "x"'])
    error = refused(memory, path)
    assert error.where == f"{path} line 1501"


def test_whom_a_file_calls_the_owner_is_the_owner_in_its_channel_too(memory, tmp_path):
    path = written(tmp_path / "f.jsonl", [line(1, channel="mail"), line(2, channel="chat", person="ann")])
    import_file(memory, path)
    at_home = Viewer("owner", Place("cli", "main"))
    assert {hit.external_id for hit in memory.recall("lantern number", viewer=at_home).hits} == {"d1"}


def test_importing_again_changes_nothing(memory, tmp_path):
    path = written(tmp_path / "f.jsonl", [line(n) for n in range(20)])
    import_file(memory, path)
    before = memory.digest()
    report = import_file(memory, path)
    assert (report.kept, report.known) == (0, 20)
    assert memory.digest() == before


def test_an_import_that_was_killed_half_way_is_finished_by_the_next(memory, tmp_path):
    lines = [line(n) for n in range(40)]
    import_file(memory, written(tmp_path / "half.jsonl", lines[:17]))
    report = import_file(memory, written(tmp_path / "f.jsonl", lines))
    assert (report.kept, report.known) == (23, 17)
    assert [row.external_id for row in memory.turns()] == [f"d{n}" for n in range(40)]


def test_a_killed_import_leaves_whole_turns_and_can_be_repeated(tmp_path):
    path = written(tmp_path / "f.jsonl", [line(n) for n in range(900)])
    code = (
        "import os, sys\n"
        "from homeagent.memory import Memory\n"
        "from homeagent.memory.embed import NoEmbedder\n"
        "from homeagent.memory.transfer import import_file\n"
        "def step(name, done, total):\n"
        "    if name == 'keep' and done > total // 3:\n"
        "        os.kill(os.getpid(), 9)\n"
        "with Memory.open(sys.argv[1], embedder=NoEmbedder()) as memory:\n"
        "    import_file(memory, sys.argv[2], progress=step)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "home"), str(path)], check=False)
    assert done.returncode == -9
    with opened(tmp_path / "home") as memory:
        first = memory.counts()["turn"]
        assert 0 < first < 900
        report = import_file(memory, path)
        assert (report.kept, report.known) == (900 - first, first)
        assert all(len(memory.segments(row)) == 1 and row.status == "done" for row in memory.turns())


def test_the_same_id_with_other_content_is_refused(memory, tmp_path):
    import_file(memory, written(tmp_path / "a.jsonl", [line(1)]))
    error = refused(memory, written(tmp_path / "b.jsonl", [line(2), line(1, "something else")]))
    assert "line 2" in error.where
    assert "other content" in error.problem
    assert import_file(memory, tmp_path / "b.jsonl", source="other").kept == 2


def test_an_id_that_stands_twice_in_a_file_is_one_turn_or_an_error(memory, tmp_path):
    error = refused(memory, written(tmp_path / "a.jsonl", [line(1), line(2), line(1, "something else")]))
    assert error.where.endswith("line 3, key id")
    assert "line 1" in error.problem
    report = import_file(memory, written(tmp_path / "b.jsonl", [line(1), line(2), line(1)]))
    assert (report.kept, report.known) == (2, 1)


def test_marks_line_ends_and_empty_lines_of_other_systems_are_fine(memory, tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line(1).encode() + b"\r\n\r\n  \n" + line(2, "猫叫豆豆").encode())
    assert import_file(memory, path).kept == 2
    assert memory.raw("d2")[0].segment.text == "猫叫豆豆"


def test_an_empty_file_is_nothing_to_keep(memory, tmp_path):
    (tmp_path / "f.jsonl").touch()
    assert import_file(memory, tmp_path / "f.jsonl").kept == 0


def test_gzip_is_known_by_its_content(memory, tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_bytes(gzip.compress("\n".join(line(n) for n in range(30)).encode()))
    assert import_file(memory, path).kept == 30


@pytest.mark.parametrize("cut", [40, -4])
def test_a_damaged_gzip_file_changes_nothing(memory, tmp_path, cut):
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(line(n) for n in range(3000)).encode())[:cut])
    assert "damaged" in refused(memory, path).problem


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'[{"id": "a"}]', "array"),
        (b"\n [\n {}]", "array"),
        (b'{\n  "id": "a"\n}', "several lines"),
        (b"SQLite format 3\0" + bytes(100), "SQLite"),
        ("{}".encode("utf-16"), "UTF-16"),
        (bytes(range(256)), "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary"),
        ('{"id": "caf\xe9"}'.encode("latin-1"), "UTF-8"),
    ],
)
def test_what_is_plainly_another_kind_of_file_is_called_by_its_name(memory, tmp_path, data, says):
    (tmp_path / "f").write_bytes(data)
    error = refused(memory, tmp_path / "f")
    assert says in error.problem
    assert error.next_step


def test_a_folder_and_a_missing_file_are_named(memory, tmp_path):
    assert str(tmp_path) in refused(memory, tmp_path).where
    assert "nowhere" in refused(memory, tmp_path / "nowhere").where


def test_standard_input_is_read_whole_before_anything_is_kept(memory, monkeypatch):
    for lines, kept in (([line(1), line(2)], 2), ([line(3), "nonsense"], 0)):
        data = "\n".join(lines).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        if kept:
            assert import_file(memory, "-").kept == kept
        else:
            assert refused(memory, "-").where == "standard input line 2"


def test_a_pipe_with_a_name_is_read_like_a_file(memory, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(line(1),))
    writer.start()
    assert import_file(memory, path).kept == 1
    writer.join()


def test_a_segment_of_fifty_megabytes_comes_back_whole(memory, tmp_path):
    text = "".join(f"row {number} of the long table\n" for number in range(1_900_000))
    assert len(text) > 50_000_000
    output = {"role": "tool", "tool": "table", "text": text}
    import_file(memory, written(tmp_path / "f.jsonl", [line(1, segments=[output])]))
    assert memory.raw("d1")[0].segment.text == text


def filled(memory):
    """Keep turns that are hard to carry: halves, NUL, attachments, exact arguments, open and failed ones, citations."""
    first = memory.keep(
        Turn(
            Place("qq\ud83d", "群"),
            "陈\udc00",
            (
                Segment("user", "a\0b \ud83d\ude00 \ud83d"),
                Segment("tool", "out\udfff", tool="t\ud800", call_id="\udc00", arguments='{"a":1,  "b": 1e5}'),
                Segment("tool", "again", tool="t", arguments='{"a": 1}', error=True, plugin="p", plugin_version="2"),
                Segment("assistant", "", attachments=(Attachment("image/png", b"\x89\0\xff", "猫\ud83d.png"),)),
            ),
            at=datetime(2026, 5, 5, 10, 0, 1, 5, tzinfo=UTC),
            members=("陈\udc00", "owner"),
            source="qq",
            external_id="m1",
        )
    )
    memory.keep(Turn(PLACE, "owner", (Segment("user", "failed"),), status="failed"))
    memory.keep(Turn(PLACE, "owner", (Segment("assistant", "echo", cites=(first,), no_memory=True),)))
    memory.begin(Turn(PLACE, "owner", (Segment("user", "still open"),)))
    return first


def test_export_then_import_into_another_home_is_the_same_but_for_the_ids_a_home_gives(memory, tmp_path):
    first = filled(memory)
    assert export_file(memory, tmp_path / "out.jsonl.gz") == 4
    with opened(tmp_path / "other") as other:
        assert import_file(other, tmp_path / "out.jsonl.gz").kept == 4
        here, there = list(memory.turns()), list(other.turns())
        ids = {old.turn_id: new.turn_id for old, new in zip(here, there, strict=True)}
        for old, new in zip(here, there, strict=True):
            assert (new.source, new.place, new.sender, new.members, new.at) == (
                old.source,
                old.place,
                old.sender,
                old.members,
                old.at,
            )
            assert new.external_id == (old.external_id or old.turn_id)
            assert new.status == ("interrupted" if old.status == "open" else old.status)
            for kept, made in zip(memory.segments(old), other.segments(new), strict=True):
                cites = tuple(ids[cite] for cite in kept.segment.cites)
                assert made.segment.cites == cites
                assert [getattr(made.segment, each) for each in made.segment.__slots__ if each != "cites"] == [
                    getattr(kept.segment, each) for each in kept.segment.__slots__ if each != "cites"
                ]
        assert other.segments(there[2])[0].segment.cites == (other.find("m1").turn_id,)
        assert first not in [row.turn_id for row in there]
        # and once more, from there: nothing changes any more, not even a byte of what is said
        export_file(other, tmp_path / "again.jsonl")
        assert import_file(other, tmp_path / "again.jsonl").kept == 0
        assert import_file(other, tmp_path / "out.jsonl.gz").kept == 0
        with opened(tmp_path / "third") as third:
            import_file(third, tmp_path / "again.jsonl")
            assert [row[:7] for row in content(third)] == [row[:7] for row in content(other)]


def test_importing_a_homes_own_export_into_itself_changes_nothing(memory, tmp_path):
    filled(memory)
    export_file(memory, tmp_path / "out.jsonl")
    before = memory.digest()
    report = import_file(memory, tmp_path / "out.jsonl")
    assert (report.kept, report.known) == (0, 4)
    assert memory.digest() == before


def test_an_export_takes_the_place_of_a_file_whole_or_not_at_all(memory, tmp_path):
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    memory.keep(Turn(PLACE, "owner", (Segment("user", "hello"),)))
    export_file(memory, target)
    assert json.loads(target.read_text())["segments"] == [{"role": "user", "text": "hello"}]
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_an_export_that_cannot_be_written_says_so(memory, tmp_path):
    memory.keep(Turn(PLACE, "owner", (Segment("user", "hello"),)))
    for target in (tmp_path, tmp_path / "no" / "folder.jsonl"):
        with pytest.raises(HomeError) as caught:
            export_file(memory, target)
        assert str(target) in caught.value.where


def test_an_export_never_writes_over_the_home(memory):
    for target in (memory.home.log, memory.home.derived):
        with pytest.raises(HomeError):
            export_file(memory, target)
    assert list(memory.turns()) == []
