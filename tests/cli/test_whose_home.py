"""A private server's directory names programs, and holds some: those that somebody else put there are not run."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from madtree.cli.files import replace
from madtree.embedded import PrivateServer, PrivateServerError
from madtree.embedded.home import Home

WAYS: dict[str, Callable[[PrivateServer], object]] = {
    "status": PrivateServer.status,
    "down": PrivateServer.down,
    "up": PrivateServer.up,
    "psql": PrivateServer.psql,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Of a server that seems to run; its pg_ctl leaves a file."""
    home = tmp_path / "home"
    for directory in ("bin", "share/extension", "lib", "home/postgres/bin", "home/data", "home/log", "home/run"):
        (tmp_path / directory).mkdir(parents=True)
    for program in ("pg_ctl", "postgres", "initdb", "psql", "pg_config"):
        for directory in (tmp_path / "bin", home / "postgres" / "bin"):
            (directory / program).write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
            (directory / program).chmod(0o755)
    places = {"bindir": "bin", "sharedir": "share", "pkglibdir": "lib"}
    state = {name: str(tmp_path / place) for name, place in places.items()} | {"version": "15", "port": 5999}
    (home / "madtree.json").write_text(json.dumps(state))
    (home / "data" / "postmaster.pid").write_text("4242\n")
    (home / "data" / "PG_VERSION").write_text("15\n")
    return home


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)
    else:
        another = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: another)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["", "madtree.json"])
@pytest.mark.parametrize("how", ["another user's", "everybody may write"])
def test_programs_of_others_are_not_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, way: str, part: str, how: str
) -> None:
    if how == "another user's":
        give_away(home / part, monkeypatch)
    else:
        (home / part).chmod((home / part).stat().st_mode | 0o002)
    server = PrivateServer(home)
    with pytest.raises(PrivateServerError, match=r"belongs to another user"):
        WAYS[way](server)
    assert not (home.parent / "ran").exists()


@pytest.mark.parametrize(
    "how",
    ["another user's", "everybody may write", "another group may write", "another user's link", "everybody's, sticky"],
)
def test_who_may_rename_it_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    above = home.parent / "above"
    above.mkdir()
    placed = home.rename(above / "home")
    if how == "another user's link":
        (home.parent / "link").symlink_to(above)
        os.lchown(home.parent / "link", 65534, -1) if os.geteuid() == 0 else pytest.skip("root alone gives files away")
        placed = home.parent / "link" / "home"
    elif how == "another user's":
        give_away(above, monkeypatch)
    elif how == "another group may write":
        above.chmod(0o770)
        assert Home(placed).read_state() is not None  # our own one may
        os.chown(above, -1, 65534) if os.geteuid() == 0 else monkeypatch.setattr(os, "getegid", lambda: 65534)
    else:
        above.chmod(0o1777 if "sticky" in how else 0o777)
    server = PrivateServer(placed)
    if "sticky" in how:  # as /tmp is
        assert server.home.read_state() is not None
        return
    with pytest.raises(PrivateServerError, match=r"belongs to another user"):
        server.status()
    assert not (home.parent / "ran").exists()


def test_ones_own_are(home: Path) -> None:
    state = Home(home).read_state()
    assert state is not None
    assert state.bindir == str(home.parent / "bin")
    assert Home(home / "none").read_state() is None


def test_a_file_is_given_its_rights_and_not_what_its_name_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a directory of another user's that may be a link by then, to a file of root's."""
    secret, page, made = tmp_path / "secret", tmp_path / "page.html", tempfile.mkstemp
    secret.touch(mode=0o600)

    def made_and_replaced(**given: Any) -> tuple[int, str]:
        descriptor, name = made(**given)
        os.unlink(name)
        os.symlink(secret, name)
        return descriptor, name

    monkeypatch.setattr(tempfile, "mkstemp", made_and_replaced)
    replace(page, "text")
    assert secret.stat().st_mode & 0o777 == 0o600


def test_what_was_a_pipe_may_be_a_link_by_the_time_that_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, page = tmp_path / "secret", tmp_path / "page.html"
    secret.write_text("kept")
    page.symlink_to(secret)
    monkeypatch.setattr(Path, "is_file", lambda path: False)
    replace(page, "text")
    assert (secret.read_text(), page.read_text()) == ("kept", "text")


def test_what_stands_for_a_stream_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/stdout leads to a file where the shell has said so; root would put another file in its place."""
    monkeypatch.setattr("madtree.cli.files._STREAMS", (tmp_path / "dev",))
    (tmp_path / "dev").mkdir()
    (tmp_path / "out").write_text("before, ")
    (tmp_path / "dev" / "stdout").symlink_to(tmp_path / "out")
    replace(tmp_path / "dev" / "stdout", "text")
    assert (tmp_path / "dev" / "stdout").is_symlink()
    assert (tmp_path / "out").read_text() == "before, text"


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone gives files away")
def test_the_rights_of_another_users_file_are_not_taken_over(tmp_path: Path) -> None:
    """Who made it in a directory such as /tmp could read, and change, what is written."""
    page = tmp_path / "page.html"
    for owner, rights in ((0, 0o666), (65534, 0o644)):
        page.touch()
        page.chmod(0o666)
        os.chown(page, owner, -1)
        before = os.umask(0o022)
        try:
            replace(page, "text")
        finally:
            os.umask(before)
        assert page.stat().st_mode & 0o777 == rights
