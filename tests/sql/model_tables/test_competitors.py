"""The table of competitors, which belongs to the model. That its rows are rpart's is tested in tests/parity."""

from __future__ import annotations

import psycopg
import pytest
from training import train

import madtree

COLUMNS = "tree_id, node_id, rank, feature, threshold, left_levels, right_levels, improvement"


@pytest.fixture(autouse=True)
def _model(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i AS x, i + i % 7 AS z, 'c' || i % 3 AS c, i % 2 = 0 AS same,"
        " i / 60 - CASE i % 3 WHEN 0 THEN 0.5::float8 ELSE i % 3 / 100.0::float8 END AS y "
        "FROM generate_series(1, 240) i"
    )
    train(db, "t", "m", "y", "x, z, c, same", max_depth=2, max_competitors=2)


def competitors(db: psycopg.Connection, model: str = "m") -> list[tuple[object, ...]]:
    return db.execute(f"SELECT {COLUMNS} FROM {model}_competitors ORDER BY 1, 2, 3").fetchall()


def test_each_split_has_the_best_ones_by_other_features(db: psycopg.Connection) -> None:
    found = competitors(db)
    inner = dict(db.execute("SELECT node_id, (feature, improvement)::text FROM m_nodes WHERE NOT is_leaf").fetchall())
    assert {row[1] for row in found} == inner.keys() == {0, 1, 2}
    assert [row[2:4] for row in found if row[1] == 0] == [(1, "z"), (2, "c")]
    (third,) = [row for row in found if row[1:3] == (0, 2)]
    assert third[4:7] == (None, ["c0"], ["c1", "c2"])
    (gain,) = db.execute(
        "SELECT 240 * (var_pop(y) - (80 * var_pop(y) FILTER (WHERE c = 'c0') "
        "+ 160 * var_pop(y) FILTER (WHERE c <> 'c0')) / 240) FROM t"
    ).fetchone() or (None,)
    assert third[7] == pytest.approx(gain)
    own = dict(db.execute("SELECT node_id, improvement FROM m_nodes WHERE NOT is_leaf").fetchall())
    for node in inner:
        gains = [own[node], *(row[7] for row in found if row[1] == node)]
        assert gains == sorted(gains, reverse=True)


def test_a_verbose_display_prints_them(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.tree_display('m', false, true)").fetchone() or ("",)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(" (0)"))
    assert "improvement = " in lines[at]
    assert lines[at + 1].startswith("    competitor 1: z <= ")
    assert lines[at + 2].startswith("    competitor 2: c in {c0}  (improvement = ")
    (plain,) = db.execute("SELECT madtree.tree_display('m', false)").fetchone() or ("",)
    assert "competitor" not in plain
    db.execute("UPDATE m_competitors SET feature = 'y'")
    with pytest.raises(psycopg.Error, match="m is damaged: node 0 of tree 1 has a competitor that asks what is no"):
        db.execute("SELECT madtree.tree_display('m', false, true)")


def test_pruning_copies_those_of_the_splits_that_stay(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_prune('m', 'less', 0.2)")
    assert competitors(db, "less") == [row for row in competitors(db) if row[1] == 0]


def test_the_table_goes_with_the_model(db: psycopg.Connection) -> None:
    train(db, "t", "m", "y", "x, z", replace=True)
    assert db.execute("SELECT to_regclass('m_competitors')").fetchone() == (None,)
    train(db, "t", "m", "y", "x, z", replace=True, max_competitors=1)
    (line,) = db.execute("SELECT madtree.tree_drop('m')").fetchone() or ("",)
    assert "m_competitors" in line
    assert db.execute("SELECT to_regclass('m_competitors')").fetchone() == (None,)


def test_a_model_without_keeps_none(db: psycopg.Connection) -> None:
    with madtree.connect(db) as client:
        model = client.tree_train("t", "n", "id", "y", "x, z", max_competitors=1)
        assert [row.feature for row in model.competitors if row.node_id == 0] == ["z"]
        assert model.competitors[0].improvement > 0
        without = client.tree_train("t", "n", "id", "y", "x, z", replace=True)
        with pytest.raises(madtree.MadtreeError):
            list(without.competitors)
    with pytest.raises(psycopg.Error, match="max_competitors must be from 0 to 32768, not -1"):
        train(db, "t", "k", "y", "x", max_competitors=-1)
