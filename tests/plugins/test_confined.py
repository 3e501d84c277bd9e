"""A plugin's process can do what its permissions say and no more, where the kernel can see to it."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from homeagent.memory.door.places import CleanerPlace
from homeagent.memory.door.runner import CleanerProcess
from homeagent.plugins import describe, enforceable, find_source, prepare_runtime
from tests.plugins.living import HEAD, installed, living
from tests.plugins.worlds import in_loop

if TYPE_CHECKING:
    from pathlib import Path

files = pytest.mark.skipif("files" not in enforceable(), reason="this kernel has no Landlock")
net = pytest.mark.skipif("net" not in enforceable(), reason="this machine allows no network namespaces")

CODE = '''
import signal, socket, subprocess


@tool
def tries(what: str, of: str = "") -> str:
    """Try something."""
    try:
        match what:
            case "read":
                return open(of).read()
            case "open":
                open(of, "rb").close()
                return "opened"
            case "list":
                return ",".join(os.listdir(of))
            case "write":
                open(of, "w").write("mine")
            case "run":
                return subprocess.run(["/bin/echo", "ran"], capture_output=True, text=True, check=True).stdout
            case "python":
                return subprocess.run([sys.executable, "-c", "print('ran')"], capture_output=True, text=True).stdout
            case "net":
                with socket.socket() as stream:
                    stream.settimeout(3)
                    stream.connect(("127.0.0.1", int(of)))
            case "socket":
                with socket.socket(socket.AF_UNIX) as stream:
                    stream.connect(of)
                    return stream.recv(10).decode()
            case "pair":
                one, other = socket.socketpair()
                one.sendall(b"pair")
                return other.recv(10).decode()
            case "kill":
                os.kill(int(of), 0)
            case "fork":
                if not os.fork():
                    os._exit(0)
            case "limit":
                import resource
                resource.prlimit(int(of), resource.RLIMIT_CORE, (0, 0))
            case "own limit":
                import resource
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            case "mode":
                os.chmod(of, 0o777)
            case "dates":
                os.utime(of, (1, 1))
            case "owner":
                os.chown(of, 1, 1)
            case "attribute":
                os.setxattr(of, "user.mine", b"x")
            case "copy":
                import shutil, tempfile
                with tempfile.TemporaryDirectory() as folder:
                    shutil.copytree(of, folder + "/copy")
                    return ",".join(os.listdir(folder + "/copy"))
            case "host":
                socket.socket(40).close()
            case "thread":
                import threading
                thread = threading.Thread(target=print)
                thread.start()
                thread.join()
            case "temporary":
                import tempfile
                with tempfile.NamedTemporaryFile() as file:
                    return file.name
        return "done"
    except OSError as error:
        return type(error).__name__


@tool
def keeps(context: ToolContext) -> str:
    """Keep something."""
    (context.data_folder / "x").write_text("kept")
    return (context.data_folder / "x").read_text()


@tool
def needs() -> str:
    """Do what plugins usually do."""
    import ssl, sqlite3, zoneinfo, datetime, ctypes.util, multiprocessing, hashlib, tempfile, uuid
    ssl.create_default_context()
    zoneinfo.ZoneInfo("Europe/Berlin") if zoneinfo.available_timezones() else None
    datetime.datetime.now().astimezone()
    sqlite3.connect(":memory:").execute("SELECT 1")
    assert os.cpu_count() and os.path.expanduser("~")
    with tempfile.TemporaryFile() as file:
        file.write(uuid.uuid4().bytes)
    asyncio.run(asyncio.sleep(0))
    return "good"


plugin = Plugin("probe", "1.0", tools=[tries, keeps, needs])
'''
NOTHING = HEAD.replace('permissions = ["exec"]', "permissions = []")


@pytest.mark.skipif(
    "sockets" not in enforceable(), reason="this kernel has no seccomp filters, or is another machine's"
)
@in_loop
async def test_without_exec_it_makes_no_process_that_could_outlive_it(tmp_path: Path) -> None:
    async with living(tmp_path / "home", CODE, head=NOTHING) as plugin:
        for what in ("fork", "run", "host"):
            assert (await plugin.call("tries", what=what)).text == "PermissionError"
        assert (await plugin.call("tries", what="limit", of=str(os.getpid()))).text == "PermissionError"
        for what in ("thread", "own limit"):
            assert (await plugin.call("tries", what=what)).text == "done"


@pytest.mark.skipif(
    "sockets" not in enforceable(), reason="this kernel has no seccomp filters, or is another machine's"
)
@in_loop
async def test_without_exec_it_changes_no_mode_owner_or_date_of_any_file(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    victim.chmod(0o600)
    before = victim.stat()
    code = tmp_path / "home" / "installed" / "probe" / "code"
    async with living(tmp_path / "home", CODE, head=NOTHING) as plugin:
        for what in ("mode", "dates"):
            assert (await plugin.call("tries", what=what, of=str(victim))).text == "done"
        assert (await plugin.call("tries", what="owner", of=str(victim))).text == "PermissionError"
        assert (await plugin.call("tries", what="attribute", of=str(victim))).text == "OSError"
        assert "probe.py" in (await plugin.call("tries", what="copy", of=str(code))).text
    after = victim.stat()
    assert (after.st_mode, after.st_uid, after.st_mtime) == (before.st_mode, before.st_uid, before.st_mtime)


@files
@in_loop
async def test_without_permissions_only_the_own_folder_is_there(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("my diary")
    home = tmp_path / "home"
    async with living(home, CODE, head=NOTHING) as plugin:
        (home / "log.db").write_text("every word")
        for path in (secret, home / "log.db", f"/proc/{os.getpid()}/environ"):
            assert (await plugin.call("tries", what="read", of=str(path))).text == "PermissionError"
        for path in (secret, home / "installed" / "probe" / "code" / "probe.py", home / "new.txt"):
            assert (await plugin.call("tries", what="write", of=str(path))).text == "PermissionError"
        for what in ("run", "python"):
            assert (await plugin.call("tries", what=what)).text == "PermissionError"
        assert (await plugin.call("tries", what="list", of=str(home))).text == "PermissionError"
        assert (await plugin.call("keeps")).text == "kept"
        name = (await plugin.call("tries", what="temporary")).text
        assert name.startswith(str(home / "plugins" / "probe"))
    assert secret.read_text() == "my diary"


@pytest.mark.skipif(
    "sockets" not in enforceable(), reason="this kernel has no seccomp filters, or is another machine's"
)
@pytest.mark.parametrize(("permissions", "said"), [([], "PermissionError"), (["exec"], "heard")])
@in_loop
async def test_sockets_in_the_file_system_are_for_plugins_that_may_run_programs(
    tmp_path: Path, permissions: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a path of a socket must be short
    wanted = ", ".join(f'"{each}"' for each in (*permissions, f"read:{tmp_path}", f"write:{tmp_path}"))
    head = HEAD.replace('permissions = ["exec"]', f"permissions = [{wanted}]")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        server.listen()

        def answer() -> None:
            with contextlib.suppress(OSError), server.accept()[0] as stream:
                stream.sendall(b"heard")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        async with living(tmp_path / "home", CODE, head=head) as plugin:
            assert (await plugin.call("tries", what="pair")).text == "pair"
            assert (await plugin.call("tries", what="socket", of=f"{tmp_path}/s")).text == said
            if said != "heard":
                with socket.socket(socket.AF_UNIX) as stream:
                    stream.connect("s")
        thread.join(5)


@files
@in_loop
async def test_what_is_permitted_can_be_done(tmp_path: Path) -> None:
    for name in ("read", "write"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("here")
    wanted = f'permissions = ["exec", "read:{tmp_path}/read", "write:{tmp_path}/write"]'
    async with living(tmp_path / "home", CODE, head=HEAD.replace('permissions = ["exec"]', wanted)) as plugin:
        assert (await plugin.call("tries", what="read", of=f"{tmp_path}/read/a.txt")).text == "here"
        assert (await plugin.call("tries", what="write", of=f"{tmp_path}/read/a.txt")).text == "PermissionError"
        assert (await plugin.call("tries", what="write", of=f"{tmp_path}/write/b.txt")).text == "done"
        assert (await plugin.call("tries", what="run")).text == "ran\n"
        assert (await plugin.call("tries", what="python")).text == "ran\n"
    assert (tmp_path / "write" / "b.txt").read_text() == "mine"


@net
@pytest.mark.parametrize(
    ("permission", "reached"), [("[]", False), ('["net:example.org"]', False), ('["net:*"]', True)]
)
@in_loop
async def test_the_network_itself_is_there_only_for_a_plugin_that_may_use_all_of_it(
    tmp_path: Path, permission: str, reached: bool
) -> None:
    head = HEAD.replace('permissions = ["exec"]', f"permissions = {permission}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        thread = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        thread.start()
        async with living(tmp_path / "home", CODE, head=head) as plugin:
            tried = (await plugin.call("tries", what="net", of=str(port))).text
        assert (tried == "done") is reached
        if not reached:
            socket.create_connection(("127.0.0.1", port), 3).close()
        thread.join(5)


def test_a_plugin_is_put_in_with_its_code_untouched(tmp_path: Path) -> None:
    installed(tmp_path / "home", CODE, NOTHING)
    assert (tmp_path / "home" / "installed" / "probe" / "code" / "probe.py").read_text() == f"{NOTHING}\n{CODE}"


@files
@in_loop
async def test_of_the_system_only_what_python_needs_can_be_read(tmp_path: Path) -> None:
    async with living(tmp_path / "home", CODE, head=NOTHING) as plugin:
        for path in (
            "/etc/passwd",
            "/etc/shadow",
            "/etc/group",
            "/etc/hostname-",
            "/root/.bashrc",
            "/etc/ssl/private/x",
        ):
            assert (await plugin.call("tries", what="read", of=path)).text in ("PermissionError", "FileNotFoundError")
        for path in ("/etc", "/root", "/home", "/var", "/etc/ssl", os.environ["HOME"]):
            assert (await plugin.call("tries", what="list", of=path)).text in ("PermissionError", "FileNotFoundError")
        assert (await plugin.call("tries", what="read", of="/etc/passwd")).text == "PermissionError"
        assert (await plugin.call("tries", what="list", of="/etc")).text == "PermissionError"
        for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/localtime"):
            if os.path.exists(path):  # noqa: PTH110
                assert (await plugin.call("tries", what="open", of=path)).text == "opened"
        assert (await plugin.call("needs")).text == "good"


@files
@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="the program has no environment of its own here")
@in_loop
async def test_the_environment_of_the_program_is_not_for_plugins(tmp_path: Path) -> None:
    async with living(tmp_path / "home", CODE, head=NOTHING) as plugin:
        assert (await plugin.call("tries", what="open", of=str(pytest.__file__))).text == "PermissionError"


CLEANERS = '''
def curious(text: str) -> str:
    try:
        if text.isdigit():
            import socket
            socket.create_connection(("127.0.0.1", int(text)), 3).close()
            return "reached"
        return open(text).read()
    except OSError as error:
        return type(error).__name__


@tool(cleaner=curious)
def probe_any() -> str:
    """Do anything."""
    return ""


plugin = Plugin("probe", "1.0", tools=[probe_any])
'''


@files
@net
def test_a_cleaner_may_read_its_code_and_nothing_else_whatever_its_plugin_may(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    home = tmp_path / "home"
    wanted = f'permissions = ["net:*", "read:{tmp_path}/mine.txt"]'
    installed(home, CLEANERS, HEAD.replace('permissions = ["exec"]', wanted))
    source = find_source(home / "installed" / "probe" / "code")
    runtime = prepare_runtime(home, source, describe(source), fetch=False)
    (home / "plugins" / "probe" / "kept.txt").write_text("kept")
    place = CleanerPlace(runtime.cleaning, (str(runtime.folder),), tuple(runtime.variables.items()))
    process = CleanerProcess(place=place)
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            for text in (str(tmp_path / "mine.txt"), str(home / "plugins" / "probe" / "kept.txt"), "/etc/passwd"):
                assert process.clean("probe:curious", text).text == "PermissionError"
            assert process.clean("probe:curious", str(server.getsockname()[1])).text == "OSError"
        assert "def curious" in (process.clean("probe:curious", str(runtime.folder / "probe.py")).text or "")
    finally:
        process.close()
