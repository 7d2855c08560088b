"""Making, filling, replacing and dropping a model's tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg_host import PsycopgHost
from training import columns_of, train
from waiting import PATIENCE, wait_until_blocked

from madtree import __version__
from madtree.errors import MadtreeError
from madtree.learn.prune import CategorySets, NodeColumns, TreeColumns, TreeKeys
from madtree.model.tables import create_tables
from madtree.model.turns import drop_model
from madtree.model.write import ModelOutput, Totals, write_nodes, write_summary, write_trees
from madtree.request.arguments import check_arguments
from madtree.request.train_request import TrainingTask
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import suffixed

NAN = float("nan")
AWKWARD = ['a "b", {c}', "NULL", "", "back\\slash", "line\nbreak", "it's 木"]


@pytest.fixture
def host(db: psycopg.Connection) -> PsycopgHost:
    db.execute("""
        CREATE TYPE mood AS ENUM ('sad', 'happy');
        CREATE TABLE data (
            id int, y text, x float8, "Level, ""q" text, m mood, n int, v numeric(8,2), g1 date, "G 2" varchar(9)
        );
    """)
    return PsycopgHost(db)


def task_of(host: PsycopgHost, dependent: str = "y", output: str = "model", **more: Any) -> TrainingTask:
    return check_arguments(host, "data", output, "id", dependent, 'x, "Level, ""q", m', **more)


def keys(groups: Any) -> TreeKeys:
    """Of single trees."""
    return TreeKeys(np.asarray(groups), np.zeros(len(groups), np.int64))


def columns(kind: Any, key: TreeKeys, **values: Any) -> Any:
    return kind(key=key, **{k: v if isinstance(v, CategorySets) else np.asarray(v) for k, v in values.items()})


def no_categories(n: int) -> CategorySets:
    return CategorySets.of([None] * n)


def three_nodes(prediction: Any, class_weights: Any) -> NodeColumns:
    """A root that splits on the text feature, and two leaves."""
    return columns(
        NodeColumns,
        keys([0, 0, 0]),
        node_id=[0, 1, 2],
        depth=[0, 1, 1],
        feature=[1, -1, -1],
        threshold=[NAN, NAN, NAN],
        left=CategorySets.of([np.arange(len(AWKWARD)), None, None]),
        right=CategorySets.of([np.array([len(AWKWARD)]), None, None]),
        majority_left=[1, 0, 0],
        n_rows=[10, 6, 4],
        weight=[10.5, 6.25, 4.25],
        impurity=[0.1 + 0.2, 0.0, 1e-300],
        risk=[1 / 3, 0.0, 2.0],
        complexity=[0.5, 0.01, 0.01],
        improvement=[3.5, 0.0, 0.0],
        prediction=prediction,
        class_weights=class_weights,
    )


# Of the three features of `task_of` the second is unordered.
CATEGORIES = [None, [*AWKWARD, "other"], None]


def one_tree(key: TreeKeys | None = None, **changes: Any) -> TreeColumns:
    values: dict[str, Any] = {
        "n_rows": [10],
        "n_nodes": [3],
        "n_leaves": [2],
        "tree_depth": [1],
        "grown_depth": [2],
        "pruning_cp": [0.0],
        "root_risk": [1 / 3],
        "importance": [[0.0, 3.5, 0.0]],
        "oob_error": [float("nan")],
        "is_tested": [False],
        "is_explainable": [True],
        "explained": [[False, False, False]],
    }
    return columns(TreeColumns, key or keys([0]), **(values | changes))


def test_the_tables_have_the_columns_of_the_design(host: PsycopgHost) -> None:
    create_tables(host, task_of(host, grouping_cols='g1, "G 2"'))

    assert columns_of(host.connection, "model") == [
        ("g1", "date"),
        ("G 2", "character varying(9)"),
        ("cat_levels_in_text", "text[]"),
        ("cat_n_levels", "integer[]"),
        ("impurity_var_importance", "double precision[]"),
        ("tree_depth", "integer"),
        ("pruning_cp", "double precision"),
        ("tree_id", "integer"),
        ("n_rows", "bigint"),
        ("n_nodes", "integer"),
        ("n_leaves", "integer"),
        ("root_risk", "double precision"),
        ("success", "boolean"),
        ("message", "text"),
    ]
    assert columns_of(host.connection, "model_nodes") == [
        ("tree_id", "integer"),
        ("node_id", "bigint"),
        ("parent_id", "bigint"),
        ("depth", "integer"),
        ("is_leaf", "boolean"),
        ("feature", "text"),
        ("threshold", "double precision"),
        ("left_levels", "text[]"),
        ("majority_left", "boolean"),
        ("n_rows", "bigint"),
        ("weight", "double precision"),
        ("impurity", "double precision"),
        ("risk", "double precision"),
        ("complexity", "double precision"),
        ("improvement", "double precision"),
        ("prediction", "text"),
        ("class_weights", "double precision[]"),
        ("right_levels", "text[]"),
    ]
    summary = dict(columns_of(host.connection, "model_summary"))
    assert " ".join(list(summary)[:22]) == (
        "method is_classification source_table model_table id_col_name list_of_features list_of_features_to_exclude "
        "dependent_varname independent_varnames cat_features con_features grouping_cols num_all_groups "
        "num_failed_groups total_rows_processed total_rows_skipped dependent_var_levels dependent_var_type "
        "independent_var_types input_cp n_folds null_proxy"
    )
    assert summary["total_rows_processed"] == summary["total_rows_skipped"] == "bigint"
    assert summary["dependent_var_levels"] == "text[]"


@pytest.mark.parametrize(
    ("dependent", "type_"),
    [
        ("y", "text"),
        ("m", "mood"),
        ("n", "integer"),
        ("n > 1", "boolean"),
        ("x", "double precision"),
        ("v", "double precision"),
    ],
)
def test_the_prediction_has_the_dependents_type_or_is_a_float(host: PsycopgHost, dependent: str, type_: str) -> None:
    create_tables(host, check_arguments(host, "data", "model", "id", dependent, '"Level, ""q"'))
    assert dict(columns_of(host.connection, "model_nodes"))["prediction"] == type_


def test_nodes_of_a_classification_come_back_as_written(host: PsycopgHost) -> None:
    task = task_of(host)
    create_tables(host, task)

    write_nodes(
        ModelOutput(host, task, CATEGORIES),
        three_nodes([1, 0, 1], [[4.0, 6.5], [6.25, 0.0], [0.1, 4.15]]),
        ['c"1', "c,2"],
    )

    root, left, right = host.query("SELECT * FROM model_nodes ORDER BY node_id")
    assert root == {
        "tree_id": 0,
        "node_id": 0,
        "parent_id": None,
        "depth": 0,
        "is_leaf": False,
        "feature": '"Level, ""q"',
        "threshold": None,
        "left_levels": AWKWARD,
        "majority_left": True,
        "n_rows": 10,
        "weight": 10.5,
        "impurity": 0.1 + 0.2,
        "risk": 1 / 3,
        "complexity": 0.5,
        "improvement": 3.5,
        "prediction": "c,2",
        "class_weights": [4.0, 6.5],
        "right_levels": ["other"],
    }
    assert left == root | {
        "node_id": 1,
        "parent_id": 0,
        "depth": 1,
        "is_leaf": True,
        **dict.fromkeys(("feature", "left_levels", "right_levels", "majority_left", "improvement")),
        "n_rows": 6,
        "weight": 6.25,
        "impurity": 0.0,
        "risk": 0.0,
        "complexity": 0.01,
        "prediction": 'c"1',
        "class_weights": [6.25, 0.0],
    }
    assert right == left | {
        "node_id": 2,
        "n_rows": 4,
        "weight": 4.25,
        "impurity": 1e-300,
        "risk": 2.0,
        "prediction": "c,2",
        "class_weights": [0.1, 4.15],
    }


def test_nodes_of_a_regression_have_means_and_no_classes(host: PsycopgHost) -> None:
    task = check_arguments(host, "data", "model", "id", "v", 'x, "Level, ""q", m')
    create_tables(host, task)

    write_nodes(ModelOutput(host, task, CATEGORIES), three_nodes([1 / 3, -1e300, 5e-324], np.zeros((3, 0))))

    assert [
        (r["prediction"], r["class_weights"]) for r in host.query("SELECT * FROM model_nodes ORDER BY node_id")
    ] == [
        (1 / 3, None),
        (-1e300, None),
        (5e-324, None),
    ]


@pytest.mark.parametrize(
    ("dependent", "classes"),
    [("m", ["sad", "happy"]), ("n", ["-1", "2"]), ("n > 1", ["false", "true"]), ("y", ["NULL", ""])],
)
def test_predictions_are_values_of_the_dependents_type(host: PsycopgHost, dependent: str, classes: list[str]) -> None:
    task = check_arguments(host, "data", "model", "id", dependent, '"Level, ""q", x')
    create_tables(host, task)
    categories = [CATEGORIES[1], None]
    nodes = replace(three_nodes([0, 0, 1], np.zeros((3, 2))), feature=np.array([0, -1, -1]))
    write_nodes(ModelOutput(host, task, categories), nodes, classes)
    rows = host.query("SELECT prediction::text FROM model_nodes ORDER BY node_id")
    assert [row["prediction"] for row in rows] == [classes[0], classes[0], classes[1]]


def test_many_nodes_are_written_in_chunks(host: PsycopgHost) -> None:
    task = task_of(host)
    create_tables(host, task)
    n = 40_000
    random = np.random.default_rng(0)
    values = random.normal(size=n)
    index = np.arange(n)
    nodes = columns(
        NodeColumns,
        keys(index // 1000),
        node_id=index % 1000,
        depth=np.full(n, 2),
        feature=np.zeros(n, dtype=int),
        threshold=values,
        left=no_categories(n),
        right=no_categories(n),
        majority_left=index % 2,
        n_rows=index * 10**10,
        **dict.fromkeys(("weight", "impurity", "risk", "complexity", "improvement"), values),
        prediction=index % 3,
        class_weights=np.stack([values, values, values], axis=1),
    )
    write_nodes(ModelOutput(host, task, CATEGORIES), nodes, ["a", "b", "c"])
    rows = host.connection.execute(
        "SELECT threshold, class_weights[3], n_rows FROM model_nodes ORDER BY tree_id, node_id"
    )
    assert rows.fetchall() == list(zip(values.tolist(), values.tolist(), (index * 10**10).tolist(), strict=True))


def test_trees_without_groups(host: PsycopgHost) -> None:
    task = task_of(host)
    create_tables(host, task)
    write_trees(ModelOutput(host, task), one_tree(), categories={"a": [*AWKWARD, None], "b": ["1"]})
    assert host.query("SELECT * FROM model") == [
        {
            "cat_levels_in_text": [*AWKWARD, "__NULL__", "1"],
            "cat_n_levels": [len(AWKWARD) + 1, 1],
            "tree_id": 0,
            "n_rows": 10,
            "n_nodes": 3,
            "n_leaves": 2,
            "tree_depth": 1,
            "pruning_cp": 0.0,
            "root_risk": 1 / 3,
            "impurity_var_importance": [0.0, 3.5, 0.0],
            "success": True,
            "message": None,
        }
    ]


def test_trees_take_their_groups_values_from_a_table(host: PsycopgHost) -> None:
    task = task_of(host, grouping_cols='g1, "G 2"')
    create_tables(host, task)
    host.connection.execute("""
        CREATE TEMP TABLE groups AS
        SELECT * FROM (VALUES (1, date '2021-01-01', 'a "b"'), (0, '2020-01-01', 'c')) g(tree_id, g1, g2)
    """)

    write_trees(
        ModelOutput(host, task, group_table="pg_temp.groups"),
        one_tree(
            keys([0, 1]),
            **{key: [1, 0] for key in ("n_rows", "n_nodes", "n_leaves", "tree_depth")},
            pruning_cp=[0.0, 0.0],
            root_risk=[1.0, NAN],
            importance=np.zeros((2, 3)),
        ),
        'why, "so"? {it\'s} \\',
    )

    rows = host.query(
        'SELECT g1::text, "G 2", tree_id, n_rows, root_risk, success, message FROM model ORDER BY tree_id'
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2020-01-01", "c", 0, 1, 1.0, True, None),
        ("2021-01-01", 'a "b"', 1, 0, None, False, 'why, "so"? {it\'s} \\'),
    ]


def test_tables_of_single_trees_take_no_members_of_an_ensemble(host: PsycopgHost) -> None:
    task = task_of(host)
    create_tables(host, task)
    with pytest.raises(ValueError, match="ensemble"):
        write_trees(ModelOutput(host, task), one_tree(TreeKeys(np.array([0]), np.array([1]))))


def test_the_summary_tells_all_that_is_needed_to_read_the_model(host: PsycopgHost) -> None:
    task = task_of(
        host,
        output='"Model"',
        grouping_cols='g1, "G 2"',
        weights="n + 1",
        list_of_features_to_exclude="n",
        split_criterion="Entropy",
        pruning_params="cp=0.25, rule=1se",
        seed=-7,
    )
    create_tables(host, task)
    write_summary(host, task, Totals(["a", 'b "c"'], 12, 3, 5_000_000_000, 4))

    (row,) = host.query('SELECT * FROM "Model_summary"')
    assert abs(datetime.now(timezone.utc) - row.pop("trained_at")) < timedelta(minutes=5)
    schema = task.output_schema
    assert row == {
        "method": "tree_train",
        "is_classification": True,
        "source_table": "data",
        "model_table": '"Model"',
        "id_col_name": "id",
        "list_of_features": 'x, "Level, ""q", m',
        "list_of_features_to_exclude": "n",
        "dependent_varname": "y",
        "independent_varnames": 'x,"Level, ""q",m',
        "cat_features": '"Level, ""q",m',
        "con_features": "x",
        "grouping_cols": 'g1, "G 2"',
        "num_all_groups": 12,
        "num_failed_groups": 3,
        "total_rows_processed": 5_000_000_000,
        "total_rows_skipped": 4,
        "dependent_var_levels": ["a", 'b "c"'],
        "dependent_var_type": "text",
        "independent_var_types": f"double precision, text, {schema}.mood",
        "input_cp": 0.25,
        "n_folds": 0,
        "null_proxy": None,
        "madtree_version": __version__,
        "seed": -7,
        "split_criterion": "entropy",
        "weights": "n + 1",
        "max_depth": 10,
        "min_split": 20,
        "min_bucket": 6,
        "n_bins": 100,
        "max_surrogates": 0,
        "surrogate_style": 0,
        "null_as_category": False,
        "rule": "1se",
        "fold_col": None,
        "features": ["x", '"Level, ""q"', "m"],
        "feature_types": ["double precision", "text", f"{schema}.mood"],
        "feature_kinds": ["continuous", "unordered", "ordered"],
        "enum_labels": {"m": ["sad", "happy"]},
        "grouping_columns": ["g1", '"G 2"'],
        "grouping_types": ["date", "character varying(9)"],
        "levels": None,
        "max_leaf_nodes": None,
        "min_impurity_decrease": 0.0,
        "dependent_name": "y",
        "grouping_expressions": ["g1", '"G 2"'],
        "class_params": None,
        "exposure": None,
        "shrink": None,
        "feature_costs": None,
        "max_competitors": 0,
    }


def test_the_summary_names_a_column_as_sql_and_an_expression_as_given(host: PsycopgHost) -> None:
    host.connection.execute('ALTER TABLE data RENAME y TO "Y"')
    for i, (dependent, shown) in enumerate((('"Y"', '"Y"'), (" N ", "n"), (" (n  > 1) ", "(n  > 1)"))):
        task = check_arguments(host, "data", f"model{i}", "ID", dependent, "x")
        create_tables(host, task)
        write_summary(host, task, Totals([], 1, 0, 0, 0))
        (row,) = host.query(f"SELECT * FROM model{i}_summary")
        assert (row["dependent_varname"], row["id_col_name"]) == (shown, "id")
        assert row["list_of_features_to_exclude"] == "None"


@pytest.mark.parametrize("name", ["model", "Mixed Case", 'it\'s "a" model', "x" * 63, "木" * 21, "x" * 60])
def test_a_model_of_any_name_is_made_replaced_and_dropped(host: PsycopgHost, name: str) -> None:
    tables = (
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1"
    )
    before = host.query(tables)
    task = task_of(host, output=ident(name))
    create_tables(host, task)
    made = host.query(tables)
    assert len(made) == len(before) + 4
    for suffix in ("", "_nodes", "_statistics", "_summary"):
        assert {"relname": suffixed(name, suffix)} in made

    with pytest.raises(MadtreeError, match="exists already"):
        create_tables(host, task)
    write_trees(ModelOutput(host, task), one_tree())
    create_tables(host, task_of(host, "n", output=ident(name), replace=True))
    assert host.query(tables) == made
    assert host.query(f"SELECT * FROM {ident(name)}") == []

    assert sorted(drop_model(host, task.output_schema, name)) == sorted(
        suffixed(name, suffix) for suffix in ("", "_nodes", "_statistics", "_summary")
    )
    assert host.query(tables) == before
    assert drop_model(host, task.output_schema, name) == []


def test_only_a_models_own_tables_are_dropped(host: PsycopgHost) -> None:
    task = task_of(host)
    create_tables(host, task)
    host.connection.execute("CREATE TABLE model_cv (resume text); CREATE VIEW model_surrogates AS SELECT 1 AS tree_id")

    with pytest.raises(MadtreeError, match='"model_surrogates" exists and is not part of a madtree model'):
        task_of(host, replace=True)
    dropped = {"model", "model_nodes", "model_statistics", "model_summary"}
    assert set(drop_model(host, task.output_schema, "model")) == dropped


def test_a_model_may_be_temporary(host: PsycopgHost) -> None:
    task = task_of(host, output="pg_temp.model")
    create_tables(host, task)
    write_trees(ModelOutput(host, task), one_tree())
    assert host.query("SELECT relpersistence FROM pg_class WHERE oid = 'pg_temp.model'::regclass") == [
        {"relpersistence": "t"}
    ]
    with pytest.raises(MadtreeError, match="exists already"):
        task_of(host, output="pg_temp.model")


def test_anothers_model_is_not_replaced(host: PsycopgHost, user_db: psycopg.Connection, schema: str) -> None:
    create_tables(host, task_of(host))
    user = ident(user_db.info.user)
    host.connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {ident(schema)} TO {user}")
    with pytest.raises(MadtreeError, match=r'output_table_name: must be owner of table ".*"."model"') as caught:
        task_of(PsycopgHost(user_db), replace=True)
    assert caught.value.sqlstate == "42501"


def test_a_hostile_search_path_does_not_reach_the_tables(host: PsycopgHost) -> None:
    task = task_of(host, grouping_cols="g1")
    host.connection.execute("""
        CREATE DOMAIN text AS int; CREATE DOMAIN date AS int; CREATE DOMAIN int4 AS pg_catalog.text;
        CREATE FUNCTION unnest(anyarray) RETURNS SETOF pg_catalog.text LANGUAGE sql AS $$ SELECT 'wrong' $$;
        CREATE FUNCTION wrong(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE OPERATOR = (LEFTARG = pg_catalog.int4, RIGHTARG = pg_catalog.int4, FUNCTION = wrong);
        CREATE TABLE groups (tree_id pg_catalog.int4, g1 pg_catalog.date);
        INSERT INTO groups VALUES (0, '2020-01-01');
    """)
    host.connection.execute(f"SET search_path = {ident(task.output_schema)}, pg_catalog")
    create_tables(host, task)
    write_trees(ModelOutput(host, task, group_table=f"{ident(task.output_schema)}.groups"), one_tree())
    write_nodes(ModelOutput(host, task, CATEGORIES), three_nodes([0, 0, 0], np.zeros((3, 1))), ["a"])
    write_summary(host, task, Totals(["a"], 1, 0, 1, 0))
    host.connection.execute("SET search_path = pg_catalog")
    assert dict(columns_of(host.connection, f"{task.output_schema}.model"))["g1"] == "date"
    assert host.query(f"SELECT count(*) AS n FROM {ident(task.output_schema)}.model") == [{"n": 1}]


def test_two_models_of_one_name_at_once_end_in_a_clear_error(host: PsycopgHost, dsn: str, schema: str) -> None:
    """The second waits for the first, and finds that its name is taken."""
    task = task_of(host)
    with psycopg.connect(dsn) as first, psycopg.connect(dsn, autocommit=True) as second, ThreadPoolExecutor(1) as pool:
        for session in (first, second):
            session.execute(f"SET search_path = {ident(schema)}, public")
        create_tables(PsycopgHost(first), task)
        waiting = pool.submit(create_tables, PsycopgHost(second), task)
        wait_until_blocked(host.connection, second.info.backend_pid)
        first.commit()
        with pytest.raises(MadtreeError, match='"model" exists already') as caught:
            waiting.result(PATIENCE)
    assert caught.value.sqlstate == "42P07"


@pytest.mark.parametrize(
    ("more", "levels", "counts", "proxy"),
    [
        ({}, [["b", 'it\'s, "a"', "false", "true"]], [[2, 2]], None),
        (
            {"surrogate_params": "null_as_category=true"},
            [["b", 'it\'s, "a"', "__NULL__", "false", "true", "__NULL__"]],
            [[3, 3]],
            "__NULL__",
        ),
        ({"grouping_cols": "g"}, [["b", "true"], ['it\'s, "a"', "false"]], [[1, 1], [1, 1]], None),
        (
            {"grouping_cols": "g", "surrogate_params": "null_as_category=true"},
            [["b", "__NULL__", "true"], ['it\'s, "a"', "__NULL__", "false"]],
            [[2, 1], [2, 1]],
            "__NULL__",
        ),
    ],
    ids=["plain", "null_as_category", "groups", "groups and null_as_category"],
)
def test_a_tree_names_its_categories_as_in_madlib(
    db: psycopg.Connection, more: dict[str, str], levels: list[Any], counts: list[Any], proxy: str | None
) -> None:
    db.execute("""
        CREATE TABLE rows AS SELECT i AS id, i % 2 AS g, i % 5 > 1 AS y, i % 7 AS x, i % 2 = 0 AS b,
            CASE WHEN i % 5 > 0 THEN (ARRAY['b', 'it''s, "a"'])[1 + i % 2] END AS k FROM generate_series(1, 40) i
    """)
    train(db, "rows", "m", "y", "k, x, b", min_split=2, **more)
    found = db.execute("SELECT cat_levels_in_text, cat_n_levels FROM m ORDER BY tree_id").fetchall()
    assert found == list(zip(levels, counts, strict=True))
    assert db.execute("SELECT null_proxy FROM m_summary").fetchone() == (proxy,)
    db.execute("SELECT madtree.tree_prune('m', 'pruned', 0.1)")
    assert db.execute("SELECT cat_levels_in_text, cat_n_levels FROM pruned ORDER BY tree_id").fetchall() == found

    train(db, "rows", "numbers", "y", "x", min_split=2)
    assert db.execute("SELECT cat_levels_in_text, cat_n_levels FROM numbers").fetchone() == (None, None)
