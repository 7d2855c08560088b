"""What `verbose => true` tells of where the time went."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from training import train

CALLS = {
    "one small tree": ("rows", {}),
    "small groups": ("rows", {"grouping_cols": "g"}),
    "small groups, workers": ("rows", {"grouping_cols": "g", "parallel_workers": 2}),
    "one large tree": ("many", {}),
    "one large tree, workers": ("many", {"parallel_workers": 2}),
}


@pytest.fixture
def tables(db: psycopg.Connection) -> None:
    for name, n_rows in (("rows", 400), ("many", 70_000)):
        db.execute(
            f"CREATE TABLE {name} AS SELECT i AS id, i % 4 AS g, i * 7 % 11 AS x, i * 7 % 11 > 4 AS y"
            f" FROM generate_series(1, {n_rows}) i"
        )


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("table", "options"), CALLS.values(), ids=CALLS.keys())
def test_every_stage_is_told_once_and_they_make_up_the_run(
    db: psycopg.Connection, notices: list[str], table: str, options: dict[str, Any]
) -> None:
    line = train(db, table, "m", "y", "x", verbose=True, **options)
    (stages,) = [message for message in notices if message.startswith("stages: ")]
    seconds = {name: float(value) for name, value in re.findall(r"(\w+) ([0-9.]+) s", stages)}
    # Small groups that workers grow are pruned by them, too.
    expected = {"write", "sample", "pack", "passes"} | ({"prune"} if "grouping_cols" not in options else set())
    assert expected <= seconds.keys() <= expected | {"prune"}
    total = float(line.rsplit(", ", 1)[1].removesuffix(" s"))
    assert sum(seconds.values()) == pytest.approx(total, abs=0.02)


@pytest.mark.usefixtures("tables")
def test_without_verbose_nothing_is_told(db: psycopg.Connection, notices: list[str]) -> None:
    db.execute("UPDATE rows SET y = NOT y WHERE id % 17 = 0")  # or a feature would be remarked on
    train(db, "rows", "m", "y", "x", max_depth=2)
    assert notices == []
