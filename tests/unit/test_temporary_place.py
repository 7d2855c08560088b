"""Where temporary files go."""

from __future__ import annotations

from pathlib import Path

import pytest
from memory_host import MemoryHost

from madtree.host.temporary_place import TemporaryPlace
from madtree.sqltext.sessions import TEMPORARY_PLACE


@pytest.fixture(autouse=True)
def _data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)


def place(limit_bytes: int = -1, tablespaces: list[int] | None = None) -> TemporaryPlace:
    """Of a session inside a server that works in the current directory."""
    row = {"limit_bytes": limit_bytes, "major": 15, "tablespaces": tablespaces}
    return TemporaryPlace.of(MemoryHost(answers={TEMPORARY_PLACE: [row]}, in_server=True))


def test_outside_of_a_server_it_is_the_systems_own() -> None:
    assert TemporaryPlace.of(MemoryHost()) == TemporaryPlace(None, None)


def test_the_databases_own_place_is_made_where_it_is_missing() -> None:
    """Row data never go to the system's place for temporary files."""
    assert place() == TemporaryPlace("base/pgsql_tmp", None)
    assert Path("base/pgsql_tmp").stat().st_mode & 0o777 == 0o700
    assert place().directory == "base/pgsql_tmp"


def test_temporary_tablespaces_are_used() -> None:
    Path("pg_tblspc/4711/PG_15_202209061").mkdir(parents=True)
    assert place(tablespaces=[4711]).directory == "pg_tblspc/4711/PG_15_202209061/pgsql_tmp"
    assert place(tablespaces=[0]).directory == "base/pgsql_tmp"


def test_the_limit_is_the_servers() -> None:
    assert place(limit_bytes=7168).limit == 7168
