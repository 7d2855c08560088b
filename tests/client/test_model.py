"""Models as objects: what they read, what they predict for tables and frames, and how they are drawn."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

import madtree
from madtree.client import functions

FEATURES = ["length", "Width", "colour"]


@pytest.fixture
def model(client: madtree.Client, flowers: None) -> madtree.Model:
    return client.tree_train(
        "flowers", "m", "id", "kind", FEATURES, surrogate_params={"max_surrogates": 2, "null_as_category": False},
        pruning_params={"cp": 0.001, "n_folds": 3}, min_split=10,
    )  # fmt: skip


def test_training_gives_a_model_that_reads_its_tables(db: psycopg.Connection, model: madtree.Model) -> None:
    assert model.message is not None
    assert model.message.startswith("m: classification (3 classes), 300 rows, 1 tree")
    assert [row.node_id for row in model.nodes] == [r[0] for r in db.execute("SELECT node_id FROM m_nodes ORDER BY 1")]
    assert model.summary["features"] == ["length", '"Width"', "colour"]
    assert (model.summary["max_surrogates"], model.summary["n_folds"]) == (2, 3)
    assert len(model.trees) == 1
    assert {row.node_id for row in model.surrogates} <= {row.node_id for row in model.nodes}
    assert sum(model.cv.column("chosen")) == 1
    assert model.display() == db.execute("SELECT madtree.tree_display('m', false)").fetchone()[0]  # type: ignore[index]
    assert model.to_dot().startswith("digraph")
    assert db.execute(f"SELECT count({model.to_sql()}) FROM flowers").fetchone() == (300,)
    assert sorted(model.importance().column("feature")) == ['"Width"', "colour", "length"]
    shares = model.importance().column("impurity_var_importance")
    assert shares == model.client.tree_importance(model.name).column("impurity_var_importance")
    assert shares == sorted(shares, reverse=True)
    assert sum(model.importance().column("impurity_var_importance")) == pytest.approx(100)


def test_evaluation_is_that_of_the_server(db: psycopg.Connection, model: madtree.Model) -> None:
    found = model.evaluate("flowers")
    assert found.metrics == dict(db.execute("SELECT metric, value FROM tree_evaluate('m', 'flowers')").fetchall())
    assert found.metrics["n"] == 300
    assert found.by_tree == {1: found.metrics}
    assert [row.value for row in found if row.metric == "accuracy"] == [found.metrics["accuracy"]]
    assert sum(model.confusion("flowers").column("n")) == 300
    curve = model.curve("flowers", class_="1", max_points=5)
    assert sum(curve.column("n")) == 300
    assert curve[-1].recall == curve[-1].share == 1
    assert sum(model.reliability("flowers", class_="1", n_bins=4).column("n")) == 300
    (quantile,) = model.conformal_quantiles("flowers", "0.8")
    assert (quantile.level, quantile.n, 0 <= quantile.quantile <= 1) == (0.8, 300, True)
    assert model.client.tree_call(model.name).startswith("SELECT madtree.tree_train('flowers', ")
    frame = model.client.query("SELECT * FROM flowers").to_pandas()
    assert model.evaluate(frame).metrics == pytest.approx(found.metrics)


FRAMES: dict[str, Callable[[madtree.Result], Any]] = {
    "pandas": madtree.Result.to_pandas,
    "polars": madtree.Result.to_polars,
    "arrow": madtree.Result.to_arrow,
    "record batch": lambda rows: rows.to_arrow().combine_chunks().to_batches()[0],
    "mapping": lambda rows: {name: rows.column(name) for name in rows.columns},
    "mapping of arrays": lambda rows: {name: rows.to_numpy()[name] for name in rows.columns},
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("type_", ["response", "prob", "leaf"])
def test_a_frames_rows_get_what_the_tables_rows_get(model: madtree.Model, kind: str, type_: str) -> None:
    rows = model.client.query('SELECT id, length, "Width", colour, wild FROM flowers ORDER BY id DESC')
    expected = {row[0]: row[1:] for row in model.predict("flowers", type_)}
    found = model.predict(FRAMES[kind](rows), type_)
    assert found.columns == model.predict("flowers", type_).columns
    assert [row[0] for row in found] == list(range(300))
    assert [row[1:] for row in found] == [expected[number] for number in rows.column("id")]


def test_a_grouped_model_predicts_each_row_by_its_group(client: madtree.Client, flowers: None) -> None:
    model = client.tree_train("flowers", "m", "id", "price", ["length", "Width"], grouping_cols=["colour"])
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    expected = dict(tuple(row) for row in model.predict("flowers"))
    found = model.predict(frame).column("estimated_price")
    assert found == [expected[number] for number in frame["id"]]
    assert found.count(None) == frame["colour"].isna().sum() > 0
    assert "svg" in model._repr_html_()
    (first, *_) = model.trees
    assert model.to_svg(first.tree_id) != model.to_svg(model.trees[-1].tree_id)


def test_an_id_that_is_a_feature_keeps_its_values(
    client: madtree.Client, db: psycopg.Connection, flowers: None
) -> None:
    """Models of older versions may have it; the id among the features is left out now."""
    model = client.tree_train("flowers", "m", "id", "price", ["id", "length"])
    assert model.summary["features"] == ["length"]
    db.execute("UPDATE m_summary SET id_col_name = 'length'")
    frame = client.query("SELECT id, length FROM flowers WHERE length > 0 ORDER BY id DESC LIMIT 5").to_pandas()
    assert sorted(model.predict(frame).column("length")) == sorted(frame["length"])


LONG = "ß" * 31 + "x"  # 63 bytes


@pytest.mark.parametrize("names", [("Flower Model", 'col "q"'), (LONG, LONG), ("100%s", "%s {}")])
def test_names_may_be_odd(db: psycopg.Connection, client: madtree.Client, schema: str, names: tuple[str, str]) -> None:
    name, column = names
    db.execute(
        sql.SQL(
            'CREATE TABLE {} AS SELECT g AS "Id\'s", g > 50 AS y, g AS {} FROM generate_series(1, 100) AS g'
        ).format(sql.Identifier("T " + name[:20]), sql.Identifier(column))
    )
    quoted = [sql.Identifier(schema, text).as_string() for text in ("T " + name[:20], name)]
    model = client.tree_train(quoted[0], quoted[1], '"Id\'s"', "y", [column])
    assert model.evaluate(quoted[0]).metrics["accuracy"] == 1
    assert model.predict({column: [1, 100, None]}).column("estimated_y")[:2] == [False, True]
    assert model.to_sklearn().predict({column: [1, 100]}).tolist() == [False, True]
    assert model.importance()[0].impurity_var_importance == 100
    assert len(model.nodes) == 3
    model.drop()
    with pytest.raises(madtree.MadtreeError, match="does not exist"):
        client.model(quoted[1])


def test_ordinary_users_without_a_search_path_can_do_it_all(
    server: Any,
    dsn: str,
    schema: str,
    db: psycopg.Connection,
    user_db: psycopg.Connection,
    ordinary_user: Any,
    flowers: None,
) -> None:
    db.execute(sql.SQL("GRANT SELECT ON flowers TO {}").format(sql.Identifier(ordinary_user[0])))
    login = make_conninfo(dsn, user=ordinary_user[0], password=ordinary_user[1], options="-c search_path=")
    with madtree.connect(login) as client:
        table, name = f"{schema}.flowers", f"{schema}.m"
        model = client.tree_train(table, name, "id", "kind", FEATURES)
        frame = client.query(f"SELECT * FROM {table}").to_pandas()
        assert len(model.predict(frame)) == len(model.predict(table)) == 300
        assert model.evaluate(frame).metrics["n"] == 300
        assert model._repr_html_()
        estimator = madtree.DecisionTreeClassifier(client).fit(table, "kind")
        assert estimator.score(table, "kind") == pytest.approx(
            madtree.DecisionTreeClassifier(client)
            .fit(frame.drop(columns=["id", "kind"]), frame["kind"])
            .score(table, "kind")
        )
        left = client.query(
            "SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.pg_my_temp_schema()"
        )
        assert len(left) == 0


def test_pictures_are_whole_documents_and_say_what_they_show(model: madtree.Model) -> None:
    page = model._repr_html_()
    assert page.count("<svg") == 1
    assert "Classification tree for kind: 300 rows" in page
    assert "<details><summary>As text</summary>" in page
    assert "<script" not in page
    assert len(model.to_svg(max_depth=0)) < len(model.to_svg())


def test_pruning_gives_another_model(model: madtree.Model) -> None:
    pruned = model.prune("smaller", 0.5)
    assert pruned.name == "smaller"
    assert len(pruned.nodes) < len(model.nodes)


def test_a_model_that_is_not_there_says_so(client: madtree.Client, flowers: None) -> None:
    with pytest.raises(madtree.MadtreeError, match="relation nothing does not exist"):
        client.model("nothing")
    with pytest.raises(madtree.MadtreeError, match="flowers is not a madtree model"):
        client.model("flowers").nodes  # noqa: B018


def test_a_frame_of_the_wrong_kind_is_refused_with_its_row(model: madtree.Model) -> None:
    with pytest.raises(TypeError, match=r"column 'length', row 1: argument must be .* not complex \(1j\)"):
        model.predict({"length": [1.0, 1j], "Width": [1, 2], "colour": ["red", "red"]})
    with pytest.raises(TypeError, match="column 'length' has values of types that do not go together: float, str"):
        model.predict({"length": [1.0, "a"], "Width": [1, 2], "colour": ["red", "red"]})
    with pytest.raises(madtree.MadtreeError, match=r'new_data_table: .* lacks "Width", colour, which the model needs'):
        model.predict({"length": [1.0]})
    with pytest.raises(ValueError, match="the columns differ in length"):
        model.predict({"length": [1.0], "Width": [1, 2]})


def test_explanations_come_as_rows_and_documents(db: psycopg.Connection, model: madtree.Model) -> None:
    if not db.execute("SELECT 1 FROM pg_proc WHERE proname = 'tree_rules'").fetchone():
        pytest.skip("this server's madtree has no tree_rules")
    leaves = [row.node_id for row in model.nodes if row.is_leaf]
    assert sorted(row.node_id for row in model.rules()) == leaves
    ends = dict(tuple(row) for row in model.predict("flowers", "leaf"))
    assert [row.node_id for row in model.path("flowers", 7)][-1] == ends[7]
    with pytest.raises(madtree.MadtreeError, match="id must be the id of a row, not NULL"):
        model.path("flowers", None)
    assert json.loads(model.to_json()) == model.client.tree_to_json("m")
    assert "<PMML" in model.to_pmml()
    assert "m" in [row.name for row in model.client.models()]


def test_results_are_rows_arrays_and_frames(client: madtree.Client) -> None:
    result = client.query(
        """SELECT * FROM (VALUES (1, 1.5::float8, 'a', true, 7, false, ARRAY[1, 2], '{"k": [1]}'::jsonb, 1.25),
        (2, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL))
        AS t (i, f, t, b, "i null", bn, arr, j, n)"""
    )
    assert len(result) == 2
    assert result[0].i == 1
    assert result[0] == (1, 1.5, "a", True, 7, False, [1, 2], {"k": [1]}, result[0].n)
    assert result[:1].columns == result.columns
    assert result.column("i null") == [7, None]
    assert result.to_dicts()[1]["t"] is None
    with pytest.raises(KeyError, match="no column 'x'; there are i, f, t"):
        result.column("x")

    array = result.to_numpy()
    assert array.shape == (2,)
    assert [array.dtype[name].kind for name in result.columns] == list("ifObfOOOO")
    assert np.isnan(array["i null"][1])
    assert array["arr"].tolist() == [[1, 2], None]

    frame = result.to_pandas()
    assert [str(frame[name].dtype) for name in ("i", "f", "b", "i null", "bn")] == [
        "int64", "float64", "bool", "Int64", "boolean",
    ]  # fmt: skip
    assert isinstance(frame, pd.DataFrame)
    polars = result.to_polars()
    assert polars.dtypes[:6] == [pl.Int64, pl.Float64, pl.String, pl.Boolean, pl.Int64, pl.Boolean]
    assert polars["arr"].to_list() == [[1, 2], None]
    arrow = result.to_arrow()
    assert arrow.schema.types[:6] == [pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.int64(), pa.bool_()]
    assert "<td>1</td><td>1.5</td><td>a</td>" in result._repr_html_()


def test_results_without_rows_keep_their_columns(client: madtree.Client) -> None:
    result = client.query("SELECT 1 AS i, 1.0::float8 AS f, 'x'::text AS t, true AS b WHERE false")
    assert not result
    assert result.to_numpy().shape == (0,)
    assert [str(kind) for kind in result.to_pandas().dtypes[:2]] == ["int64", "float64"]
    assert result.to_polars().schema == {"i": pl.Int64, "f": pl.Float64, "t": pl.String, "b": pl.Boolean}
    assert result.to_arrow().num_rows == 0


def test_columns_that_python_reads_alike_are_told_apart(client: madtree.Client) -> None:
    (row,) = result = client.query('SELECT 1 AS "\u00e9", 2 AS "e\u0301", 3 AS "\u212bx"')
    assert (row.é, row._1, row.Åx) == (1, 2, 3)
    assert result.to_dicts() == [{"\u00e9": 1, "e\u0301": 2, "\u212bx": 3}]


def test_html_of_results_is_escaped(client: madtree.Client) -> None:
    assert "&lt;b&gt;" in client.query("SELECT '<b>' AS t")._repr_html_()


@pytest.mark.usefixtures("flowers")
def test_rows_have_the_columns_that_editors_are_told_of(client: madtree.Client) -> None:
    how = {"surrogate_params": "max_surrogates=2", "pruning_params": "n_folds=3, cp=-1"}
    model = client.tree_train("flowers", "m", "id", "kind", ["length", "price"], **how)  # type: ignore[arg-type]
    stub = ast.parse(Path(f"{functions.__file__}i").read_text())
    told = {each.name: each for each in stub.body if isinstance(each, ast.ClassDef)}
    for kind, result in (
        ("TreeRow", model.trees),
        ("NodeRow", model.nodes),
        ("SurrogateRow", model.surrogates),
        ("CpRow", model.cv),
        ("ImportanceRow", model.importance()),
        ("ModelRow", client.models()),
    ):
        columns = {str(each.target.id) for each in told[kind].body if isinstance(each, ast.AnnAssign)}  # type: ignore[union-attr]
        assert len(result) > 0, kind
        assert len(columns) > 0, kind
        assert columns <= set(result.columns), kind
