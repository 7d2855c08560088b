"""An ordinary caller cannot hold the rows of a model. Where its owner changes some of them between two statements of a
call, the call ends with an error that says so, and neither with an answer nor as a defect.

The reader's host tells before which statement the owner acts, in the server by a notice and a lock, so that nothing
goes by time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from kept_sessions import KeptSessions
from psycopg.conninfo import make_conninfo
from shares import share

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost

MADE = """
CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i % 5 AS x2, i % 2 AS g, (i * 31 % 7)::float8 AS w,
    (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS k, i * 7919 % 100 + (i * 37 % 11) * 4 > 60 AS y
FROM generate_series(1, 120) AS i;
SELECT tree_train('data', 'm', 'id', 'y', 'x, k', grouping_cols => 'g', surrogate_params => 'max_surrogates=1',
    pruning_params => 'n_folds=2', max_competitors => 1);
SELECT tree_train('data', 'other_m', 'id', 'y', 'x2, k, w', grouping_cols => 'g', max_depth => 2,
    surrogate_params => 'max_surrogates=1', pruning_params => 'n_folds=2', max_competitors => 1);
SELECT forest_train('data', 'f', 'id', 'w', 'x, k', num_trees => 2, intervals => true, grouping_cols => 'g',
    null_handling_params => 'max_surrogates=1');
SELECT forest_train('data', 'other_f', 'id', 'w', 'x2, x, k', num_trees => 3, intervals => true,
    grouping_cols => 'g', null_handling_params => 'max_surrogates=1', max_tree_depth => 2);
SELECT boost_train('data', 'b', 'id', 'y', 'x, k', num_trees => 2, grouping_cols => 'g');
SELECT boost_train('data', 'other_b', 'id', 'y', 'k, x2, x', num_trees => 4, grouping_cols => 'g', max_leaf_nodes => 3);
SELECT calibrate('b', 'data', 'c', 'isotonic');
SELECT calibrate('other_b', 'data', 'other_c', 'isotonic');
SELECT tree_statistics(each, 'data'), conformal_train(each, 'data', '0.9')
FROM unnest(ARRAY['m', 'f', 'b', 'c', 'other_m', 'other_f', 'other_b', 'other_c']) AS each;
"""
OF_ANY: Mapping[str, tuple[Any, ...]] = {
    "tree_evaluate": ("data",), "tree_confusion": ("data",), "tree_curve": ("data",), "tree_reliability": ("data",),
    "tree_drift": ("data",), "tree_importance": (), "tree_to_json": (), "tree_to_pmml": (), "tree_call": (),
    "tree_rules": (), "calibrate": ("data", "out"), "tree_refresh": ("data", "out"), "tree_shap": ("data", "out"),
    "tree_explain": ("data", "7"), "tree_path": ("data", "7"), "conformal_quantiles": ("data", "0.5"),
    "conformal_train": ("data", "0.5"),
    "partial_dependence": ("data", "x"), "permutation_importance": ("data",), "get_var_importance": ("out",),
}  # fmt: skip
OWN: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "m": {"tree_predict": ("data", "out", "conformal"), "tree_display": (), "tree_cp": (), "tree_sql": (),
          "tree_prune": ("out", 0.1), "tree_surr_display": ()},
    "f": {"forest_predict": ("data", "out", "interval"), "get_tree": (1, 1), "get_tree_surr": (1, 1)},
    "b": {"boost_predict": ("data", "out", "conformal"), "boost_cut": ("out", 1), "boost_staged": ("data",),
          "boost_sql": ()},
    "c": {"boost_predict": ("data", "out", "prob"), "boost_sql": ()},
}  # fmt: skip
# In the server: a host that tells of statement `at`, and then waits for a lock; answers with the number of statements
# and the error, whose SQLSTATE is that of a defect where it is none of the user's.
IN_SERVER = """
CREATE FUNCTION called(name text, arguments text, at int, key int) RETURNS text LANGUAGE plpython3u AS $$
import json, traceback
from madtree.calls import run
from madtree.entry.mistakes import mistake_of
from madtree.host import PlpyHost
from madtree.interface import FUNCTIONS

class Host(PlpyHost):
    n = 0
    def told(self, sql):
        if self.n == at:
            plpy.notice("now")
            plpy.execute(f"SELECT pg_advisory_xact_lock_shared({key})")
        plpy.notice("statement " + sql[:4000])
        self.n += 1
    def _run(self, sql, types, params):
        self.told(sql)
        return super()._run(sql, types, params)
    def stream(self, sql, batch=1):
        self.told(sql)
        return super().stream(sql, batch)

function = FUNCTIONS[name]
given = json.loads(arguments)
values = given + [each.default for each in function.arguments[len(given):]]
try:
    run(Host(plpy), function, values)
except Exception as error:
    mistake = mistake_of(error)
    return json.dumps(mistake[:2] if mistake else ["XX000", traceback.format_exc()])
return json.dumps([None, None])
$$
"""
READS_AGAIN = "hashtid"  # in the statement that notes what rows there are
KEPT = ("_statistics", "_conformal")  # tables that few calls read
LOCK = 7011


@dataclass
class Watched:
    """How a call went.

    Attributes:
        statements: of the call.
        sqlstate, said: of its error, if there was one; without an SQLSTATE it is a defect.
        acted_at: the number of the statement before which the owner acted.
    """

    statements: list[str] = field(default_factory=list)
    sqlstate: str | None = None
    said: str = ""
    acted_at: int | None = None

    def is_late(self, what: str) -> bool:
        """Whether the owner acted after it was noted what rows there are, or the one reader has begun to read."""
        before = self.statements[: self.acted_at or 0]
        if kept := kept_in(what):
            return any(kept in each and "LOCK TABLE" not in each for each in before)
        return any(READS_AGAIN in each for each in before)


def kept_in(text: str) -> str:
    """The one of `KEPT` that a text names; empty for none."""
    return next((each for each in KEPT if each in text), "")


def reads(name: str, given: tuple[Any, ...], kept: str) -> bool:
    """Whether a call reads such a table."""
    return name == "tree_drift" if kept == "_statistics" else "conformal" in given


class Telling(PsycopgHost):
    """A host that tells of each statement before it runs."""

    def __init__(self, connection: psycopg.Connection, tell: Callable[[str], None]) -> None:
        super().__init__(connection)
        self._told = tell

    def _run(self, sql_: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        self._told(sql_)
        return super()._run(sql_, types, params, **how)


Act = Callable[[], None]


def in_the_server(reader: psycopg.Connection, name: str, given: Sequence[Any], at: int, act: Act) -> Watched:
    watched = Watched()

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        what, _, statement = (notice.message_primary or "").partition(" ")
        if what == "now":
            act()
            watched.acted_at = at
        elif what == "statement":
            watched.statements.append(statement)

    reader.add_notice_handler(hear)
    try:
        with reader.transaction(force_rollback=True):
            row = reader.execute("SELECT called(%s, %s, %s, %s)", [name, json.dumps(given), at, LOCK]).fetchone()
    finally:
        reader.remove_notice_handler(hear)
    assert row
    watched.sqlstate, watched.said = json.loads(row[0])
    return watched


def by_the_client(reader: psycopg.Connection, name: str, given: Sequence[Any], at: int, act: Act) -> Watched:
    watched = Watched()

    def tell(statement: str) -> None:
        if len(watched.statements) == at:
            act()
            watched.acted_at = at
        watched.statements.append(statement)

    try:
        with reader.transaction(force_rollback=True):
            call(Telling(reader, tell), name, given)
    except (MadtreeError, psycopg.Error) as error:
        watched.sqlstate, watched.said = error.sqlstate or "XX000", str(error)
    except Exception as error:
        watched.sqlstate, watched.said = "XX000", repr(error)
    return watched


ENGINES = {"client": by_the_client, "server": in_the_server}


@dataclass(frozen=True)
class Owner:
    """A role with models in a schema of hers, and what she does to their tables.

    Attributes:
        db: her session, and one that holds the lock.
    """

    db: psycopg.Connection
    schema: str

    def changes(self, model: str) -> dict[str, list[str]]:
        """By what they are: all rows of a table gone, or the last; those of another model's, in one table or all."""
        found: dict[str, list[str]] = {"all tables are another model's": []}
        for table in self.tables(model):
            columns = ", ".join(f'"{name}"' for name in self.columns(table))
            other = [f"DELETE FROM {table}", f"INSERT INTO {table} ({columns}) SELECT {columns} FROM other_{table}"]
            found["all tables are another model's"] += other
            found[f"{table} is another model's"] = other
            found[f"{table} is empty"] = [f"DELETE FROM {table}"]
            found[f"{table} lacks a row"] = [f"DELETE FROM {table} WHERE ctid = (SELECT max(ctid) FROM {table})"]
        return found

    def tables(self, model: str) -> list[str]:
        rows = self.db.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' "
            "AND relname ~ %s ORDER BY 1",
            [self.schema, f"^{model}(_|$)"],
        )
        return [name for (name,) in rows]

    def columns(self, table: str) -> list[str]:
        asked = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        return [name for (name,) in self.db.execute(asked, [table])]

    def act(self, statements: Sequence[str]) -> None:
        try:
            with self.db.transaction():
                for statement in statements:
                    self.db.execute(statement)  # type: ignore[arg-type]
        finally:
            self.db.execute("SELECT pg_advisory_unlock_all()")

    def restore(self, model: str, what: str) -> None:
        """After that change."""
        for table in self.tables(model):
            if what.startswith((f"{table} ", "all tables")):
                self.db.execute(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM copies.{table}".encode())


@pytest.fixture(scope="module")
def reader(
    dsn: str, shared_db: psycopg.Connection, shared_schema: str, sessions: KeptSessions, ordinary_user: tuple[str, str]
) -> Iterator[psycopg.Connection]:
    """An ordinary user's session."""
    name, password = ordinary_user
    shared_db.execute(f"GRANT USAGE, CREATE ON SCHEMA {shared_schema} TO {name}".encode())
    with sessions.session(make_conninfo(dsn, user=name, password=password)) as connection:
        yield connection


@pytest.fixture(scope="module")
def owner(shared_db: psycopg.Connection, reader: psycopg.Connection, shared_schema: str) -> Iterator[Owner]:
    """A session in the role of the owner; her schema comes first for her and for the reader, who may read it."""
    db, schema = shared_db, shared_schema
    name, role, user = f"{schema}_hers", f"{schema}_owner", reader.info.user
    db.execute(IN_SERVER.replace("FUNCTION called", f"FUNCTION {schema}.called"))  # type: ignore[arg-type]
    db.execute(f"CREATE ROLE {role}; CREATE SCHEMA {name} AUTHORIZATION {role}; GRANT ALL ON SCHEMA {name} TO {user}")
    db.execute(f"CREATE SCHEMA copies AUTHORIZATION {role}; SET search_path = {name}, public, madtree; SET ROLE {role}")
    reader.execute(f"SET search_path = {name}, {schema}, public, madtree".encode())
    reader.execute("SELECT tree_predict()")  # from here on the session knows where madtree's code is
    hers = Owner(db, name)
    db.execute(MADE)
    db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO {user}".encode())
    for model in OWN:
        for table in hers.tables(model):
            db.execute(f"CREATE TABLE copies.{table} AS TABLE {table}".encode())
    yield hers
    db.execute("RESET ROLE; SELECT pg_advisory_unlock_all(); SET client_min_messages = error")
    db.execute(f"DROP SCHEMA {name}, copies CASCADE; DROP OWNED BY {role}; DROP ROLE {role}".encode())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", OWN)
def test_a_change_in_between_is_told(owner: Owner, reader: psycopg.Connection, model: str, engine: str) -> None:
    """Between statements that do not name the model's tables all changes are the same."""
    changes, wrong, told = owner.changes(model), [], 0
    functions = share([*{**OWN[model], **OF_ANY}.items()], 2, [*OWN].index(model))
    for turn, (name, given) in enumerate(functions):
        arguments = [model, *given]
        ENGINES[engine](reader, name, arguments, -1, lambda: None)  # what a session asks for once, it asks for here
        whole = ENGINES[engine](reader, name, arguments, -1, lambda: None)
        assert whole.sqlstate != "XX000", whole.said
        places = [at for at, text in enumerate(whole.statements) if f'"{model}' in text and "LOCK TABLE" not in text]
        last = [at for at in places if READS_AGAIN in (text := whole.statements[at]) and kept_in(text)]  # all is read
        every = [
            (what, at)
            for what in changes
            for at in places
            if (reads(name, given, kept_in(what)) if kept_in(what) else at not in last)
        ]
        known = [(what, at) for what, at in every if (kept := kept_in(what)) and kept in whole.statements[at]]
        for what, at in dict.fromkeys([*known, *share(every, 421, turn * 5)]):
            owner.db.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            went = ENGINES[engine](reader, name, arguments, at, lambda w=what: owner.act(changes[w]))
            owner.db.execute("SELECT pg_advisory_unlock_all()")
            owner.restore(model, what)
            told += went.sqlstate == "40001"
            if went.sqlstate == "XX000" or (went.is_late(what) and went.sqlstate is None and not whole.sqlstate):
                wrong.append(f"{name}, {what} before {went.statements[-1][:80]}: {went.said or 'an answer'}")
    assert wrong == []
    assert told > len(functions) // 3
