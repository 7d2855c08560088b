"""A private server: comes up, stays what it is, goes down, and keeps to itself."""

from __future__ import annotations

import multiprocessing
import os
import pwd
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fix_server import FAST

from madtree.embedded import PrivateServer, PrivateServerError
from madtree.embedded.config import free_port
from madtree.errors import MadtreeError
from madtree.install import NoPostgresError, find_installation


@pytest.fixture
def running(standing: PrivateServer) -> Iterator[PrivateServer]:
    """The module's server, for tests that stop it or change its files: afterwards it is up, and as it was."""
    hba, own = standing.home.data / "pg_hba.conf", standing.home.root / "user.conf"
    text, before = hba.read_bytes(), hba.stat()
    yield standing
    own.unlink(missing_ok=True)
    hba.unlink(missing_ok=True)
    hba.write_bytes(text)
    hba.chmod(stat.S_IMODE(before.st_mode))
    os.chown(hba, before.st_uid, before.st_gid)
    standing.down()
    standing.up(settings=FAST)


def query(uri: str, statement: str) -> object:
    with psycopg.connect(uri, autocommit=True) as connection:
        row = connection.execute(statement).fetchone()
        return row[0] if row else None


def test_up_gives_a_uri_to_a_database_with_the_extension_on_the_search_path(standing):
    uri = standing.up()
    assert query(uri, "SELECT current_database()") == "madtree"
    assert query(uri, "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace "
                      "WHERE extname = 'madtree'") == "madtree"  # fmt: skip
    assert query(uri, "SHOW search_path") == '"$user", public, madtree'


def test_a_server_that_does_not_read_its_files_again_is_told_of(running, monkeypatch):
    class Deaf(psycopg.Connection):
        def execute(self, query, *more, **given):
            return super().execute("SELECT 1" if "reload" in str(query) else query, *more, **given)

    monkeypatch.setattr("madtree.embedded.database.psycopg.connect", Deaf.connect)
    monkeypatch.setattr("madtree.embedded.database.PATIENCE", 0.2)
    running.home.passfile.unlink()
    with pytest.raises(PrivateServerError, match=r"has not read .* within 0\.2 seconds"):
        running.up()


def test_what_does_not_end_is_ended(standing, monkeypatch):
    monkeypatch.setattr("madtree.embedded.osuser.PATIENCE", 0.1)
    with pytest.raises(PrivateServerError, match=r"sleep 60 has not ended in 0\.1 seconds"), standing.home.explained():
        standing.user.run(["sleep", "60"])


def test_its_sessions_find_byte_code(standing):
    """Which their account could not leave there."""
    modules = list(standing.home.python.rglob("*.py"))
    assert len(modules) > 300
    assert [path for path in modules if not list(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))] == []


def test_up_twice_is_the_same_server_with_the_data_still_there(standing):
    uri = standing.up()
    with psycopg.connect(uri) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")
    before = standing.status()
    assert standing.up() == uri
    assert standing.status() == before
    assert query(uri, "SELECT answer FROM mine") == 42


def test_down_stops_it_and_up_brings_the_data_back_on_the_same_port(new_server):
    # Far from the ports that other tests' servers take while this one is down.
    running = new_server("again")
    uri = running.up(free_port(20_000 + os.getpid() % 20_000), settings=FAST)
    with psycopg.connect(uri) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")
    assert running.down() is True
    assert running.down() is False
    assert running.status().running is False
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(uri)
    told = running.home.passfile.read_text().split(":")
    with pytest.MonkeyPatch.context() as environment:
        for option in psycopg.pq.Conninfo.get_defaults():  # another server, another database, other settings
            if option.envvar:
                environment.setenv(option.envvar.decode(), "elsewhere")
        assert running.up(settings=FAST) == uri
    assert query(uri, "SELECT answer FROM mine") == 42
    # Whoever listened at the port meanwhile may have been told the password, and could be told this one at another.
    tcp_uri = running.status().tcp_uri
    assert query(tcp_uri, "SELECT answer FROM mine") == 42
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(tcp_uri, password=told[-1].strip())
    assert running.home.passfile.read_text().split(":")[:2] == ["127.0.0.1", uri.rpartition("=")[2]] == told[:2]


def test_a_second_home_is_another_server(standing, new_server):
    first, second = standing.up(), new_server("second").up(settings=FAST)
    assert first != second
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE mine_alone ()")
    assert query(second, "SELECT to_regclass('mine_alone')") is None
    new_server("second").down()
    assert standing.status().running is True


def test_status_before_the_first_up_changes_nothing(new_server):
    server = new_server("home")
    assert server.status().exists is False
    assert not server.home.root.exists()


def test_two_commands_at_once_make_one_server(new_server):
    uris = []
    home = new_server("home").home.root
    threads = [threading.Thread(target=lambda: uris.append(PrivateServer(home).up(settings=FAST))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(uris) == 3
    assert len(set(uris)) == 1


def test_a_port_that_is_asked_for_is_used_and_one_that_is_taken_is_refused(standing, new_server):
    second, wanted = new_server("second"), free_port(20000 + os.getpid() % 20000)
    assert f"port={wanted}" in second.up(port=wanted, settings=FAST)
    with pytest.raises(PrivateServerError, match=f"running on port {wanted}; run 'madtree down' first"):
        second.up(port=wanted + 1)
    third = new_server("third")
    with pytest.raises(PrivateServerError, match=f"port {wanted} is taken"):
        third.up(port=wanted)
    assert not third.home.root.exists()


def test_it_listens_on_the_loopback_address_only_and_there_wants_the_password(standing):
    status = standing.status()
    assert query(status.uri, "SHOW listen_addresses") == "127.0.0.1"
    assert query(status.tcp_uri, "SELECT host(inet_client_addr())") == "127.0.0.1"
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(status.tcp_uri.partition("?")[0], passfile="/dev/null")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(status.tcp_uri, password="guess")


def test_nobody_else_can_enter_the_socket_the_data_or_the_password(standing):
    home = standing.home
    for path in (home.socket_directory, home.data, home.log_directory, home.passfile):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_nobody_else_can_write_the_code_that_the_server_runs(standing):
    home = standing.home
    for path in (home.root, home.python, *home.python.rglob("*"), *home.prefix.rglob("*"), home.hba_file):
        if not path.is_symlink():
            assert path.stat().st_uid == os.geteuid(), path
            assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0, path


def test_a_home_too_deep_for_a_socket_address_gets_its_socket_elsewhere(open_directory):
    server = PrivateServer(open_directory / ("deep-" * 20))
    try:
        assert query(server.up(settings=FAST), "SELECT 1") == 1
        assert not server.home.socket_directory.is_relative_to(server.home.root)
        assert stat.S_IMODE(server.home.socket_directory.stat().st_mode) == 0o700
        moved = server.home.socket_directory.rename(server.home.socket_directory.with_suffix(".moved"))
        server.home.socket_directory.symlink_to(moved)  # as anybody could once it is gone
        with pytest.raises(PrivateServerError, match="is gone, or another user's"):
            server.status()
    finally:
        server.down()
        server.home.socket_directory.unlink()
        moved.rmdir()


def test_a_data_directory_that_madtree_did_not_make_is_left_alone(new_server):
    server = new_server("home")
    server.home.data.mkdir(parents=True)
    (server.home.data / "PG_VERSION").write_text("15\n")
    with pytest.raises(PrivateServerError, match="was not made by madtree"):
        server.up()
    assert [path.name for path in server.home.data.iterdir()] == ["PG_VERSION"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("/proc/home", "No such file or directory"),
        ("/dev/null/home", "Not a directory"),
        ("a file", "Not a directory"),
        ("a file/below/it", "Not a directory|File exists"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_home_that_cannot_be_is_told_in_a_sentence(open_directory: Path, place: str, words: str) -> None:
    (open_directory / "a file").touch()
    server = PrivateServer(open_directory / place)
    with pytest.raises(PrivateServerError, match=f"cannot use the directory {server.home.root}: ({words})") as caught:
        server.up()
    assert "Set MADTREE_HOME to a directory of your own" in str(caught.value.hint)
    assert isinstance(caught.value, MadtreeError)
    assert [path.name for path in open_directory.iterdir()] == ["a file"]


def test_a_damaged_state_is_told_and_left_as_it_is(open_directory: Path) -> None:
    home = open_directory / "home"
    home.mkdir()
    (home / "madtree.json").write_text('{"bindir": 1')
    for call in (PrivateServer(home).up, PrivateServer(home).down, PrivateServer(home).status):
        with pytest.raises(PrivateServerError, match=r"madtree\.json is damaged"):
            call()
    assert [path.name for path in home.iterdir()] == ["madtree.json"]


def test_a_home_of_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MADTREE_HOME", "~nobody-has-this-name/x")
    with pytest.raises(PrivateServerError, match="MADTREE_HOME is ~nobody-has-this-name/x, but that user has no home"):
        PrivateServer()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's server runs under their own account")
def test_a_home_that_roots_server_cannot_reach_is_refused_and_not_opened(open_directory):
    closed = open_directory / "closed"
    closed.mkdir(mode=0o700)
    for home in (closed, closed / "home"):
        with pytest.raises(PrivateServerError, match=r"(?s)cannot reach .*MADTREE_HOME"):
            PrivateServer(home).up()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert list(closed.iterdir()) == []


def test_a_server_that_cannot_start_shows_the_end_of_its_log(new_server, tmp_path):
    server, closed = new_server("home"), tmp_path / "closed"
    with pytest.raises(PrivateServerError, match=r"(?s)does not start.*no_such_setting"):
        server.up(settings={"no_such_setting": "1"})
    closed.write_text("what root alone may read\n")
    closed.chmod(0o600)
    server.home.log.unlink()
    server.home.log.symlink_to(closed)
    if server.user.is_other:  # which may have put the link there
        with pytest.raises(PrivateServerError, match="does not start") as caught:
            server.up(settings=FAST)
        assert "what root" not in str(caught.value)


def test_the_users_own_settings_survive_a_restart(running):
    (running.home.root / "user.conf").write_text("work_mem = '123MB'\n")
    (running.home.root / "user.conf").chmod(0o644)
    running.down()
    assert query(running.up(settings=FAST), "SHOW work_mem") == "123MB"


def test_a_change_of_the_package_reaches_a_running_server(running):
    """What a developer's edit does: the files in the home differ from the package's."""
    module, uri = running.home.python / "madtree" / "entry" / "functions.py", running.up()
    fresh = module.read_bytes()
    module.write_bytes(fresh + b"\n# older\n")
    (running.home.python / "madtree" / "gone.py").write_text("")
    state = running.home.read_state()
    state.sql_sha256 = "that of another script"
    running.home.write_state(state)
    oid = query(uri, "SELECT oid FROM pg_extension WHERE extname = 'madtree'")
    running.up()
    assert module.read_bytes() == fresh
    assert not (running.home.python / "madtree" / "gone.py").exists()
    assert query(uri, "SELECT oid FROM pg_extension WHERE extname = 'madtree'") != oid


def test_the_systems_other_extensions_can_be_created(standing):
    with psycopg.connect(standing.up(), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION postgres_fdw")


def test_a_missing_postgresql_is_said_with_the_packages_to_install(monkeypatch, tmp_path: Path):
    import madtree.install.postgres as postgres

    monkeypatch.setattr(postgres, "PG_CONFIGS", ())
    monkeypatch.setattr(postgres, "debian_installations", list)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MADTREE_PG_CONFIG", raising=False)
    with pytest.raises(NoPostgresError, match=r"(?s)found none.*apt-get install postgresql-NN postgresql-plpython3-NN"):
        find_installation()
    with pytest.raises(NoPostgresError, match="apt-get install postgresql-99 postgresql-plpython3-99"):
        find_installation(major=99)
    with pytest.raises(NoPostgresError, match="cannot run /nowhere/pg_config"):
        find_installation("/nowhere/pg_config")


def methods(home: Path) -> set[tuple[str, str]]:
    """Of the data directory's own pg_hba.conf: the kinds of connection, and how each is let in."""
    lines = (home / "data" / "pg_hba.conf").read_text().splitlines()
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {(line[0], line[-1]) for line in words}


def test_a_data_directory_that_is_started_by_hand_trusts_nobody(standing: PrivateServer) -> None:
    assert methods(standing.home.root) == {("local", "peer"), ("host", "scram-sha-256")}


@pytest.mark.parametrize("is_up", [True, False])
def test_up_closes_the_data_directory_of_an_older_version(running: PrivateServer, is_up: bool) -> None:
    """Where initdb was told to trust everybody; lines that a user has added stay."""
    file = running.home.data / "pg_hba.conf"
    before = file.stat()
    own = "host    all  alice  10.0.0.0/8  trust"
    text = file.read_text()
    trusting = re.sub(r"^(\w.* )(peer|scram-sha-256)$", r"\1trust", text, flags=re.MULTILINE)
    assert trusting != text
    file.write_text(trusting.rstrip("\n") + f"\n{own}\n# end\n")
    if not is_up:
        running.down()
    running.up(settings=FAST)
    assert file.read_text() == text.rstrip("\n") + f"\n{own}\n# end\n"
    assert (file.stat().st_uid, file.stat().st_mode) == (before.st_uid, before.st_mode)
    assert query(running.up(), "SELECT 1") == 1


def test_up_writes_through_no_link_into_another_file(running: PrivateServer, tmp_path: Path) -> None:
    """The data directory may belong to another account than the one that runs `up`, which may be root."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("local all all trust\n")
    file = running.home.data / "pg_hba.conf"
    file.unlink()
    file.symlink_to(elsewhere)
    running.up()
    assert elsewhere.read_text() == "local all all trust\n"
    file.unlink()
    running.up()


def up_in_a_namespace(home: Path, mounts: str, *arguments: Path | str) -> str:
    """What `madtree up` says where it alone sees some mounts, which a shell makes of its arguments `$1`, `$2`, ...

    They are gone with it, however it ends. Skips the test where mounts may not be made.
    """
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("no mounts can be made here")
    shell = ["sh", "-c", f'{mounts} || exit 77; exec "$0" -m madtree up', sys.executable, *arguments]
    environment = {**os.environ, "MADTREE_HOME": str(home)}
    done = subprocess.run(["unshare", "--mount", *shell], capture_output=True, text=True, env=environment)
    if done.returncode == 77:
        pytest.skip(f"no mounts can be made here: {done.stderr.strip()}")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("8k", "cannot use the directory {home}: No space left on device"),
        ("12m", "initdb failed"),
    ],
)
def test_a_full_disk_is_told(open_directory: Path, size: str, words: str) -> None:
    """Before there are data, and in the midst of them."""
    home = open_directory / "home"
    mount = f'mount -t tmpfs -o size={size},mode=755 tmpfs "$1"'
    said = up_in_a_namespace(home, mount, open_directory)
    assert words.format(home=home) in said
    assert "Make room there, or set MADTREE_HOME to a directory on another disk." in said


def test_a_missing_account_of_the_servers_is_told(open_directory: Path) -> None:
    others = open_directory / "passwd"
    lines = Path("/etc/passwd").read_text().splitlines(keepends=True)
    others.write_text("".join(line for line in lines if not line.startswith("postgres:")))
    said = up_in_a_namespace(open_directory / "home", 'mount --bind "$1" /etc/passwd', others)
    assert "there is no user 'postgres' to run it as" in said
    assert "useradd --system postgres" in said
    assert not (open_directory / "home").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become a user without an account")
def test_a_user_without_an_account_is_told(open_directory: Path) -> None:
    known = {entry.pw_uid for entry in pwd.getpwall()}
    nobodys = next(uid for uid in range(54_321, 60_000) if uid not in known)
    ours, theirs = multiprocessing.Pipe()

    def try_up() -> None:
        os.setuid(nobodys)
        try:
            PrivateServer(open_directory / "home").up()
        except PrivateServerError as error:
            theirs.send((str(error), error.hint))

    child = multiprocessing.get_context("fork").Process(target=try_up)
    child.start()
    child.join()
    message, hint = ours.recv() if ours.poll() else ("", "")
    assert message.startswith(f"your user id, {nobodys}, has no account on this system")
    assert "/etc/passwd" in hint
