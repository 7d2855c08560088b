"""A private server's directory names programs, and holds some: those that somebody else put there are not run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

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


def test_ones_own_are(home: Path) -> None:
    state = Home(home).read_state()
    assert state is not None
    assert state.bindir == str(home.parent / "bin")
    assert Home(home / "none").read_state() is None
