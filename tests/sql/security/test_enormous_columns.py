"""Each column of each table of a model, made enormous: it is measured before it is fetched, by every function.

What Python gets of each statement is weighed in the server. Values that are small where they are stored, and large once
they are read, are what is tried; the bounds for whole columns are lowered in this session, so that they need not have
gigabytes. New columns, tables and functions join by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import psycopg
import pytest
from psycopg import sql
from shares import share
from test_enormous_models import DEFECTS, calls

MODELS = ("m", "f", "c", "b", "s")
BYTES = 2_500_000  # of an enormous value, before it is compressed
AT_ONCE, ALL = 1_500_000, 2_000_000  # bytes that one statement may hand over, and all of a call
# Bounds of the package, for this session.
BOUNDS = {
    "madtree.model.size_limits": {"MOST_BYTES": 2**20},
    "madtree.model.read": {"MOST_BYTES": 2**20, "_BYTES_AT_ONCE": 2**18},
    "madtree.model.packed_nodes": {"MOST_BYTES": 2**20},
    "madtree.sqltext.sizes": {"MOST_LIST_BYTES": 2**20, "_DOCUMENTS": dict.fromkeys(("levels", "enum_labels"), 2**16)},
    "madtree.sqltext.statistics": {"MOST_BYTES": 2**20},
}
MAKE = """
CREATE TABLE data AS SELECT i AS id, 'g' || i % 2 AS g, (i * 7919 % 100)::float8 AS x,
    (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS k, i * 7919 % 100 + (i * 37 % 11) * 4 > 60 AS y,
    (i * 31 % 17)::float8 AS z FROM generate_series(1, 300) AS i;
SELECT tree_train('data', 'm', 'id', 'y', 'x, k', grouping_cols => 'g', max_depth => 3, min_split => 9,
    surrogate_params => 'max_surrogates=1', pruning_params => 'n_folds=2', max_competitors => 1);
SELECT forest_train('data', 'f', 'id', 'z', 'x, k', grouping_cols => 'g', num_trees => 2, max_tree_depth => 3,
    intervals => true, oob_predictions => true, null_handling_params => 'max_surrogates=1');
SELECT forest_train('data', 'c', 'id', 'y', 'x, k', num_trees => 2, max_tree_depth => 3);
SELECT boost_train('data', 'b', 'id', 'y', 'x, k', grouping_cols => 'g', num_trees => 2, max_leaf_nodes => 4,
    boost_params => 'category_encoding=ordered', validation_params => 'fraction=0.2');
SELECT boost_train('data', 'plain', 'id', 'y', 'x, k', grouping_cols => 'g', num_trees => 2, max_leaf_nodes => 4);
SELECT calibrate('plain', 'data', 's');
SELECT boost_train('data', 'kb', 'id', 'k', 'x', num_trees => 1, max_leaf_nodes => 4);
SELECT calibrate('kb', 'data', 'ks');
SELECT tree_statistics(m, 'data'), conformal_train(m, 'data') FROM unnest(ARRAY['m', 'f', 'c', 'b', 's']) AS m;
"""
# As much in one value; and for lists, in many elements.
ENORMOUS = {
    "text": [f"repeat('x', {BYTES})"],
    "text[]": [
        f"ARRAY[repeat('x', {BYTES})]",
        f"array_fill(repeat('x', 400), ARRAY[{BYTES // 400}])",
        f"array_fill(repeat('x', 100000), ARRAY[{BYTES // 100_000}])",
    ],
    "double precision[]": [f"array_fill(1::float8, ARRAY[{BYTES // 8}])"],
    "integer[]": [f"array_fill(1, ARRAY[{BYTES // 4}])"],
    "jsonb": [
        f"jsonb_build_object('k', jsonb_build_array(repeat('x', {BYTES})))",
        f"jsonb_build_object('k', to_jsonb(array_fill('x'::text, ARRAY[{BYTES // 8}])))",
        f"jsonb_build_object('k', repeat('x', {BYTES}))",
        f"to_jsonb(array_fill(repeat('x', 100), ARRAY[{BYTES // 100}]))",
    ],
}
# What is read of packed nodes are records, so many at a time.
LEFT = {("_packed", "nodes")}
# It reads models of trusted owners only.
OF_TRUSTED = "SELECT count(r) FROM madtree.models AS r"
# Further forms of calls; those of a kind that a model is not are refused.
VARIANTS = (
    "SELECT forest_predict('{m}', 'data', 'made', 'interval')",
    "SELECT forest_predict('{m}', 'data', 'made', 'prob')",
    "SELECT boost_predict('{m}', 'data', 'made', 'prob')",
    "SELECT boost_predict('{m}', 'data', 'made', 'raw')",
    "SELECT boost_sql('{m}', 'prob')",
    "SELECT tree_predict('{m}', 'data', 'made', 'prob')",
    "SELECT calibrate('{m}', 'data', 'made', 'sigmoid')",
    "SELECT tree_shap('{m}', 'data', 'made', layout => 'long')",
    "SELECT tree_shap('{m}', 'data', 'made', background => 'data')",
    "SELECT count(*) FROM tree_cp('{m}')",
    "SELECT tree_display('{m}', false, true)",
    "SELECT tree_sql('{m}', 'leaf', 1)",
    "SELECT tree_to_json('{m}', 1)",
)
METER = """
CREATE FUNCTION weigh() RETURNS void LANGUAGE plpython3u AS $$
from madtree.host import PlpyHost
def weight(value):
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(map(weight, value.values()))
    if isinstance(value, (list, tuple)):
        return 8 + sum(map(weight, value))
    return 8
def weighed(rows):
    found = sum(map(weight, rows))
    PlpyHost.most = max(PlpyHost.most, found)
    PlpyHost.all += found
def run(self, *given, own=PlpyHost._run):
    rows = own(self, *given)
    weighed(rows)
    return rows
def stream(self, sql, batch=1, own=PlpyHost.stream):
    kept = []
    for row in own(self, sql, batch):
        kept.append(row)
        if len(kept) == batch:
            weighed(kept)
            kept = []
        yield row
    weighed(kept)
PlpyHost._run, PlpyHost.stream = run, stream
PlpyHost.most = PlpyHost.all = 0
$$;
CREATE FUNCTION weighed() RETURNS int8[] LANGUAGE plpython3u AS $$
from madtree.host import PlpyHost
found = [PlpyHost.most, PlpyHost.all]
PlpyHost.most = PlpyHost.all = 0
return found
$$
"""
COLUMNS = """
SELECT substr(c.relname, 2), a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'columns'::regnamespace AND c.relkind = 'r' AND c.relname ~ %s ORDER BY 1, a.attnum
"""


@pytest.fixture(scope="module")
def models(dsn: str) -> Iterator[psycopg.Connection]:
    """A session of its own with the models, whose host weighs what it is handed."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE SCHEMA columns; SET search_path = columns, madtree, public")
        db.execute(MAKE)
        db.execute(METER)
        for module, bounds in BOUNDS.items():
            for name, bound in bounds.items():
                body = f"import {module}\nassert hasattr({module}, {name!r})\n{module}.{name} = {bound}"
                db.execute(sql.SQL("DO LANGUAGE plpython3u {}").format(sql.Literal(body)))
        db.execute("SELECT weigh()")
        yield db
        db.execute("SET client_min_messages = error; DROP SCHEMA columns CASCADE")


def columns(db: psycopg.Connection, model: str) -> list[tuple[str, str, str]]:
    """Suffix of the table, name and type of each of a model's columns that has no bound by its type."""
    found = db.execute(COLUMNS, [f"^{model}(_|$)"]).fetchall()
    return [each for each in found if each[2] in ENORMOUS and each[:2] not in LEFT]


def some(values: Sequence[str], turn: int) -> Sequence[str]:
    """Of several values each column is tried with every other."""
    return share(values, 2, turn) if len(values) > 1 else values


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", MODELS)
def test_no_function_fetches_what_it_has_not_measured(models: psycopg.Connection, model: str) -> None:
    asked = [*calls(models, model), *(call.format(m=model) for call in VARIANTS)]
    asked.remove(OF_TRUSTED)
    # What all summaries have, one model tells of.
    known = {
        each for other in MODELS[: MODELS.index(model)] for each in columns(models, other) if each[0] == "_summary"
    }
    found = [each for each in columns(models, model) if each not in known]
    every = [(*each, value) for turn, each in enumerate(found) for value in some(ENORMOUS[each[2]], turn)]
    cases = share(every, 2, MODELS.index(model))
    assert len({suffix for suffix, *_ in cases}) >= 3
    faults = []
    models.execute("SET statement_timeout = '20 s'")
    for turn, (suffix, column, _, value) in enumerate(cases):
        with models.transaction(force_rollback=True):
            models.execute(f'UPDATE {model}{suffix} SET "{column}" = {value}'.encode())
            for call in share(asked, 127, turn):
                if fault := fault_of(models, call):
                    faults.append(f"{suffix}.{column} = {value}: {call}: {fault}")
    assert not faults, "\n".join(faults)


def test_rules_that_tell_of_enormous_lists_again_and_again_are_refused(models: psycopg.Connection) -> None:
    """Each leaf's rule names the lists of all nodes above it."""
    many = "SELECT array_agg('c' || i) FROM generate_series(1, 20000) AS i"
    with models.transaction(force_rollback=True):
        models.execute(
            f"UPDATE m_nodes SET feature = 'k', threshold = NULL, left_levels = ({many}), right_levels = '{{other}}' "
            "WHERE node_id = 0".encode()
        )
        models.execute("DO LANGUAGE plpython3u 'import madtree.explain.rules as rules; rules.MOST_CHARACTERS = 2**18'")
        models.execute("SAVEPOINT before")
        with pytest.raises(psycopg.Error, match="the rules of m have more than"):
            models.execute("SELECT count(*) FROM tree_rules('m')")
        models.execute("ROLLBACK TO before")


def fault_of(db: psycopg.Connection, call: str) -> str:
    """What is wrong with how a call ends; empty where nothing is."""
    db.execute("SAVEPOINT before; SELECT weighed()")
    fault = ""
    try:
        db.execute(call.encode())
    except psycopg.Error as error:
        if error.sqlstate in (*DEFECTS, "38000", "53200", "57014"):
            fault = f"{error.sqlstate} {str(error)[:300]}"
    db.execute("ROLLBACK TO before")
    (((most, total),),) = db.execute("SELECT weighed()").fetchall()
    if most > AT_ONCE or total > ALL:
        fault += f" {most} bytes at once, {total} in all"
    return fault
