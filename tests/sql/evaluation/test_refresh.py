"""tree_refresh: leaves held against sums of the rows that tree_predict sends there."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forest_data import rows
from psycopg_host import PsycopgHost

from madtree.model import find_to_use
from madtree.score import refreshed_nodes
from madtree.sqltext import models as models_sql

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x,
    CASE WHEN i % 11 > 0 THEN hashint4(-i) / 4294967296.0::float8 END AS z,
    'c' || abs(hashint4(i + 5)) % 9 AS c, i % 3 AS g, CASE WHEN i % 7 > 0 THEN 1 + i % 3 ELSE 0 END AS w
FROM generate_series(1, 3000) AS i;
ALTER TABLE t ADD v float8, ADD k text;
UPDATE t SET v = 3 * x + coalesce(z, 0.3) + (c < 'c4')::int + hashint4(id + 7) / 4294967296.0;
UPDATE t SET k = CASE WHEN v < 0 THEN 'low' WHEN v < 1 THEN 'mid' ELSE 'high' END;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 1500;
CREATE TABLE later AS SELECT id, x, z, c, g, w, v + 1 AS v, k FROM t WHERE id > 1500;
UPDATE later SET k = NULL, v = NULL WHERE id % 50 = 0;
"""
MODELS = {
    "numbers": ("v", "max_depth => 5"),
    "classes": ("k", "max_depth => 5"),
    "weights": ("k", "weights => 'w'"),
    "weighted numbers": ("v", "weights => 'w', surrogate_params => 'max_surrogates=2'"),
    "groups": ("k", "grouping_cols => 'g', surrogate_params => 'null_as_category=true'"),
}

SURROGATES = ", surrogate_params => 'max_surrogates=2'"
NULLS = ", surrogate_params => 'null_as_category=true'"


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MODELS)
def test_leaves_say_what_the_rows_say_that_come_to_them(db: psycopg.Connection, name: str) -> None:
    outcome, options = MODELS[name]
    db.execute(f"SELECT madtree.tree_train('training', 'm', 'id', '{outcome}', 'x, z, c', {options})")  # type: ignore[arg-type]
    answer = db.execute("SELECT madtree.tree_refresh('m', 'later', 'new')").fetchone()
    assert answer is not None
    assert answer[0].startswith("tree_refresh: m refreshed by ")
    db.execute("CREATE TABLE one AS SELECT * FROM later WHERE id = (SELECT min(id) FROM later)")
    assert db.execute("SELECT madtree.tree_refresh('m', 'one', 'short')").fetchone() == (
        "tree_refresh: m refreshed by 1 row of one into short",
    )
    db.execute(
        "SELECT madtree.tree_predict('m', 'later', 'before', 'leaf'), "
        "madtree.tree_predict('new', 'later', 'after', 'leaf')"
    )
    assert rows(db, "SELECT * FROM before EXCEPT SELECT * FROM after") == []
    weight = "w" if "weight" in name else "1"
    group = "g" if name == "groups" else "1"
    said = f"sum({weight} * v) / sum({weight})" if outcome == "v" else "NULL::float8"
    shares = ", ".join(f"coalesce(sum({weight}) FILTER (WHERE k = '{k}'), 0)::float8" for k in ("high", "low", "mid"))
    expected = rows(
        db,
        f"SELECT {group} AS g, node_id, count(*) AS n, sum({weight})::float8 AS weight, {said} AS said, "
        f"ARRAY[{shares}] AS shares FROM before JOIN later USING (id) "
        f"WHERE {outcome} IS NOT NULL AND {weight} > 0 GROUP BY 1, 2",
    )
    column = "m.g" if name == "groups" else "1 AS g"
    nodes = rows(
        db,
        f"SELECT {column}, n.*, o.prediction AS former FROM new_nodes AS n JOIN new AS m USING (tree_id) "
        "JOIN m_nodes AS o USING (tree_id, node_id)",
    )
    leaves = {(row["g"], row["node_id"]): row for row in nodes if row["is_leaf"]}
    for row in expected:
        leaf = leaves.pop((row["g"], row["node_id"]))
        assert leaf["n_rows"] == row["n"]
        assert leaf["weight"] == pytest.approx(row["weight"])
        if outcome == "v":
            assert leaf["prediction"] == pytest.approx(row["said"])
        else:
            assert leaf["class_weights"] == pytest.approx(row["shares"])
            assert leaf["prediction"] == ("high", "low", "mid")[row["shares"].index(max(row["shares"]))]
    for leaf in leaves.values():
        assert (leaf["n_rows"], leaf["prediction"]) == (0, leaf["former"])
    roots = {row["g"]: row for row in nodes if row["node_id"] == 0}
    for g, root in roots.items():
        assert root["n_rows"] == sum(row["n"] for row in expected if row["g"] == g)
    assert rows(db, "SELECT sum(n_rows)::int AS n FROM new")[0]["n"] == sum(row["n"] for row in expected)
    call = db.execute("SELECT madtree.tree_call('new')").fetchone()
    assert call == ("SELECT madtree.tree_refresh('m', 'later', 'new');",)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("outcome", ["k", "b", "n", "s"])
@pytest.mark.parametrize(
    "options", ["", ", surrogate_params => 'max_surrogates=2'", NULLS], ids=["", "surrogates", "nulls"]
)
def test_an_expression_counts_what_blocks_do(db: psycopg.Connection, outcome: str, options: str) -> None:
    """Where features are missing, NaN or infinite, categories and classes are new, and rows have no feature at all."""
    db.execute(
        "CREATE TYPE grade AS ENUM ('bad', 'good'); ALTER TABLE t ADD b boolean, ADD n int, ADD s grade, ADD f float8; "
        "UPDATE t SET b = v > 1, n = round(v), s = CASE WHEN v > 0.5 THEN 'good' ELSE 'bad' END::grade, "
        "f = CASE id % 9 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE v + id % 5 END; "
        "CREATE TABLE half AS SELECT * FROM t WHERE id % 2 = 0 AND n < 4; UPDATE t SET c = 'new' WHERE id % 8 = 1; "
        "UPDATE t SET x = NULL, z = NULL, c = NULL, f = NULL, id = -id WHERE id % 17 = 0"
    )
    db.execute(f"SELECT madtree.tree_train('half', 'm', 'id', '{outcome}', 'x, z, c, f'{options})")  # type: ignore[arg-type]
    found = []
    with db.transaction():
        host = PsycopgHost(db)
        opened = find_to_use(host, "m", False)
        for in_blocks in (True, False):
            found.append(refreshed_nodes(opened, "t", "new_table", in_blocks=in_blocks))
    blocks, case = found
    assert case.total == blocks.total > 2000
    for name in ("tree_id", "node_id", "n_rows", "weight", "prediction", "class_weights"):
        assert getattr(case, name).tobytes() == getattr(blocks, name).tobytes(), name


def test_the_training_rows_give_the_same_model(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'k', 'x, z, c')")
    db.execute("SELECT madtree.tree_refresh('m', 'training', 'new')")
    assert rows(db, "SELECT * FROM m_nodes EXCEPT SELECT * FROM new_nodes") == []
    assert rows(db, "SELECT * FROM m EXCEPT SELECT * FROM new") == []


@pytest.mark.parametrize(
    ("training", "said"),
    [
        ("tree_train('training', 'm', 'id', 'k', 'x', class_params => 'class_weight=balanced')", "has class_params"),
        ("tree_train('training', 'm', 'id', 'id', 'x', 'poisson', classification => false)", "rates of events"),
    ],
)
def test_what_does_not_follow_from_rows_is_refused(db: psycopg.Connection, training: str, said: str) -> None:
    training = training.replace("'x', 'poisson'", "'x', split_criterion => 'poisson'")
    db.execute(f"SELECT madtree.{training}")  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match=said) as caught:
        db.execute("SELECT madtree.tree_refresh('m', 'later', 'new')")
    assert "madtree.tree_call" in str(caught.value.diag.message_hint)


@pytest.mark.parametrize("in_blocks", [True, False])
def test_the_table_is_measured_and_the_nodes_are_read_once(db: psycopg.Connection, in_blocks: bool) -> None:
    asked: list[str] = []

    class Listening(PsycopgHost):
        def query(self, sql: str, *given: Any, **named: Any) -> Any:
            asked.append(sql)
            return super().query(sql, *given, **named)

        def stream(self, sql: str, *given: Any, **named: Any) -> Any:
            asked.append(sql)
            return super().stream(sql, *given, **named)

    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'k', 'x, z, c')")
    with db.transaction():
        host = Listening(db)
        opened = find_to_use(host, "m", False)
        asked.clear()
        refreshed_nodes(opened, "later", "new_table", in_blocks=in_blocks)
    assert asked.count(models_sql.size(*opened.tables.at)) == 1
    read = {each for each in asked if "m_nodes" in each and "majority_left" in each and "fault" not in each}
    assert len(read) == 1, read
