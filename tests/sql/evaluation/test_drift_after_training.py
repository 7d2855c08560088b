"""Trainings keep how the values of their rows are spread: what `tree_statistics` keeps of the same table."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forest_data import rows
from psycopg_host import PsycopgHost

from madtree.calls import run
from madtree.interface import FUNCTIONS

MAKE = """
CREATE TYPE size AS ENUM ('s', 'm', 'l');
CREATE TABLE t AS SELECT i AS id, CASE i % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity'
        WHEN 4 THEN NULL ELSE hashint4(i) / 4294967296.0::float8 END AS x,
    CASE WHEN i % 11 > 0 THEN abs(hashint4(-i)) % 40 END AS z,
    CASE WHEN i % 9 > 0 THEN repeat('c', abs(hashint4(i + 5)) % 30) END AS c,
    (ARRAY['s', NULL, 'm', 'l'])[1 + i % 4]::size AS s, i % 2 = 0 AS b, date '2026-01-01' + i % 90 AS d, i % 3 AS g,
    1 + i % 2 AS w, NULL::text AS nothing, ARRAY[i % 7, i % 100] AS a
FROM generate_series(1, 3000) AS i;
ALTER TABLE t ADD y boolean, ADD v float8, ADD late boolean;
UPDATE t SET y = hashint4(id) / 4294967296.0 + coalesce(z, 10) / 40.0 > 0.3, v = coalesce(z, 3) + id % 5,
    late = id % 10 = 0;
CREATE TABLE rest AS SELECT * FROM t WHERE id % 10 = 1;
CREATE VIEW seen AS SELECT * FROM t;
ANALYZE t;
"""
LIST = "x, z, c, s, b, d, nothing, a, x * 2"
SOME = {"num_trees": 3}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": ("tree_train", {}),
    "regression": ("tree_train", {"dependent_variable": "v"}),
    "groups": ("tree_train", {"grouping_cols": "g, b", "list_of_features": "x, z, c"}),
    "weights": ("tree_train", {"weights": "w"}),
    "nulls": ("tree_train", {"surrogate_params": "null_as_category=true"}),
    "folds": ("tree_train", {"pruning_params": "n_folds=3"}),
    "forest": ("forest_train", SOME),
    "forest of numbers": ("forest_train", SOME | {"dependent_variable": "v", "grouping_cols": "g"}),
    "three classes": ("forest_train", SOME | {"dependent_variable": "coalesce(s, 's')", "list_of_features": "x, z, c"}),
    "boosted": ("boost_train", SOME | {"weights": "w"}),
    "boosted groups": ("boost_train", SOME | {"grouping_cols": "g"}),
    "boosted classes": ("boost_train", SOME | {"dependent_variable": "g"}),
    "offsets": ("boost_train", SOME | {"offsets": "g / 100.0", "list_of_features": "x, c", "dependent_variable": "v"}),
    "encoded": (
        "boost_train",
        SOME | {"boost_params": "category_encoding=ordered", "list_of_features": "c, z, nothing, s, a"},
    ),
    "held out": ("boost_train", SOME | {"validation_params": "fold_col=late"}),
    "held out in a table": ("boost_train", SOME | {"validation_params": "table=rest"}),
}
WAYS = ("memory", "workers", "aggregate", "client", "view")
KEPT = "SELECT feature, kind, place, low, high, category, n FROM {} ORDER BY feature, place"


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def trained(db: psycopg.Connection, function: str, way: str = "auto", table: str = "t", **given: Any) -> list[Any]:
    """The statistics that a training keeps."""
    usual = {"training_table_name": table, "output_table_name": "m", "id_col_name": "id", "dependent_variable": "y"}
    given = {**usual, "list_of_features": LIST, **given}
    if way == "client":
        declared = FUNCTIONS[function]
        with db.transaction():
            run(PsycopgHost(db), declared, [given.get(each.name, each.default) for each in declared.arguments])
        return rows(db, KEPT.format("m_statistics"))
    if way == "view":
        given["training_table_name"] = "seen"
    elif way != "auto":
        given["strategy"] = way
    call = ", ".join(f"{name} => %({name})s" for name in given)
    db.execute(f"SELECT madtree.{function}({call})", given)  # type: ignore[arg-type]
    return rows(db, KEPT.format("m_statistics"))


def renewed(db: psycopg.Connection, table: str = "t") -> list[Any]:
    db.execute("SELECT madtree.tree_statistics('m', %s)", [table])
    return rows(db, KEPT.format("m_statistics"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_what_a_training_keeps_is_what_is_kept_of_its_table(db: psycopg.Connection, name: str) -> None:
    function, given = MODELS[name]
    kept = trained(db, function, **given)
    before = rows(db, "SELECT * FROM madtree.tree_drift('m', 'rest')")
    assert len(kept) > len(before)
    assert renewed(db) == kept
    assert rows(db, "SELECT * FROM madtree.tree_drift('m', 'rest')") == before
    assert all(row["psi"] == 0 for row in rows(db, "SELECT * FROM madtree.tree_drift('m', 't')"))


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tree", "forest", "boosted groups"])
def test_it_is_kept_whoever_trains(db: psycopg.Connection, name: str, way: str) -> None:
    function, given = MODELS[name]
    if (way, name) == ("aggregate", "boosted groups"):
        given = {key: value for key, value in given.items() if key != "grouping_cols"}
    assert trained(db, function, way, **given) == renewed(db)


MANY = """
CREATE TABLE many AS SELECT i AS id, i / 100 AS x, hashint4(i) / 4294967296.0::float8 AS u, 'c' || i % 30 AS c,
    i % 7 > 2 AS y, i % 3 AS g
FROM generate_series(1, 60000) AS i;
ANALYZE many;
CREATE VIEW seen_many AS SELECT * FROM many;
"""


@pytest.mark.parametrize("given", [{}, {"grouping_cols": "g"}], ids=["whole", "groups"])
def test_of_many_rows_the_same_are_drawn_in_every_way(db: psycopg.Connection, given: dict[str, Any]) -> None:
    db.execute(MANY)
    given = {"table": "many", "list_of_features": "x, u, c", "replace": True, **given}
    kept = trained(db, "tree_train", "memory", **given)
    for way in ("workers", "aggregate", "client"):
        assert trained(db, "tree_train", way, **given) == kept
    n_rows = {sum(row["n"] for row in kept if row["feature"] == feature) for feature in ("x", "u", "c")}
    assert len(n_rows) == 1
    assert 8_000 < n_rows.pop() < 12_000
    # Rows are not drawn from a few pages, in which x, by which the table is in order, would be the same.
    drift = rows(db, "SELECT * FROM madtree.tree_drift('m', 'many')")
    assert {row["feature"] for row in drift} == {"x", "u", "c", None}
    assert max(row["psi"] for row in drift) < 0.02
    assert max(row["outside"] or 0 for row in drift) < 0.005


def test_of_many_rows_of_a_view_some_are_drawn(db: psycopg.Connection) -> None:
    db.execute(MANY)
    kept = trained(db, "forest_train", table="seen_many", list_of_features="x, u, c", num_trees=2)
    assert 8_000 < sum(row["n"] for row in kept if row["feature"] == "u") < 12_000
    assert 8_000 < sum(row["n"] for row in kept if row["feature"] is None) < 12_000


def test_tuning_keeps_them_with_the_best_model(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_tune('t', 'm', 'id', 'y', 'x, z, c', 'forest', 'num_trees=2,3')")
    kept = rows(db, KEPT.format("m_model_statistics"))
    assert {row["feature"] for row in kept} == {"x", "z", "c", None}
    db.execute("SELECT madtree.tree_statistics('m_model', 't')")
    assert rows(db, KEPT.format("m_model_statistics")) == kept


def test_copies_have_what_is_of_features(db: psycopg.Connection) -> None:
    kept = trained(db, "boost_train", num_trees=4)
    db.execute("SELECT madtree.boost_cut('m', 'cut', 2), madtree.calibrate('m', 'rest', 'true')")
    of_features = [row for row in kept if row["feature"]]
    assert len(of_features) < len(kept)
    for copy in ("cut", "true"):
        assert rows(db, KEPT.format(f"{copy}_statistics")) == of_features
    kept = trained(db, "tree_train", output_table_name="n")
    db.execute("SELECT madtree.tree_prune('n', 'pruned', 0.1), madtree.tree_drop('m')")
    assert rows(db, KEPT.format("pruned_statistics")) == rows(db, KEPT.format("n_statistics"))


def test_rows_without_an_outcome_are_none_of_the_trainings(db: psycopg.Connection) -> None:
    """Nor is a feature asked of them, which may be no value there."""
    db.execute("UPDATE t SET y = NULL, z = 0 WHERE id % 3 = 0; UPDATE t SET z = 1 WHERE z = 0 AND y IS NOT NULL")
    kept = trained(db, "tree_train", list_of_features="100 / z, x")
    assert sum(row["n"] for row in kept if row["feature"] == "x") == 2_000
    db.execute("DELETE FROM t WHERE y IS NULL")
    assert renewed(db) == kept


def test_a_table_of_one_row(db: psycopg.Connection) -> None:
    db.execute("DELETE FROM t WHERE id <> 5")
    for function in ("tree_train", "forest_train"):
        kept = trained(db, function, dependent_variable="v", replace=True)
        assert renewed(db) == kept
        assert {row["n"] for row in rows(db, "SELECT n FROM madtree.tree_drift('m', 't')")} == {1}


def test_a_model_without_them_says_so_as_before(db: psycopg.Connection) -> None:
    """One of an older version, and one of more categories than a training keeps."""
    hint = "SELECT madtree.tree_statistics"
    trained(db, "tree_train")
    db.execute("DROP TABLE m_statistics")
    with pytest.raises(psycopg.Error, match="m has no statistics of its training rows") as raised:
        db.execute("SELECT madtree.tree_drift('m', 't')")
    assert hint in str(raised.value.diag.message_hint)
    db.execute("SELECT madtree.tree_drop('m')")
    db.execute(
        "CREATE TABLE zips AS SELECT i AS id, 'zip ' || i % 10001 AS zip, i % 7 > 2 AS y "
        "FROM generate_series(1, 20000) AS i"
    )
    assert trained(db, "tree_train", table="zips", list_of_features="zip") == []
    with pytest.raises(psycopg.Error, match="m has no statistics of its training rows") as raised:
        db.execute("SELECT madtree.tree_drift('m', 'zips')")
    assert hint in str(raised.value.diag.message_hint)
    assert len(renewed(db, "zips")) == 10_002
    assert len(rows(db, "SELECT * FROM madtree.tree_drift('m', 'zips')")) == 2
