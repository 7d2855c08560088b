"""Every way of growing forests gives the same bytes: one process in one go or by blocks, workers that share trees, the
aggregate over a table of blocks, a client without functions in the server.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from shares import share
from training import Tables, alike, read_model, train_by_client

from madtree.request import Tuning

MAKE = """
    CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 10 < 7 THEN 0 ELSE i % 5 END AS g,
        (i % 1013 * 7919 % 1013 > 500) <> (i % 7 = 0) AS y, 'class ' || (i * 31 % 977 * 7 + i % 11) / 400 AS many,
        nullif(i * 31 % 977, 5) / 977.0::float8 AS a, nullif(i * 17 % 211, 7) AS b,
        nullif('category ' || i * 13 % 19, 'category 3') AS c, i % 5 AS w
    FROM generate_series(1, 1700) i;
    ANALYZE t
"""
ADD_ARRAYS = """
    ALTER TABLE t ADD narrow float8[];
    UPDATE t SET narrow = ARRAY(SELECT (t.id * j % 101)::float8 FROM generate_series(1, 70) j);
    ANALYZE t
"""


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def trained(db: psycopg.Connection, strategy: str, **more: Any) -> Tables:
    """The tables of the forest, but for the summary, which tells how it was asked for."""
    arguments = {"target": "y", "features": "a, b, c", "num_trees": 5, "max_tree_depth": 8, "replace": True, **more}
    target, features = arguments.pop("target"), arguments.pop("features")
    named = "".join(f", {name} => %s" for name in arguments)
    call = f"SELECT madtree.forest_train('t', 'm', 'id', %s, %s{named}, strategy => %s)"
    db.execute(call, [target, features, *arguments.values(), strategy])
    return trees_of(db)


def trained_by_client(db: psycopg.Connection, tuning: Tuning, **more: Any) -> Tables:
    """The same of a training in this process."""
    names = {"training_table_name": "t", "output_table_name": "m", "id_col_name": "id"}
    named = {"num_trees": 5, "max_tree_depth": 8, "replace": True, **more}
    target, features = named.pop("target", "y"), named.pop("features", "a, b, c")
    train_by_client(db, tuning, **names, dependent_variable=target, list_of_features=features, **named)
    return trees_of(db)


def trees_of(db: psycopg.Connection) -> Tables:
    return {part: rows for part, rows in read_model(db, "m").items() if part != "_summary"}


WAYS = [("workers", 1), ("aggregate", 0), ("workers", 3), ("aggregate", 2)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("turn", "more"),
    list(
        enumerate(
            [
                {},
                {"weights": "w", "split_criterion": "entropy", "num_permutations": 2},
                {"target": "a * b", "weights": "w", "null_handling_params": "max_surrogates=2"},
                {"target": "many", "max_tree_depth": None, "sample_ratio": 0.7, "num_trees": 2},
                {"grouping_cols": "g", "null_handling_params": "max_surrogates=1, null_as_category=true"},
                {"target": "a + b", "grouping_cols": "g", "sampling": "without_replacement"},
                {"features": "narrow", "num_random_features": 9, "importance": False},
                {"num_splits": 400, "memory_mb": 8},
            ]
        )
    ),
    ids=lambda value: str(value),
)
def test_every_strategy_gives_the_same_bytes(db: psycopg.Connection, turn: int, more: dict[str, Any]) -> None:
    """With one worker or more in turn."""
    if more.get("features") == "narrow":
        db.execute(ADD_ARRAYS)
    expected = trained(db, "auto", **more, parallel_workers=0)
    for strategy, workers in [*share([("memory", 0), *WAYS[:2]], 3, turn), *share(WAYS[2:], 2, turn + 1)]:
        assert trained(db, strategy, **more, parallel_workers=workers) == expected, (strategy, workers)
    for tuning in share((Tuning(), Tuning(block_rows=1_500, read_rows=700, surely_large=100)), 2, turn):
        found = trained_by_client(db, tuning, **more)
        assert found == expected or alike(found, expected, more), tuning


def test_the_deviance_of_a_tree_of_counts_does_not_depend_on_those_beside_it(db: psycopg.Connection) -> None:
    """Of three trees workers grow each by itself, and others several at once."""
    counts = {"target": "b", "split_criterion": "poisson", "weights": "w", "grouping_cols": "g", "num_trees": 3}
    expected = trained(db, "memory", **counts)
    for strategy, workers in WAYS[:2]:
        assert trained(db, strategy, **counts, parallel_workers=workers) == expected, strategy


def test_the_importance_of_one_feature_does_not_depend_on_the_groups_beside_it(db: psycopg.Connection) -> None:
    """To the last digit, of as many trees as numpy adds up in another order where they stand alone."""
    alone = {"target": "a * b", "features": "b", "grouping_cols": "g", "num_trees": 30}
    together = trained(db, "memory", **alone)["_group"]
    assert len(together) > 1
    of_groups = []
    db.execute("ALTER TABLE t RENAME TO all_rows")
    for group in {row["g"] for row in together}:
        db.execute("DROP TABLE IF EXISTS t")
        db.execute("CREATE TABLE t AS SELECT * FROM all_rows WHERE g::text = %s", [group])
        of_groups += trained(db, "memory", **alone)["_group"]
    for name in ("oob_var_importance", "oob_var_importance_sd"):
        assert {row["g"]: row[name] for row in of_groups} == {row["g"]: row[name] for row in together}


def test_rows_in_a_table_begin_each_wave_at_the_roots(db: psycopg.Connection) -> None:
    """In waves of eight trees, for which there is memory: one that grows, one that may not, and a last of one tree."""
    db.execute("DELETE FROM t WHERE id > 60; ALTER TABLE t ADD x float8; UPDATE t SET x = id, y = id = 30")
    arguments = {"features": "x", "num_trees": 17, "sample_ratio": 0.2, "memory_mb": 8, "importance": False}
    grown = False
    for seed in range(12):
        expected = trained(db, "memory", parallel_workers=0, seed=seed, **arguments)
        assert trained(db, "aggregate", parallel_workers=0, seed=seed, **arguments) == expected
        waves = [[n_nodes > 1 for n_nodes in nodes_of(db, first, first + 7)] for first in (1, 9)]
        if grown := any(waves[0]) and not any(waves[1]):
            break
    assert grown


def nodes_of(db: psycopg.Connection, first: int, last: int) -> list[int]:
    """Of some of the trees."""
    query = "SELECT n_nodes FROM m WHERE sample_id BETWEEN %s AND %s ORDER BY sample_id"
    return [int(n) for (n,) in db.execute(query, [first, last]).fetchall()]


def test_workers_take_part(db: psycopg.Connection) -> None:
    notices: list[str] = []
    db.add_notice_handler(lambda found: notices.append(found.message_primary or ""))
    trained(db, "workers", parallel_workers=2, verbose=True)
    assert any("resident worker" in notice for notice in notices)
    assert notices[-2].startswith("tree 5 of 5: ")


@pytest.mark.parametrize("source", ["a table", "a view"])
def test_rows_that_were_read_for_their_bins_are_handed_to_workers(db: psycopg.Connection, source: str) -> None:
    """They do not read them again, so the rows may come of a function that is not PARALLEL SAFE."""
    db.execute("CREATE FUNCTION own(v float8) RETURNS float8 LANGUAGE sql PARALLEL UNSAFE AS 'SELECT v + random() * 0'")
    db.execute("ALTER TABLE t RENAME TO kept; CREATE VIEW t AS SELECT * FROM kept" if source == "a view" else "")
    arguments = {"features": "own(a), b, c", "max_tree_depth": 5}
    notices: list[str] = []
    db.add_notice_handler(lambda found: notices.append(found.message_primary or ""))
    expected = trained(db, "memory", parallel_workers=0, **arguments)
    assert trained(db, "workers", parallel_workers=1, verbose=True, **arguments) == expected
    assert any("resident worker" in notice for notice in notices)


def test_trees_that_find_no_room_in_temporary_files_leave_nothing(db: psycopg.Connection) -> None:
    db.execute("SET temp_file_limit = '10kB'")
    with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="temp_file_limit"):
        trained(db, "workers", parallel_workers=1)
    db.execute("RESET temp_file_limit")
    assert db.execute("SELECT to_regclass('m'), to_regclass('m_nodes')").fetchone() == (None, None)
