"""All that is done with a model on a real Citus cluster: the same for rows that are distributed, on every server, in
one place or in a table of the coordinator's that Citus knows, as for a plain table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from called import Listening, answer
from forced import differences
from private_cluster import nodes_of

# How Citus holds tables of the same rows; none is the one that models are trained on.
HELD = {
    "spread": "SELECT create_distributed_table('spread', 'id', shard_count => 6)",
    "everywhere": "SELECT create_reference_table('everywhere')",
    "together": "SELECT create_distributed_table('together', NULL, colocate_with => 'none')",
    "known": "SELECT citus_add_local_table_to_metadata('known')",
    "seen": "DROP TABLE seen; CREATE VIEW seen AS SELECT * FROM spread",
    "seen_everywhere": "DROP TABLE seen_everywhere; CREATE VIEW seen_everywhere AS SELECT * FROM everywhere",
}
ROWS = """
CREATE TABLE trained AS SELECT i AS id, nullif(i * 37 % 91, 7) / 8.0::float8 AS x, i * 53 % 97 - 40 AS n,
    (ARRAY['a', 'b', NULL, 'c', 'd'])[1 + i * 7 % 5] AS level, 1 + i % 3 AS w, i % 3 AS grp,
    i * 37 % 91 > 40 AND i * 7 % 5 <> 1 OR i % 11 = 0 AS y, ((i * 37 % 91) / 10.0 + i % 13)::float8 AS z,
    i * 37 % 91 / 30 AS label, ('k' || i * 37 % 91 / 30)::varchar AS kind FROM generate_series(1, 8000) AS i;
CREATE TABLE plain AS SELECT * FROM trained WHERE id > 3000;
CREATE TABLE few AS SELECT * FROM trained WHERE id <= 60;
CREATE TABLE few_spread (LIKE few); SELECT create_distributed_table('few_spread', 'id');
INSERT INTO few_spread TABLE few;
"""
MODELS = """
SELECT tree_train('trained', 't', 'id', 'y', 'x, n, level', max_depth => 6);
SELECT tree_train('trained', 'tk', 'id', 'kind', 'x, n', max_depth => 4);
SELECT tree_train('trained', 'tg', 'id', 'z', 'x, n, level', grouping_cols => 'grp', weights => 'w', max_depth => 5,
    surrogate_params => 'max_surrogates=2');
SELECT forest_train('trained', 'f', 'id', 'y', 'x, n, level', num_trees => 5, max_tree_depth => 6);
SELECT forest_train('trained', 'fz', 'id', 'z', 'x, n, level', num_trees => 4, max_tree_depth => 6,
    grouping_cols => 'grp', intervals => true);
SELECT boost_train('trained', 'b', 'id', 'y', 'x, n, level', num_trees => 8, max_leaf_nodes => 7);
SELECT boost_train('trained', 'bk', 'id', 'label', 'x, n, level', num_trees => 4, max_leaf_nodes => 7);
SELECT boost_train('trained', 'bz', 'id', 'z', 'x, n, level', num_trees => 5, max_leaf_nodes => 7,
    grouping_cols => 'grp', boost_params => 'category_encoding=ordered');
SELECT calibrate('b', 'trained', 'c', 'isotonic'); SELECT model_alias('champion', 't');
SELECT tree_statistics(m, 'trained') FROM unnest(ARRAY['t', 'tg', 'f', 'b']) AS m;
SELECT conformal_train(m, 'trained') FROM unnest(ARRAY['t', 'tg', 'fz', 'bk', 'bz']) AS m;
"""
# `{t}` is the table, and `{o}` what is made of it.
PREDICTIONS = [
    *(f"tree_predict('{m}', '{{t}}', '{{o}}', '{type_}')" for m in ("t", "champion") for type_ in ("response", "prob")),
    *(f"tree_predict('tg', '{{t}}', '{{o}}', '{type_}')" for type_ in ("response", "leaf")),
    *(f"forest_predict('f', '{{t}}', '{{o}}', '{type_}')" for type_ in ("response", "prob", "prob_mean", "leaf")),
    *(f"forest_predict('fz', '{{t}}', '{{o}}', '{type_}')" for type_ in ("response", "interval")),
    *(f"boost_predict('{m}', '{{t}}', '{{o}}', '{type_}')" for m in ("b", "bk", "c") for type_ in ("response", "prob")),
    *(f"boost_predict('bz', '{{t}}', '{{o}}', '{type_}')" for type_ in ("raw", "leaf")),
    "boost_predict('b', '{t}', '{o}', num_trees => 3)",
    *(f"tree_predict('{m}', '{{t}}', '{{o}}', 'conformal')" for m in ("t", "tg")),
    "forest_predict('fz', '{t}', '{o}', 'conformal', level => 0.8)",
    *(f"boost_predict('{m}', '{{t}}', '{{o}}', 'conformal')" for m in ("bk", "bz")),
    "tree_shap('t', '{t}', '{o}')",
    "tree_shap('fz', '{t}', '{o}')",
    "tree_shap('bk', '{t}', '{o}', layout => 'long', top => 2)",
    "tree_shap('bz', '{t}', '{o}')",
    "tree_shap('b', '{t}', '{o}', layout => 'long', interactions => true)",
    "tree_shap('b', '{t}', '{o}', background => 'few')",
    "tree_shap('tg', '{t}', '{o}', background => 'few_spread')",
]
ANSWERS = [
    *(f"tree_evaluate('{m}', '{{t}}')" for m in ("t", "tg", "f", "fz", "b", "bk", "bz", "c", "champion")),
    *(f"tree_confusion('{m}', '{{t}}')" for m in ("tk", "f", "bk", "c")),
    *(f"tree_curve('{m}', '{{t}}')" for m in ("t", "f", "b")),
    *(f"tree_reliability('{m}', '{{t}}')" for m in ("t", "f", "b", "c")),
    *(f"conformal_quantiles('{m}', '{{t}}')" for m in ("t", "tg", "f", "fz", "b", "bz")),
    *(f"boost_staged('{m}', '{{t}}')" for m in ("b", "bz")),
    *(f"tree_path('{m}', '{{t}}', '3017')" for m in ("t", "tg")),
    *(f"tree_explain('{m}', '{{t}}', '3017')" for m in ("t", "fz", "b")),
    *(f"partial_dependence('{m}', '{{t}}', 'x, n', grid_size => 5)" for m in ("tg", "f", "b")),
    "partial_dependence('b', '{t}', 'n', accumulated => true)",
    "partial_dependence('tg', '{t}', 'x, n', accumulated => true, grid_size => 5)",
    "partial_dependence('t', '{t}', 'level', ice => true, max_rows => 50)",
    *(f"permutation_importance('{m}', '{{t}}', n_repeats => 2)" for m in ("tg", "f", "bz")),
    *(f"tree_drift('{m}', '{{t}}')" for m in ("t", "tg", "f", "b")),
]
# `{o}` is a model.
MODELS_MADE = [
    *(
        f"calibrate('{m}', '{{t}}', '{{o}}', '{how}')"
        for m, how in (("t", "isotonic"), ("f", "sigmoid"), ("b", "isotonic"))
    ),
    *(f"tree_refresh('{m}', '{{t}}', '{{o}}')" for m in ("t", "tg", "f", "fz", "b")),
    *(
        f"tree_tune('{{t}}', '{{o}}', 'id', 'y', 'x, n, level', '{method}', n_folds => 3, params => '{params}')"
        for method, params in (
            ("tree", "max_depth=3,5"),
            ("forest", "max_tree_depth=3,5; num_trees=3"),
            ("boost", "max_leaf_nodes=4,8; num_trees=3"),
        )
    ),
    "tree_train('{t}', '{o}', 'id', 'z', 'x, n, level', pruning_params => 'cp=0.001, n_folds=3', max_competitors => 2)",
    "tree_train('{t}', '{o}', 'id', 'kind', 'x, n', grouping_cols => 'grp')",
    "tree_train('{t}', '{o}', 'id', 'label', 'x, n', class_params => 'class_weight=balanced', max_leaf_nodes => 9)",
    "forest_train('{t}', '{o}', 'id', 'y', 'x, n, level', num_trees => 3, oob_predictions => true)",
    "forest_train('{t}', '{o}', 'id', 'z', 'x, n, level', num_trees => 3, intervals => true)",
    "boost_train('{t}', '{o}', 'id', 'y', 'x, n, level', num_trees => 3)",
    "boost_train('{t}', '{o}', 'id', 'z', 'x, n', num_trees => 3, validation_params => 'table=few_spread, tol=0')",
]


@pytest.fixture(scope="module")
def tables(cluster: psycopg.Connection) -> psycopg.Connection:
    """The tables, which have the names of `HELD`, and models; the fixture's own are dropped."""
    cluster.execute("DROP TABLE plain, spread")
    cluster.execute(ROWS)
    for name, held in HELD.items():
        cluster.execute(f"CREATE TABLE {name} (LIKE plain); {held}")
        if not name.startswith("seen"):
            cluster.execute(f"INSERT INTO {name} TABLE plain")
    cluster.execute(MODELS)
    return cluster


@pytest.mark.parametrize("call", PREDICTIONS)
def test_predictions_and_contributions(tables: psycopg.Connection, call: str) -> None:
    found = {}
    for table in ("plain", *HELD):
        tables.execute("DROP TABLE IF EXISTS made")
        tables.execute(f"SELECT {call.format(t=table, o='made')}")
        if table == "plain":
            tables.execute("DROP TABLE IF EXISTS expected; ALTER TABLE made RENAME TO expected")
        else:
            found[table] = differences(tables, "made", "expected")
    assert found == dict.fromkeys(HELD, 0)


@pytest.mark.parametrize("call", [call for call in PREDICTIONS if not call.startswith("tree_predict")])
def test_what_is_scored_in_blocks_by_the_servers_that_have_the_rows(
    tables: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Whatever it costs: these tables are small."""
    monkeypatch.setattr("madtree.score.shards.Sharded.pays", lambda self, work, n_bytes: True)
    tables.execute("DROP TABLE IF EXISTS made, expected")
    tables.execute(f"SELECT {call.format(t='plain', o='expected')}")
    host = Listening(tables)
    answer(host, call.format(t="spread", o="made"))
    assert [statement for statement in host.statements if "rows_of_shard(" in statement]
    assert differences(tables, "made", "expected") == 0
    assert columns_of(tables, "made") == columns_of(tables, "expected")


@pytest.mark.parametrize("call", [c for c in ANSWERS if re.match("tree_(evaluate|curve|drift)|boost_staged", c)])
def test_answers_by_the_servers_that_have_the_rows(
    tables: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr("madtree.score.shards.Sharded.pays", lambda self, work, n_bytes: True)
    host = Listening(tables)
    found, expected = (
        sorted((tuple(map(rounded, row.values())) for row in answer(host, call.format(t=table))), key=str)
        for table in ("spread", "plain")
    )
    assert found == expected
    by_blocks = not re.search("'(t|tg|champion)'", call) or call.startswith("tree_drift")
    assert bool([statement for statement in host.statements if "rows_of_shard(" in statement]) == by_blocks


@pytest.mark.parametrize("call", ANSWERS)
def test_answers(tables: psycopg.Connection, call: str) -> None:
    expected = answers(tables, call, "plain")
    assert expected
    for table in HELD:
        assert answers(tables, call, table) == expected, table


@pytest.mark.parametrize("call", MODELS_MADE)
def test_models(tables: psycopg.Connection, call: str) -> None:
    found = {}
    for table in ("plain", *HELD):
        model = "wanted" if table == "plain" else "got"
        drop_models(tables, model)
        tables.execute(f"SELECT {call.format(t=table, o=model)}")
        if "tree_tune" in call:
            tables.execute(f"ALTER TABLE {model} DROP COLUMN seconds")
        if table != "plain":
            suffixes = suffixes_of(tables, "wanted")
            assert suffixes_of(tables, "got") == suffixes
            found[table] = [each for each in suffixes if differences(tables, f"got{each}", f"wanted{each}")]
    assert found == {table: [] for table in HELD}


def test_a_table_is_replaced_on_all_servers_whatever_the_session_tells_them(tables: psycopg.Connection) -> None:
    tables.execute("DROP TABLE IF EXISTS made; SET citus.enable_ddl_propagation = off")
    try:
        tables.execute("SELECT tree_predict('t', 'spread', 'made')")
        tables.execute("SELECT tree_predict('t', 'spread', 'made', replace => true)")
    finally:
        tables.execute("RESET citus.enable_ddl_propagation")
    assert tables.execute("SELECT count(*), count(DISTINCT id) FROM made").fetchone() == (5000, 5000)


def test_a_worker_trains_on_distributed_rows_too(tables: psycopg.Connection, citus: str) -> None:
    """It can distribute no table, so it takes the rows."""
    drop_models(tables, "wanted")
    with psycopg.connect(nodes_of(citus)[1].dsn, dbname=tables.info.dbname, autocommit=True) as worker:
        worker.execute("SELECT set_config('search_path', %s, false)", tables.execute("SHOW search_path").fetchone())
        for table, model in (("everywhere", "wanted"), ("spread", "got")):
            worker.execute(
                f"SELECT tree_train('{table}', '{model}', 'id', 'y', 'x, n, level', max_depth => 4)".encode()
            )
        assert differences(worker, "got_nodes", "wanted_nodes") == 0
        drop_models(worker, "wanted")
        drop_models(worker, "got")


def test_a_model_says_how_it_is_trained_again(tables: psycopg.Connection) -> None:
    for call in ("tree_train('spread', 'got', 'id', 'y', 'x, n')", "boost_train('spread', 'got', 'id', 'z', 'n')"):
        drop_models(tables, "got")
        tables.execute(f"SELECT {call}")
        ((said,),) = tables.execute("SELECT tree_call('got')").fetchall()
        drop_models(tables, "wanted")
        tables.execute(re.sub(r"\bgot\b", "wanted", said).encode())
        assert [each for each in suffixes_of(tables, "got") if differences(tables, f"got{each}", f"wanted{each}")] == []


def test_the_view_of_a_models_nodes_is_made_without_a_warning(tables: psycopg.Connection) -> None:
    said: list[str] = []
    tables.add_notice_handler(lambda notice: said.append(str(notice.message_primary)))
    calls = ("boost_cut('b', 'got', 2)", "calibrate('b', 'plain', 'got')", "tree_refresh('f', 'plain', 'got')")
    for call in (*calls, "forest_train('spread', 'got', 'id', 'y', 'x', num_trees => 2)"):
        drop_models(tables, "got")
        tables.execute(f"SELECT {call}")
        assert tables.execute("SELECT count(*) > 0 FROM got_nodes").fetchone() == (True,)
    assert [line for line in said if "metadata" in line] == []


def test_what_training_keeps_of_its_rows(tables: psycopg.Connection) -> None:
    for table in ("plain", *HELD):
        tables.execute("SELECT tree_statistics('t', %s)", [table])
        if table == "plain":
            tables.execute("CREATE TABLE expected_statistics AS TABLE t_statistics")
        assert differences(tables, "t_statistics", "expected_statistics") == 0, table


def answers(db: psycopg.Connection, call: str, table: str) -> list[tuple[Any, ...]]:
    """In an order of their own; sums of floats depend a little on theirs."""
    rows = db.execute(f"SELECT * FROM {call.format(t=table)}").fetchall()
    return sorted((tuple(map(rounded, row)) for row in rows), key=str)


def rounded(value: Any) -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    return float(f"{value:.9g}") + 0.0


def columns_of(db: psycopg.Connection, table: str) -> list[tuple[Any, ...]]:
    return db.execute(
        "SELECT attname, format_type(atttypid, atttypmod), attcollation FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum",
        [table],
    ).fetchall()


def suffixes_of(db: psycopg.Connection, model: str) -> Sequence[str]:
    """Of the tables that a model has, but for its summary, which names the table that it is of."""
    found = db.execute(
        "SELECT substr(relname, length(%s) + 1) FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
        "AND relkind = 'r' AND relname ~ %s ORDER BY 1",
        [model, f"^{model}(_[a-z]+)?$"],
    ).fetchall()
    return [suffix for (suffix,) in found if not suffix.endswith("_summary")]


def drop_models(db: psycopg.Connection, model: str) -> None:
    for suffix in [*suffixes_of(db, model), "_summary"]:
        db.execute(f"DROP TABLE IF EXISTS {model}{suffix} CASCADE")
