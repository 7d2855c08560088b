"""Two rounds of trees, the second on what the first have left: the same bytes in every way of training, and the trees
that are found by looking at every split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from training import Tables, read_model, train, train_by_client

from madtree.learn.prune import program
from madtree.request import Tuning
from tests.rounds import REPLACED, TWO_ROUNDS, Limits, boosted

N_ROWS = 700
STRATEGIES = ("memory", "workers", "aggregate")
LIMITS = {"max_depth": 3, "min_split": 40, "min_bucket": 15, "pruning_params": "cp=-1", "replace": True}
BY_PASSES = Tuning(block_rows=150, read_rows=70, surely_large=100)  # what a client does where rows are many
# The same with no memory for blocks, and of this the share is that of a budget.
IN_A_FILE = replace(BY_PASSES, block_share=2**40)
MAKE = f"""
    CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 10 < 7 THEN 0 ELSE i % 5 END AS g, i * 31 % 41 AS a,
        i * 17 % 23 AS b, i % 5 AS w, round(sin(i * 31 % 41 / 6.0)::numeric * 9, 2)::float8
            + (i * 17 % 23 > 12)::int * (i * 31 % 41) / 8.0 + i * 7919 % 101 / 128.0 AS y
    FROM generate_series(1, {N_ROWS}) i;
    ANALYZE t
"""


@pytest.fixture
def db_of_rounds(db: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """The session of `db`, in whose process trees are grown in two rounds."""
    db.execute(MAKE)
    db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'y', 'a, b', max_depth => 1)")  # loads madtree
    db.execute(
        f"DO LANGUAGE plpython3u $python$\nimport {REPLACED} as module\nmodule.before = module.grow\n"
        f"known = {{}}\nexec({TWO_ROUNDS!r}, known)\nmodule.grow = known['two_rounds']\n$python$"
    )
    yield db
    db.rollback()
    db.execute(f"DO LANGUAGE plpython3u $python$\nimport {REPLACED} as module\nmodule.grow = module.before\n$python$")


def trees_of(db: psycopg.Connection) -> Tables:
    return {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"}


def trained(db: psycopg.Connection, strategy: str, **more: Any) -> Tables:
    train(db, "t", "m", "y", "a, b", strategy=strategy, parallel_workers=2, **{**LIMITS, **more})
    return trees_of(db)


def trained_by_client(db: psycopg.Connection, tuning: Tuning, monkeypatch: pytest.MonkeyPatch, **more: Any) -> Tables:
    known: dict[str, Any] = {}
    exec(TWO_ROUNDS, known)
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id", "dependent_variable": "y"}
    with monkeypatch.context() as patch:
        patch.setattr(program, "grow", known["two_rounds"])
        train_by_client(db, tuning, **names, list_of_features="a, b", **{**LIMITS, **more})
    return trees_of(db)


@pytest.mark.parametrize("more", [{}, {"weights": "w"}, {"grouping_cols": "g"}], ids=str)
def test_two_rounds_are_the_same_in_every_way(
    db_of_rounds: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
) -> None:
    db = db_of_rounds
    expected = trained(db, "memory", **more)
    for strategy in STRATEGIES:
        assert trained(db, strategy, **more) == expected, strategy
    for tuning in (Tuning(), BY_PASSES, IN_A_FILE):
        assert trained_by_client(db, tuning, monkeypatch, **more) == expected, tuning


def test_the_second_round_is_the_one_that_is_found_by_looking_at_every_split(
    db_of_rounds: psycopg.Connection,
) -> None:
    rows = db_of_rounds.execute("SELECT a, b, y FROM t").fetchall()
    a, b, y = (list(map(float, column)) for column in zip(*rows, strict=True))
    first, second = boosted([a, b], y, Limits(3, 40, 15), 2)
    assert first.keys() != second.keys() or first != second
    for strategy in STRATEGIES:
        trained(db_of_rounds, strategy)
        found = db_of_rounds.execute("SELECT node_id, n_rows, prediction FROM m_nodes").fetchall()
        assert {node: n_rows for node, n_rows, _ in found} == {node: n_rows for node, (n_rows, _) in second.items()}
        for node, _, prediction in found:
            assert float(prediction) == pytest.approx(second[node][1], abs=1e-9)
