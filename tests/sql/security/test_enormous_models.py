"""Models that are enormous in any part: no function of the schema keeps its session much longer than a timeout allows.

A timeout strikes where a call happens to be. So another test has all calls go on to their end, and looks how long their
Python is at work between two statements, at which PostgreSQL looks for timeouts.

The functions are read from the catalogue. A new one joins by itself, or fails here until its arguments are given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import psycopg
import pytest
from function_calls import MEANINGS
from shares import share
from training import columns_of, compress_quickly

from madtree.interface import FUNCTIONS
from madtree.trees import NodeLayout

TIMEOUT = 0.1  # seconds
GRACE = 3.0  # seconds of the processor's that a call may take behind it; other programs' do not count
# What an argument without a default is, by what it stands for.
GIVEN = {"data": "'data'", "out": "'made'", "features": "'x'", "row": "'7'", "cp": "0.1", "one": "1"}
DEFECTS = ("XX000", "54001")  # an internal error, and a stack that is too deep
N = 400_000  # of whatever there are too many
BYTES = 12_000_000  # of one text
LAST = 2**18 - 2  # node of an enormous tree
# Where calls go on to their end: how many there are, the last node, and how long Python may work between two looks.
N_TO_THE_END, LAST_TO_THE_END = 12_500, 2**13 - 2
# Of the processor's time, by what it takes to number 10,000 texts once, 1.5 ms of a fast machine: others are slower.
# So 6 microseconds for each of all that there are would be too long.
BETWEEN_LOOKS = 50
# Of a list of categories there are as many as there may be, and so much may be done with a list at once.
BETWEEN_LOOKS_AT_LISTS = 100
STOPWATCH = """
CREATE FUNCTION time_between_looks() RETURNS void LANGUAGE plpython3u AS $$
import itertools, time
from madtree.host import PlpyHost
if not hasattr(PlpyHost, "longest"):
    PlpyHost.since = PlpyHost.longest = 0.0
    def looked():
        now = time.thread_time()
        PlpyHost.longest = max(PlpyHost.longest, now - PlpyHost.since)
        PlpyHost.since = now
    def run(self, *given, own=PlpyHost._run):
        looked()
        try:
            return own(self, *given)
        finally:
            PlpyHost.since = time.thread_time()
    def stream(self, sql, batch=1, own=PlpyHost.stream):
        rows = own(self, sql, batch)
        for number in itertools.count():
            if number % batch == 0:  # fetches, which is PostgreSQL's work
                looked()
            row = next(rows, None)
            if number % batch == 0:
                PlpyHost.since = time.thread_time()
            if row is None:
                return
            yield row
    PlpyHost._run, PlpyHost.stream = run, stream
PlpyHost.longest, PlpyHost.since = 0.0, time.thread_time()
$$;
CREATE FUNCTION longest_between_looks(to_the_end boolean) RETURNS float8 LANGUAGE plpython3u AS $$
import time
from madtree.host import PlpyHost
longest = max(PlpyHost.longest, time.thread_time() - PlpyHost.since if to_the_end else 0)
begin = time.thread_time()
for _ in range(10):
    numbered = {f"category {number}": number for number in range(10_000)}
return longest / (time.thread_time() - begin) * 10
$$
"""
# What makes the model m, the forest f or the boosted model b enormous. The tables are copied back before each.
EXPRESSION = f"repeat('x + ', {BYTES // 4}) || 'x'"
CHANGES = {
    "features": f"""UPDATE {{m}}_summary SET features = (SELECT array_agg('x + ' || i) FROM generate_series(1, {N}) i),
        feature_types = array_fill('double precision'::text, ARRAY[{N}]),
        feature_kinds = array_fill('continuous'::text, ARRAY[{N}])""",
    "an expression": f"""UPDATE {{m}}_summary SET features[1] = {EXPRESSION};
        UPDATE {{nodes}} SET feature = {EXPRESSION} WHERE feature IS NOT NULL""",
    "the dependent variable": f"UPDATE {{m}}_summary SET dependent_varname = {EXPRESSION}",
    "a name": f"UPDATE {{m}}_summary SET id_col_name = quote_ident(repeat('x y', {BYTES // 3}))",
    "a type's name": f"UPDATE {{m}}_summary SET feature_types[1] = repeat('t', {BYTES})",
    "grouping columns": f"""UPDATE {{m}}_summary
        SET grouping_columns = (SELECT array_agg('g' || i) FROM generate_series(1, {N}) i)""",
    "classes": f"""UPDATE {{m}}_summary
        SET dependent_var_levels = (SELECT array_agg('class ' || i) FROM generate_series(1, {3 * N}) i)""",
    "a class's name": f"UPDATE {{m}}_summary SET dependent_var_levels[1] = repeat('class', {BYTES // 5})",
    "categories": f"""UPDATE {{m}}_summary SET levels = jsonb_build_object('k',
        (SELECT jsonb_agg('category ' || i) FROM generate_series(1, {3 * N}) i))""",
    "categories by tree": """UPDATE {m}_summary SET levels = jsonb_build_object('k',
        (SELECT jsonb_object_agg(i, '["a"]'::jsonb) FROM generate_series(1, {n}) i))""",
    "a category": f"""UPDATE {{m}}_summary SET levels = jsonb_build_object('k', ARRAY[repeat('k', {BYTES})])""",
    "a message": f"UPDATE {{m}} SET message = repeat('m', {BYTES})",
    "labels": f"""UPDATE {{m}}_summary SET enum_labels = jsonb_build_object('x',
        (SELECT jsonb_agg('label ' || i) FROM generate_series(1, {3 * N}) i))""",
    "category sets": f"""UPDATE {{packed}}
        SET category_sets = (
            SELECT string_to_array(repeat(string_agg('c' || i, ',') || ',', 100), ',')
            FROM generate_series(1, {N // 5}) i
        ) WHERE tree_id = 1""",
    "levels of a node": f"""UPDATE {{nodes}}
        SET left_levels = (SELECT array_agg('c' || i) FROM generate_series(1, {3 * N}) i) WHERE feature = 'k'""",
    # As many as a feature may have.
    "categories in all nodes": """UPDATE {nodes} n SET feature = 'k', threshold = NULL, left_levels = c.low,
        right_levels = c.high || ARRAY[NULL]::text[] FROM (
            SELECT array_agg('c' || i) FILTER (WHERE i % 2 = 0) AS low,
                array_agg('c' || i) FILTER (WHERE i % 2 > 0) AS high FROM generate_series(1, 65000) i
        ) c WHERE feature IS NOT NULL""",
    "trees": """ALTER TABLE {m} DROP CONSTRAINT IF EXISTS {m}_pkey;
        INSERT INTO {m} SELECT {trees} FROM {m} t, generate_series(100, {n}) i WHERE t.tree_id = 1""",
    "groups": """ALTER TABLE {m} DROP CONSTRAINT IF EXISTS {m}_pkey;
        INSERT INTO {m} SELECT {groups} FROM {m} t, generate_series(100, {n}) i WHERE t.tree_id = 1""",
    "nodes": """DELETE FROM {nodes};
        INSERT INTO {nodes} SELECT {made_nodes} FROM generate_series(0, {last}) i INNER JOIN (
            SELECT DISTINCT ON (is_leaf) * FROM was_nodes ORDER BY is_leaf, node_id
        ) t ON t.is_leaf = (i > {last} / 2 - 1)""",
    "packed nodes": """UPDATE {packed}
        SET nodes = (SELECT nodes FROM enormous WHERE model = '{m}' AND last = {last}) WHERE tree_id = 1""",
}
OF_TREES = {"nodes", "levels of a node", "categories in all nodes"}
OF_GROUPS = {"groups"}
OF_FORESTS = {"category sets", "packed nodes"}
# What the first look at the summary refuses, by a query, before anything of it is fetched: all functions begin with it.
REFUSED = (
    "the dependent variable", "a name", "a type's name", "grouping columns", "classes", "a class's name", "categories",
    "a category", "labels",
)  # fmt: skip
CASES = [
    (model, change)
    for change in CHANGES
    if change not in REFUSED
    for model in (("g",) if change in OF_GROUPS else ("m", "f", "b"))
    if change not in (OF_FORESTS if model == "m" else OF_TREES)
    # One kind of model tells of what both read alike.
    and not (model == "f" and change in ("features", "categories by tree", "trees", "a message"))
    and not (model == "b" and change not in ("trees", "packed nodes"))
]


PACKED = {"f": NodeLayout(True, 2, False, True), "b": NodeLayout(False, 0, False, True)}


def packed_tree(layout: NodeLayout, last: int) -> bytes:
    """The nodes of a whole tree of x and k, as the models of PACKED have them; `last`: the number of its last node."""
    records = np.zeros(last + 1, np.dtype(layout.big_endian))
    records["node_id"] = np.arange(len(records))
    records["n_rows"] = 2
    records["prediction"] = 1
    records["categories"] = -1
    if layout.n_classes:
        records["class_weights"] = 1
    inner = slice(0, last // 2)
    records["feature"][inner] = 1
    records["threshold"] = np.nan
    records["threshold"][inner] = 50
    records["improvement"] = np.nan
    records["improvement"][inner] = 1
    return records.tobytes()


@pytest.fixture(scope="module")
def models(dsn: str) -> Iterator[psycopg.Connection]:
    """A session with the models m, f and b of a table `data`, and their tables as they were."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE SCHEMA enormous; SET search_path = enormous, madtree, public")
        compress_quickly(db)
        db.execute(
            "CREATE TABLE data AS SELECT i AS id, i % 4 AS g, (i * 7919 % 100)::float8 AS x, "
            "(ARRAY['red', 'green'])[1 + i % 2] AS k, "
            "CASE WHEN i * 7919 % 100 > 40 AND i % 2 > 0 THEN 'yes' ELSE 'no' END AS y FROM generate_series(1, 300) i"
        )
        db.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k', min_split => 9)")
        db.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 3)")
        db.execute("SELECT boost_train('data', 'b', 'id', 'y', 'x, k', num_trees => 3, max_leaf_nodes => 4)")
        db.execute("CREATE TABLE was_nodes AS TABLE m_nodes")
        db.execute(
            "SELECT tree_train('data', 'g', 'id', 'y', 'x, k', grouping_cols => 'g', min_split => 9, "
            "pruning_params => 'n_folds=2')"
        )
        db.execute("CREATE TABLE enormous (model text, last int8, nodes bytea)")
        for model, layout in PACKED.items():
            for last in (LAST, LAST_TO_THE_END):
                db.execute("INSERT INTO enormous VALUES (%s, %s, %s)", [model, last, packed_tree(layout, last)])
        db.execute(STOPWATCH)
        db.execute(
            "CREATE FUNCTION cpu_seconds() RETURNS float8 LANGUAGE plpython3u AS "
            "'import time; return time.process_time()'"
        )
        yield db
        db.execute("SET client_min_messages = error; DROP SCHEMA enormous CASCADE")


def calls(db: psycopg.Connection, model: str) -> Iterator[str]:
    """A call of each function of the schema that takes a model, and the view of models.

    A function that has two forms does the same in both.

    Raises:
        KeyError: a function has an argument without a default whose meaning is not known.
    """
    functions = db.execute(
        "SELECT p.proname, p.proretset, p.pronargs, p.pronargdefaults, p.proargnames[:p.pronargs], "
        "(SELECT array_agg(format_type(t, NULL) ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY u(t, n)) "
        "FROM pg_proc p WHERE pronamespace = 'madtree'::regnamespace AND p.prokind = 'f' ORDER BY p.oid"
    ).fetchall()
    found = {}
    for function, _, n, n_defaults, names, types in functions:
        if "model" not in map(MEANINGS.get, names or ()):
            continue
        given = []
        for position, (name, type_) in enumerate(zip(names, types, strict=True)):
            if MEANINGS.get(name) == "model":
                given.append(f"'{model}'::{type_}")
            elif position >= n - n_defaults:
                break
            else:
                given.append(f"{GIVEN[MEANINGS[name]]}::{type_}")
        found[function] = f"SELECT count(r) FROM madtree.{function}({', '.join(given)}) AS r"
    yield from found.values()
    yield "SELECT count(r) FROM madtree.models AS r"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("turn", "model", "change"), [(turn, *case) for turn, case in enumerate(CASES)], ids=lambda value: str(value)
)
def test_no_function_keeps_its_session_much_longer_than_a_timeout(
    models: psycopg.Connection, turn: int, model: str, change: str
) -> None:
    faults = {}
    with changed(models, model, change):
        for call in share([*calls(models, model)], 11, turn):
            models.execute("SAVEPOINT before")
            begin = cpu_seconds(models)
            models.execute(f"SET LOCAL statement_timeout = {int(1000 * TIMEOUT)}")
            try:
                models.execute(call.encode())
            except psycopg.Error as error:
                if error.sqlstate in DEFECTS:
                    faults[call] = str(error)
            try:
                models.execute("ROLLBACK TO before")
            except psycopg.errors.QueryCanceled:  # the timeout of the call, which came just behind it
                models.execute("ROLLBACK TO before")
            if (took := cpu_seconds(models) - begin) > TIMEOUT + GRACE:
                faults[call] = f"{took:.1f} s"
    assert faults == {}


TO_THE_END = [
    ("m", "trees"),
    ("b", "trees"),
    ("m", "nodes"),
    ("g", "groups"),
    ("f", "packed nodes"),
    ("b", "packed nodes"),
    ("m", "categories by tree"),
    ("m", "categories in all nodes"),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("turn", "model", "change"), [(turn, *case) for turn, case in enumerate(TO_THE_END)], ids=lambda value: str(value)
)
def test_python_is_never_long_at_work_between_two_looks_for_timeouts(
    models: psycopg.Connection, turn: int, model: str, change: str
) -> None:
    faults = {}
    limit = BETWEEN_LOOKS_AT_LISTS if change == "categories in all nodes" else BETWEEN_LOOKS
    with changed(models, model, change, N_TO_THE_END, LAST_TO_THE_END):
        for call in share([*calls(models, model)], 13, turn):
            for _ in range(3):  # a busy machine makes any piece long, but hardly the same one each time
                if (took := longest_between_looks(models, call)) <= limit:
                    break
            else:
                faults[call] = f"{took:.0f} times"
    assert faults == {}


def longest_between_looks(db: psycopg.Connection, call: str) -> float:
    """How long Python works at most between two looks of a call, which is taken back; as `BETWEEN_LOOKS` has it."""
    function = call.partition("madtree.")[2].partition("(")[0]
    db.execute("SAVEPOINT before")
    db.execute("SELECT enormous.time_between_looks()")
    db.execute("SET LOCAL statement_timeout = '60 s'")
    refused = ""
    try:
        db.execute(call.encode())
    except psycopg.Error as error:
        refused = error.sqlstate or ""
    db.execute("ROLLBACK TO before")
    assert refused not in DEFECTS, call
    # Between the rows that a function returns the server looks by itself.
    is_value = function in FUNCTIONS and not FUNCTIONS[function].returns_rows
    ((took,),) = db.execute("SELECT enormous.longest_between_looks(%s)", [is_value]).fetchall()
    return float(took)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("change", REFUSED)
def test_what_is_too_large_in_a_summary_is_refused_before_it_is_fetched(
    models: psycopg.Connection, change: str
) -> None:
    with changed(models, "m", change):
        begin = cpu_seconds(models)
        models.execute("SAVEPOINT before")
        with pytest.raises(psycopg.Error, match=r"is damaged: .* has (more than|a list of more than|a text of more)"):
            models.execute("SELECT tree_display('m')")
        models.execute("ROLLBACK TO before")
        assert cpu_seconds(models) - begin < GRACE


@contextmanager
def changed(models: psycopg.Connection, model: str, change: str, n: int = N, last: int = LAST) -> Iterator[None]:
    """A transaction, which is taken back, in which a part of a model is enormous."""
    names = {
        "m": model,
        "nodes": f"{model}_nodes",
        "packed": f"{model}_packed",
        "trees": copied(models, model, tree_id="i"),
        "groups": copied(models, model, tree_id="i", g="i"),
        "n": str(n),
        "last": str(last),
        "made_nodes": copied(models, "was_nodes", node_id="i", depth="length(ltrim((i + 1)::bit(64)::text, '0')) - 1"),
    }
    with models.transaction(force_rollback=True):
        for statement in CHANGES[change].format(**names).split(";"):
            if not (names["nodes"] in statement and model in PACKED):  # whose nodes are a view
                models.execute(statement.encode())
        yield


def copied(db: psycopg.Connection, table: str, **changed: str) -> str:
    """The columns of a row `t` of that table, but for those that are changed."""
    return ", ".join(changed.get(column, f't."{column}"') for column, _ in columns_of(db, table))


def cpu_seconds(db: psycopg.Connection) -> float:
    """What the session's process has computed so far."""
    ((seconds,),) = db.execute("SELECT enormous.cpu_seconds()").fetchall()
    return float(seconds)


# What is small where it is stored, and would fill the memory of who reads it: a text of one letter, many times over.
BOMBS = {
    "m": "UPDATE m_nodes SET left_levels = ARRAY[repeat('x', 3000000)] WHERE feature = 'k'; "
    "INSERT INTO m_nodes SELECT {nodes} FROM m_nodes t, generate_series(900, 935) i "
    "WHERE t.node_id = (SELECT min(node_id) FROM m_nodes WHERE feature = 'k')",
    "g": "ALTER TABLE g ALTER COLUMN g TYPE text; ALTER TABLE g_cv ALTER COLUMN g TYPE text; "
    "INSERT INTO g SELECT {groups} FROM g t, generate_series(1000, 1450) i WHERE t.tree_id = 1",
}


@pytest.mark.parametrize("model", BOMBS)
def test_what_is_large_only_once_it_is_read_is_refused(models: psycopg.Connection, model: str) -> None:
    names = {
        "nodes": copied(models, "m_nodes", node_id="i", depth="9"),
        "groups": copied(models, "g", tree_id="i", g="repeat('x', 250000)"),
    }
    with a_tenth_of_the_limit(models), models.transaction(force_rollback=True):
        models.execute(BOMBS[model].format(**names).encode())
        models.execute("SAVEPOINT before")
        before = peak_memory(models)
        with pytest.raises(psycopg.Error, match="is too large to be read"):
            models.execute(f"SELECT tree_display('{model}')".encode())
        models.execute("ROLLBACK TO before")
        assert peak_memory(models) - before < 50_000_000


@contextmanager
def a_tenth_of_the_limit(db: psycopg.Connection) -> Iterator[None]:
    """The bytes that this session refuses to read: to unpack that many takes seconds, again and again."""
    change = """DO LANGUAGE plpython3u 'from madtree.model import read, size_limits
for each in size_limits, read: each.MOST_BYTES {} 10'"""
    db.execute(change.format("//="))  # type: ignore[arg-type]
    try:
        yield
    finally:
        db.execute(change.format("*="))  # type: ignore[arg-type]


def peak_memory(db: psycopg.Connection) -> int:
    """Bytes that the session's process has had at most."""
    db.execute(
        "CREATE OR REPLACE FUNCTION pg_temp.peak() RETURNS int8 LANGUAGE plpython3u AS "
        "'import resource; return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss'"
    )
    ((peak,),) = db.execute("SELECT pg_temp.peak()").fetchall()
    return int(peak)
