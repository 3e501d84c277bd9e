"""The files of a home: private, told apart from others, and clear about what is wrong with them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from homeagent.errors import HomeAgentError, HomeError, StoreError
from tests.memory.worlds import change, found, opened, raw_segments, tool, turn, user


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


@pytest.fixture
def open_umask():
    old = os.umask(0)
    yield
    os.umask(old)


def filled(home, *words):
    with opened(home) as memory:
        return memory.keep(turn(user(" ".join(words) or "the apples are red"), external_id="a"))


def test_folders_are_0700_and_files_0600_whatever_the_umask(tmp_path, open_umask):
    with opened(tmp_path / "a" / "home") as memory:
        memory.begin(turn(user("hello")))
        memory.keep(turn(user("hello"), tool("seen")))
        seen = modes(memory.home.root)
    assert stat.S_IMODE((tmp_path / "a" / "home").stat().st_mode) == 0o700
    assert {"log.db", "log.db-wal", "log.db-shm", "derived.db", "derived.db-wal", "derived.db-shm"} <= set(seen)
    assert {name: mode for name, mode in seen.items() if mode != (0o700 if name == "writers" else 0o600)} == {}


def test_a_home_that_others_could_read_is_made_private(tmp_path):
    filled(tmp_path / "home")
    for path in (tmp_path / "home", *(tmp_path / "home").glob("*.db")):
        path.chmod(0o755)
    opened(tmp_path / "home").shutdown()
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert {mode for name, mode in modes(tmp_path / "home").items() if name.endswith(".db")} == {0o600}


def test_a_rebuilt_file_is_as_private_as_the_one_before(tmp_path, open_umask):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("hello")))
        memory.rebuild()
        memory.keep(turn(user("again")))
        seen = modes(memory.home.root)
    assert {name: mode for name, mode in seen.items() if mode & 0o077} == {}


def test_a_backup_is_private(tmp_path, open_umask):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("hello")))
        memory.backup(tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600


def test_a_backup_never_overwrites_and_needs_a_folder(tmp_path):
    (tmp_path / "there").write_text("mine")
    with opened(tmp_path / "home") as memory:
        for target in (tmp_path / "there", tmp_path / "no" / "folder"):
            with pytest.raises(HomeError):
                memory.backup(target)
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.parametrize("name", ["log.db", "derived.db"])
def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path, name):
    filled(tmp_path / "home")
    with closing(sqlite3.connect(tmp_path / "home" / name)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    change(tmp_path / "home" / name, "PRAGMA user_version = 999")
    with pytest.raises(StoreError, match=r"newer HomeAgent \(format 999") as refused:
        opened(tmp_path / "home")
    assert name in refused.value.where
    assert "Update" in refused.value.next_step
    change(tmp_path / "home" / name, f"PRAGMA user_version = {version}")
    with opened(tmp_path / "home") as memory:
        assert found(memory, "apples") == {"a"}


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    (tmp_path / "home").mkdir()
    change(tmp_path / "home" / "log.db", "PRAGMA application_id = 1234")
    with pytest.raises(StoreError, match="not a HomeAgent log"):
        opened(tmp_path / "home")


def test_a_database_that_holds_other_tables_is_refused_and_left_alone(tmp_path):
    (tmp_path / "home").mkdir()
    change(tmp_path / "home" / "log.db", "CREATE TABLE notes (text)")
    with pytest.raises(StoreError):
        opened(tmp_path / "home").shutdown()
    with closing(sqlite3.connect(tmp_path / "home" / "log.db")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("notes",)]


@pytest.mark.parametrize("garbage", [b"this is no database " * 300, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_log_that_is_no_database_is_refused_with_the_way_back(tmp_path, garbage):
    filled(tmp_path / "home")
    (tmp_path / "home" / "log.db").write_bytes(garbage)
    with pytest.raises(StoreError, match="damaged or no database") as refused:
        opened(tmp_path / "home")
    assert "backup" in refused.value.next_step
    assert (tmp_path / "home" / "log.db").read_bytes() == garbage


@pytest.mark.parametrize("garbage", [b"", b"this is no database " * 300, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_computed_half_that_is_no_database_is_made_again(tmp_path, garbage):
    filled(tmp_path / "home")
    (tmp_path / "home" / "derived.db").write_bytes(garbage)
    with opened(tmp_path / "home") as memory:
        assert found(memory, "apples") == {"a"}
        assert memory.rebuild(verify=True).equal


def test_a_computed_half_that_was_deleted_is_made_again(tmp_path):
    kept = filled(tmp_path / "home")
    (tmp_path / "home" / "derived.db").unlink()
    with opened(tmp_path / "home") as memory:
        assert found(memory, "apples") == {"a"}
        assert raw_segments(memory, kept) == [user("the apples are red")]


@pytest.mark.parametrize(
    "table",
    [
        *("meta", "todo", "computed", "passage", "terms_data", "terms_content", "vector"),
    ],
)
def test_a_computed_half_with_a_damaged_page_is_made_again_by_what_its_error_says(tmp_path, table):
    with opened(tmp_path / "home") as memory:
        memory.keep_all([turn(user(f"apple number {n}")) for n in range(60)])
        memory.keep(turn(user("pears"), external_id="pears"))
    damage(tmp_path / "home" / "derived.db", table)
    with opened(tmp_path / "home") as memory:
        try:
            memory.recall("pears")
            memory.all_computed()
        except StoreError as error:
            assert "memory rebuild" in error.next_step
        memory.rebuild()
        assert found(memory, "pears") == {"pears"}
        assert memory.rebuild(verify=True).equal


def damage(path, table):
    """Overwrite the first page of a table."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def test_a_file_where_the_home_should_be_is_an_error_in_words(tmp_path):
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(HomeError) as refused:
        opened(tmp_path / "home")
    assert refused.value.next_step


READ_ONLY = """
import sys
from tests.memory.worlds import opened
from homeagent.errors import HomeError
try:
    opened(sys.argv[1])
except HomeError as error:
    print(error)
"""


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare to mount a folder read-only")
def test_a_read_only_home_is_an_error_in_words_and_changes_nothing(tmp_path):
    kept = filled(tmp_path / "home")
    mount = 'mount --bind -o ro "$1" "$1" && exec "$2" -W error -c "$3" "$1"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", str(tmp_path / "home"), sys.executable, READ_ONLY],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"this machine lets nobody mount: {done.stderr.strip()}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the home folder can't be used" in done.stdout
    with opened(tmp_path / "home") as memory:
        assert raw_segments(memory, kept) == [user("the apples are red")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_without_write_permission_is_an_error_in_words(tmp_path):
    filled(tmp_path / "home")
    (tmp_path / "home" / "log.db").chmod(0o400)
    with pytest.raises(HomeError):
        opened(tmp_path / "home")


def test_a_memory_that_was_shut_down_says_so_and_can_be_shut_down_again(tmp_path):
    memory = opened(tmp_path / "home")
    memory.shutdown()
    memory.shutdown()
    with pytest.raises(HomeAgentError):
        memory.keep(turn(user("hello")))
