"""Whatever stands in a model's tables: every function gives a sentence or the right answer, and nothing else runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import psycopg
import pytest
from function_calls import model_calls
from psycopg import sql
from shares import ALL, share

from madtree.trees import BOOSTED, FOREST, TREE

SEED = 11
TRIES = 4 if ALL else 1  # of each column

INJECTION = "x)) IS NULL THEN true END AS zz FROM data; SELECT spring(); --"
RUBBISH = {
    "boolean": ["NULL", "true", "false"],
    "integer": ["NULL", "-1", "0", "1", "7", "2147483647", "-2147483648"],
    "bigint": ["NULL", "-1", "0", "1", "5", "9223372036854775807", "-9223372036854775808", "4611686018427387904"],
    "double precision": ["NULL", "'NaN'", "'Infinity'", "'-Infinity'", "-1", "0", "1e308", "-1e308", "5e-324"],
    "text": [
        "NULL", "''", "' '", "'x'", "'y'", "repeat('x', 100000)", "'\"'", "''''", "'x; SELECT 1'", "'$1'",
        "E'\\\\'", "'x -- y'", "'('", "'x, y'", "'madtree_source'", f"$q${INJECTION}$q$", "E'a\\nb'", "'ä'",
    ],
    "text[]": [
        "NULL", "'{}'", "'{NULL}'", "'{x}'", "'{x,x}'", "'{{x,k},{x,k}}'", "'[0:1]={x,k}'", "'{red,green,blue}'",
        "'{text,text,text}'", "'{spring,k,b}'", f"ARRAY[$q${INJECTION}$q$, 'text', 'boolean']",
        "'{integer,integer,integer}'", "'{color,text,boolean}'", "'{continuous,unordered,ordered}'",
        "ARRAY(SELECT repeat('x', 70000) FROM generate_series(1, 3))", "'{public.nothing,text,boolean}'",
        "'{\"select\",text,boolean}'", "'{\"text::timestamp\",text,boolean}'", "'{\"a b\",text,boolean}'",
    ],
    "double precision[]": [
        "NULL", "'{}'", "'{NULL,NULL}'", "'{NaN,1}'", "'{-1,1}'", "'{0,0}'", "'{1}'", "'{1,2,3,4}'", "'{{1,2}}'",
        "'{Infinity,1}'", "'[0:1]={1,2}'", "'{1e308,1e308,1e308}'",
    ],
    "integer[]": ["NULL", "'{}'", "'{NULL}'", "'{-1,2147483647}'", "'{{1,2}}'"],
    "jsonb": [
        "NULL", "'null'", "'[]'", "'1'", "'{\"k\": 1}'", "'{\"k\": [1]}'", "'{\"k\": {\"x\": []}}'",
        "'{\"x\": [\"a\"]}'",
        "'{\"k\": [null]}'", "'{\"k\": {\"1\": [\"red\"]}}'", "'{\"k\": {\"99999999999\": []}}'",
    ],
    "timestamp with time zone": ["NULL", "'infinity'", "'-infinity'", "'epoch'"],
    "bytea": ["NULL", "''", "'\\x00'", "decode(repeat('00', 97), 'hex')", "decode(repeat('ff', 4096), 'hex')"],
}  # fmt: skip
MODELS = "SELECT * FROM models"
CALLS = [*model_calls(TREE), MODELS]
CALLS_OF_FORESTS = [*model_calls(FOREST), MODELS]
CALLS_OF_BOOSTED = [*model_calls(BOOSTED), MODELS]
CALLS_OF = {
    "forest": CALLS_OF_FORESTS, "intervals": CALLS_OF_FORESTS, "boosted": CALLS_OF_BOOSTED,
    "calibrated": CALLS_OF_BOOSTED, "sigmoid": CALLS_OF_BOOSTED, "offsets": CALLS_OF_BOOSTED,
}  # fmt: skip
# How models whose nodes are packed are made.
MADE = {
    "forest": "SELECT forest_train('data', 'm', 'id', 'y', 'x, k, b', grouping_cols => 'g', num_trees => 2, "
    "null_handling_params => 'max_surrogates=1, null_as_category=true', max_tree_depth => 2)",
    "intervals": "SELECT forest_train('data', 'm', 'id', 'w', 'x, k, b', num_trees => 2, max_tree_depth => 3, "
    "intervals => true, grouping_cols => 'g')",
    "boosted": "SELECT boost_train('data', 'm', 'id', 'y', 'x, k, b', grouping_cols => 'g', num_trees => 2)",
    "calibrated": "SELECT boost_train('data', 'raw', 'id', 'k', 'x, w, b', grouping_cols => 'g', num_trees => 2); "
    "SELECT calibrate('raw', 'data', 'm')",
    "sigmoid": "SELECT forest_train('data', 'raw', 'id', 'y', 'x, k, b', num_trees => 2, max_tree_depth => 2); "
    "SELECT calibrate('raw', 'data', 'm', 'sigmoid')",
    "offsets": "SELECT boost_train('data', 'm', 'id', 'w', 'x, k, b', num_trees => 2, offsets => 'x', "
    "boost_params => 'category_encoding=ordered', validation_params => 'fraction=0.2')",
}
# SQLSTATEs of madtree's sentences; what PostgreSQL says of a column of the data's that is not there or of another type;
# of numbers beyond a type, and of limits; and what such models are not for.
SENTENCES = {
    *("22023", "42501", "42809", "42P01", "P0002", "42703", "42P07", "42804", "42846", "22003", "22P02", "54000"),
    *("0A000", "55000"),
}


@pytest.fixture(params=["classes", "numbers", "groups", *MADE])
def m(data: psycopg.Connection, schema: str, request: pytest.FixtureRequest) -> str:
    data.execute(
        "CREATE TABLE more AS SELECT *, x > 50 AS b FROM data; DROP TABLE data; ALTER TABLE more RENAME TO data; "
        "CREATE TABLE few AS SELECT * FROM data WHERE id <= 9"
    )
    if made := MADE.get(request.param):
        data.execute(made.encode())
        data.execute("SELECT tree_statistics('m', 'data'), conformal_train('m', 'data', '0.5')")
        return str(request.param)
    more = ", grouping_cols => 'g'" if request.param == "groups" else ""
    dependent = "w" if request.param == "numbers" else "y"
    data.execute(
        f"SELECT tree_train('data', 'm', 'id', '{dependent}', 'x, k, b', surrogate_params => "
        f"'max_surrogates=1', pruning_params => 'n_folds=2', max_depth => 3, min_split => 9{more})"
    )
    data.execute("SELECT tree_statistics('m', 'data'), conformal_train('m', 'data', '0.5')")
    return str(request.param)


def columns(db: psycopg.Connection, schema: str) -> list[tuple[str, str, str]]:
    return db.execute(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind = 'r' AND a.attnum > 0 AND c.relname ~ '^m(_|$)' ORDER BY 1, a.attnum",
        [schema],
    ).fetchall()


@pytest.mark.one_in(3)
def test_rubbish_in_any_column_is_a_sentence_or_the_right_answer(
    m: str, db: psycopg.Connection, canary: Callable[[], set[str]], schema: str
) -> None:
    rng = random.Random(f"{SEED} {m}")
    faults: list[str] = []
    is_packed = m in CALLS_OF
    nodes = "m_packed" if is_packed else "m_nodes"
    db.execute(f"ALTER TABLE m DROP CONSTRAINT m_pkey; ALTER TABLE {nodes} DROP CONSTRAINT {nodes}_pkey")
    db.execute("ALTER TABLE m ALTER tree_id DROP NOT NULL")
    if is_packed:
        db.execute("ALTER TABLE m_group DROP CONSTRAINT m_group_pkey; ALTER TABLE m_group ALTER gid DROP NOT NULL")
    keys = {"m_surrogates": ("tree_id", "node_id", "rank")}
    keys[nodes] = ("tree_id",) if is_packed else ("tree_id", "node_id")
    if m == "intervals":
        keys = {nodes: ("tree_id",), "m_outcomes": ("tree_id",)}
    elif CALLS_OF.get(m) is CALLS_OF_BOOSTED:
        has_rounds = any(table == "m_rounds" for table, _, _ in columns(db, schema))
        keys = {nodes: ("tree_id",), **({"m_rounds": ("gid", "round")} if has_rounds else {})}
    for part, key in keys.items():
        db.execute(f"ALTER TABLE {part} DROP CONSTRAINT IF EXISTS {part}_pkey")
        for column in key:
            db.execute(f"ALTER TABLE {part} ALTER {column} DROP NOT NULL")
    for table, column, type_ in share(columns(db, schema), 2, len(m)):
        for value in rng.sample(RUBBISH[type_], min(TRIES, len(RUBBISH[type_]))):
            everywhere = rng.random() < 0.5
            where = "" if everywhere else f" WHERE ctid = (SELECT max(ctid) FROM {table})"
            change = f'UPDATE {table} SET "{column}" = ({value})::{type_}{where}'
            faults += broken_calls(db, rng, change, CALLS_OF.get(m, CALLS))
            if canary():
                faults.append(f"{change}: something ran")
    assert faults == [], "\n".join(faults)


def broken_calls(db: psycopg.Connection, rng: random.Random, change: str, calls: Sequence[str]) -> list[str]:
    """The calls that end in another error than a sentence after a change, which is taken back."""
    faults = []
    for call in rng.sample(calls, 5 if ALL else 1):
        db.execute("BEGIN")
        try:
            db.execute(change.encode())
            db.execute(call)
        except psycopg.Error as error:
            message = str(error.diag.message_primary)
            if error.sqlstate not in SENTENCES or "spiexceptions.SyntaxError" in message:
                faults.append(f"{change[:200]}: {call}: {error.sqlstate} {message[:200]}")
        finally:
            db.execute("ROLLBACK")
    return faults


STRUCTURES = (
    "DELETE FROM m_nodes WHERE node_id = 1",
    "DELETE FROM m_nodes WHERE node_id = 0",
    "DELETE FROM m",
    "DELETE FROM m_summary",
    "INSERT INTO m_summary TABLE m_summary",
    "UPDATE m_summary SET dependent_var_levels = NULL",
    "UPDATE m_summary SET dependent_var_levels = '{}'",
    "INSERT INTO m TABLE m",
    "INSERT INTO m_nodes TABLE m_nodes",
    "UPDATE m_nodes SET node_id = node_id + 1",
    "UPDATE m_nodes SET node_id = 2 * node_id, parent_id = node_id",
    "UPDATE m_nodes SET tree_id = tree_id + 7",
    "UPDATE m_nodes SET feature = NULL, is_leaf = true WHERE node_id = 0",
    "UPDATE m_nodes SET feature = 'x', is_leaf = false, threshold = 1, majority_left = true, improvement = 1",
    "DELETE FROM m_nodes WHERE feature IS NOT NULL; UPDATE m_nodes SET node_id = 0, depth = 0",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("change", STRUCTURES)
def test_nodes_that_are_no_tree_are_a_sentence(data: psycopg.Connection, change: str) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k', min_split => 9)")
    for part in ("m", "m_nodes"):
        data.execute(f"ALTER TABLE {part} DROP CONSTRAINT {part}_pkey")
    data.execute(change.encode())
    calls = ["tree_display('m')", "tree_predict('m', 'data', 'out')", "tree_prune('m', 'out', 0.2)"]
    calls += ["tree_shap('m', 'data', 'out')", "tree_refresh('m', 'data', 'out')", "tree_evaluate('m', 'data')"]
    for call in calls:
        with pytest.raises(psycopg.Error, match=r"(m|the model) is damaged") as caught:
            data.execute(f"SELECT {call}".encode())
        assert caught.value.sqlstate == "22023"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("levels", ["NULL", "'{}'"])
@pytest.mark.parametrize("kind", ["boosted", "regression"])
def test_a_model_of_no_class_is_a_sentence(data: psycopg.Connection, kind: str, levels: str) -> None:
    data.execute(
        "SELECT boost_train('data', 'm', 'id', 'y', 'x, k', num_trees => 2)"
        if kind == "boosted"
        else "SELECT tree_train('data', 'm', 'id', 'w', 'x, k', min_split => 9)"
    )
    data.execute(f"UPDATE m_summary SET is_classification = true, dependent_var_levels = {levels}".encode())
    states: dict[str, str | None] = {}
    for call in CALLS_OF_BOOSTED if kind == "boosted" else CALLS:
        try:
            with data.transaction(force_rollback=True):
                data.execute(call.encode())
        except psycopg.Error as error:
            states[call] = error.sqlstate
    assert {call: state for call, state in states.items() if state not in SENTENCES} == {}
    assert len(states) > 20


def test_a_model_without_nodes_is_one_that_could_not_be_trained(data: psycopg.Connection) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k', min_split => 9); DELETE FROM m_nodes")
    assert data.execute("SELECT tree_sql('m')").fetchone() == ("NULL::boolean",)
    data.execute("SELECT tree_predict('m', 'data', 'out')")
    assert data.execute("SELECT DISTINCT estimated_y FROM out").fetchall() == [(None,)]
    assert data.execute("SELECT * FROM tree_rules('m')").fetchall() == []
    with pytest.raises(psycopg.Error, match="m has no tree to prune"):
        data.execute("SELECT tree_prune('m', 'pruned', 0.2)")


def test_a_type_that_was_dropped_is_said(data: psycopg.Connection) -> None:
    data.execute(
        "CREATE TYPE color AS ENUM ('red', 'green', 'blue'); CREATE TYPE tone AS ENUM ('red', 'green', 'blue')"
    )
    data.execute("CREATE TABLE colors AS SELECT id, x, k::color AS c, k::tone AS t FROM data")
    data.execute("SELECT tree_train('colors', 'm', 'id', 'c', 'x'), tree_train('colors', 'n', 'id', 'x::text', 'c, x')")
    data.execute("SELECT tree_train('colors', 'o', 'id', 'c::text', 'x', grouping_cols => 't')")
    data.execute("DROP TABLE colors; DROP TYPE color CASCADE; DROP TYPE tone CASCADE")
    for model, problem in {
        "m": "lacks the column prediction; was the type of the dependent variable dropped",
        "n": "there is no such type; was it dropped",
        "o": 'lacks the grouping column "t"; was its type dropped',
    }.items():
        with pytest.raises(psycopg.Error, match=f"{model} is damaged: .*{problem}") as caught:
            data.execute(sql.SQL("SELECT tree_display({})").format(sql.Literal(model)))
        assert caught.value.sqlstate == ("42703" if model == "m" else "22023")


def test_a_type_cannot_end_the_statement(data: psycopg.Connection, canary: Callable[[], set[str]]) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x')")
    data.execute(
        "UPDATE m_summary SET feature_types = ARRAY['text::timestamp)) IS NULL THEN true END AS zz FROM data; "
        "SELECT spring(); --'], feature_kinds = '{continuous}'"
    )
    with pytest.raises(psycopg.Error, match="there is no such type"):
        data.execute("SELECT tree_predict('m', 'data', 'out')")
    assert canary() == set()


def test_a_backslash_cannot_end_a_string_that_is_read_as_an_older_session_would(
    data: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x')")
    feature = r"CASE WHEN '\' || '; SELECT spring(); --' = '' THEN 1 END"
    data.execute("UPDATE m_summary SET features = ARRAY[%s]", [feature])
    data.execute("UPDATE m_nodes SET feature = %s WHERE feature IS NOT NULL", [feature])
    data.execute("SET standard_conforming_strings = off")
    with pytest.raises(psycopg.Error, match="standard_conforming_strings is off"):
        data.execute("SELECT tree_predict('m', 'data', 'out')")
    assert canary() == set()


@pytest.mark.parametrize("text", ["repeat('[', 3000) || repeat(']', 3000)", "repeat('9', 6000)"])
def test_a_document_that_python_does_not_read_is_a_sentence(data: psycopg.Connection, text: str) -> None:
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x')")
    for column in ("levels", "enum_labels"):  # the second is read first
        data.execute(f"UPDATE m_summary SET {column} = ({text})::jsonb".encode())
        with pytest.raises(psycopg.Error, match=f"m is damaged: {column} in its summary is (nested|no JSON)"):
            data.execute("SELECT tree_predict('m', 'data', 'out')")


def test_a_text_to_paste_runs_no_program_in_psql(
    db: psycopg.Connection, user_db: psycopg.Connection, train_as: Callable[..., None]
) -> None:
    train_as("m")
    feature = "x \\! touch /tmp/it\n"
    user_db.execute("UPDATE m_summary SET features = array_replace(features, 'x', %s)", [feature])
    user_db.execute("UPDATE m_nodes SET feature = %s WHERE feature = 'x'", [feature])
    for call in ("tree_sql('m', trust_owner => true)", "tree_rules('m', trust_owner => true)"):
        with pytest.raises(psycopg.Error, match=r"m is damaged: .* a backslash outside of quotes"):
            db.execute(f"SELECT {call}".encode())


def test_a_calibrated_model_that_does_not_say_so_is_not_refreshed(data: psycopg.Connection) -> None:
    data.execute("SELECT boost_train('data', 'b', 'id', 'y', 'x', num_trees => 2), calibrate('b', 'data', 'c')")
    data.execute("ALTER TABLE c_summary DROP calibration")
    with pytest.raises(psycopg.Error, match="c has loss isotonic, and what its leaves say") as caught:
        data.execute("SELECT tree_refresh('c', 'data', 'out')")
    assert caught.value.sqlstate == "42809"
