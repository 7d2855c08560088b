"""What `verbose => true` tells of where the time went, and of each step as values."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from training import train

from madtree.host import Message

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
    # Between stages a busy machine may do something else.
    assert sum(seconds.values()) == pytest.approx(total, rel=0.1, abs=0.02)


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("call", "unit", "n_total"),
    [
        ("tree_train('rows', 'm', 'id', 'y', 'x', verbose => true)", "level", None),
        ("tree_train('many', 'm', 'id', 'y', 'x', verbose => true, parallel_workers => 2)", "level", None),
        ("tree_train('rows', 'm', 'id', 'y', 'x', grouping_cols => 'g', verbose => true)", "block", 1),
        ("forest_train('rows', 'm', 'id', 'y', 'x', num_trees => 5, verbose => true)", "tree", 5),
        ("boost_train('rows', 'm', 'id', 'y', 'x', num_trees => 5, verbose => true)", "round", 5),
        ("tree_tune('rows', 'm', 'id', 'y', 'x', 'tree', 'max_depth=2,3', 2, verbose => true)", "setting", 2),
    ],
)
def test_each_step_comes_as_values_beside_its_line(
    db: psycopg.Connection, call: str, unit: str, n_total: int | None
) -> None:
    """In fields of the message, since a client is not to take lines apart."""
    told: list[Message] = []
    db.add_notice_handler(lambda diagnostic: told.append(Message.of(diagnostic)))
    db.execute(f"SELECT madtree.{call}")  # type: ignore[call-overload]
    steps = [message.step for message in told if message.step is not None and message.step.unit == unit]
    assert steps
    assert [step.n_done for step in steps] == sorted({step.n_done for step in steps})
    assert {step.n_total for step in steps} == {n_total}
    assert n_total in (None, steps[-1].n_done)
    for message in told:
        begins = re.match(r"(level|tree|round|block|setting) (\d+)", message.text)
        assert (message.step is None) == (begins is None)
        if begins and message.step:
            assert (begins[1], int(begins[2]) + (begins[1] == "level")) == (message.step.unit, message.step.n_done)


@pytest.mark.usefixtures("tables")
def test_boosting_tells_a_line_a_round_with_its_losses(db: psycopg.Connection, notices: list[str]) -> None:
    more = "num_trees => 4, validation_params => 'fraction=0.3', verbose => true"
    db.execute(f"SELECT madtree.boost_train('rows', 'm', 'id', 'y', 'x', {more})")
    losses = db.execute("SELECT training_loss, validation_loss FROM m_rounds WHERE round > 0 ORDER BY round").fetchall()
    told = [re.sub(r", \d+ nodes, .*", "", line) for line in notices if not line.startswith("stages: ")]
    expected = [f"training loss {training:.6g}, validation loss {held_out:.6g}" for training, held_out in losses]
    assert told == [f"round {number} of 4: {line}" for number, line in enumerate(expected, 1)]


@pytest.mark.usefixtures("tables")
def test_without_verbose_nothing_is_told(db: psycopg.Connection, notices: list[str]) -> None:
    db.execute("UPDATE rows SET y = NOT y WHERE id % 17 = 0")  # or a feature would be remarked on
    train(db, "rows", "m", "y", "x", max_depth=2)
    assert notices == []
