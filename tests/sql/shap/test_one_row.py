"""tree_explain says of one row what tree_shap says of it among all, for every kind of model and both engines."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from boosted_data import MAKE
from forest_data import rows

import madtree
from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

IDS = (3, 48, 500, 871)
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "a tree of classes": ("tree", {"dependent_variable": "k"}, {}),
    "one class": ("tree", {"dependent_variable": "k"}, {"class": "class 1"}),
    "surrogates": ("tree", {"dependent_variable": "y", "surrogate_params": "max_surrogates=2"}, {}),
    "grouped trees": ("tree", {"dependent_variable": "late", "grouping_cols": "g", "weights": "w"}, {}),
    "a forest": ("forest", {"dependent_variable": "y", "num_trees": 4}, {}),
    "shares": ("forest", {"dependent_variable": "k", "num_trees": 4, "grouping_cols": "g"}, {"type": "prob_mean"}),
    "boosted classes": ("boost", {"dependent_variable": "k", "num_trees": 4}, {}),
    "boosted groups": ("boost", {"dependent_variable": "late", "num_trees": 4, "grouping_cols": "g"}, {}),
    "boosted counts": ("boost", {"dependent_variable": "n", "num_trees": 4, "loss": "poisson"}, {}),
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("UPDATE t SET a = NULL WHERE id = 48; UPDATE t SET c = 'never seen' WHERE id = 500")


def train(db: psycopg.Connection, kind: str, **more: Any) -> None:
    given = {"id_col_name": "id", "list_of_features": "a, b, c", **more}
    names = "".join(f", {name} => %s" for name in given)
    db.execute(
        f"SELECT madtree.{kind}_train(training_table_name => 'seen', output_table_name => 'm'{names})".encode(),
        [*given.values()],
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("what", MODELS)
def test_a_row_is_explained_as_among_all(db: psycopg.Connection, what: str) -> None:
    kind, more, asked = MODELS[what]
    db.execute("CREATE TABLE seen AS SELECT * FROM t WHERE id <> 500")
    train(db, kind, **more)
    names = "".join(f", {name} => %s" for name in asked)
    db.execute(f"SELECT madtree.tree_shap('m', 't', 'why', layout => 'long'{names})".encode(), [*asked.values()])
    db.execute(f"SELECT madtree.tree_shap('m', 't', 'wide'{names})".encode(), [*asked.values()])
    class_ = "class::text" if any("class" in row for row in rows(db, "SELECT * FROM why LIMIT 1")) else "NULL::text"
    for id_ in IDS:
        query = f"SELECT * FROM madtree.tree_explain('m', 't', %s{names})"
        said = rows_of(db, query, [str(id_), *asked.values()])
        with db.transaction():
            by_client = call(PsycopgHost(db), "tree_explain", ("m", "t", str(id_)), asked)
        assert [tuple(row) for row in by_client.rows] == [tuple(row.values()) for row in said]
        features = [row for row in said if row["rank"]]
        among_all = rows_of(
            db, f"SELECT {class_} AS class, feature, value, contribution, rank FROM why WHERE id = %s", [id_]
        )
        own = {(row["class"] if class_ != "NULL::text" else None, row["rank"]): row for row in features}
        assert len(own) == len(features) == len(among_all) > 0
        for row in among_all:
            found = own[row["class"], row["rank"]]
            assert {name: found[name] for name in ("feature", "value", "contribution")} == {
                name: row[name] for name in ("feature", "value", "contribution")
            }
        expected = [row["expected"] for row in rows_of(db, "SELECT expected FROM wide WHERE id = %s", [id_])]
        assert sorted(row["contribution"] for row in said if not row["rank"]) == sorted(expected)
        total = 0.0
        for row in said:
            total = row["contribution"] if not row["rank"] else total + row["contribution"]
            assert row["estimated"] == pytest.approx(total, abs=1e-12)


def test_the_last_one_is_the_prediction(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE seen AS SELECT * FROM t WHERE id <> 500")
    train(db, "boost", dependent_variable="y", num_trees=5, grouping_cols="g")
    db.execute("SELECT madtree.boost_predict('m', 't', 'scored')")
    client = madtree.connect(db)
    for id_ in IDS:
        *_, last = client.tree_explain("m", "t", id_)
        ((predicted,),) = db.execute("SELECT estimated_y FROM scored WHERE id = %s", [id_]).fetchall()
        assert last.estimated == pytest.approx(predicted, abs=1e-12)


def test_a_row_of_no_group_is_said(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE seen AS SELECT * FROM t WHERE g <> 2")
    train(db, "tree", dependent_variable="y", grouping_cols="g")
    ((id_,),) = db.execute("SELECT min(id) FROM t WHERE g = 2").fetchall()
    with pytest.raises(psycopg.Error, match=f"the row with id = {id_} in .* is of a group that m does not know"):
        db.execute("SELECT * FROM madtree.tree_explain('m', 't', %s)", [str(id_)])


def test_a_group_without_a_tree_is_said(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE seen AS TABLE t; UPDATE seen SET y = NULL WHERE g = 2")
    train(db, "boost", dependent_variable="y", grouping_cols="g", num_trees=2)
    ((id_,),) = db.execute("SELECT min(id) FROM t WHERE g = 2").fetchall()
    with pytest.raises(psycopg.Error, match=f"no tree could be trained for the group of the row with id = {id_}"):
        db.execute("SELECT * FROM madtree.tree_explain('m', 't', %s)", [str(id_)])


def rows_of(db: psycopg.Connection, query: str, given: list[Any]) -> list[dict[str, Any]]:
    with db.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(query.encode(), given).fetchall()
