"""Calls of `tree_train`, a model's rows as they are stored, and all that a call could leave behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
from psycopg import sql

from madtree.host.psycopg import PsycopgHost
from madtree.request import Tuning, check_arguments, check_boost_arguments
from madtree.request.forest_arguments import check_forest_arguments
from madtree.sqltext.inserts import QUICKER_COMPRESSION
from madtree.train import line_of
from madtree.train import train as train_task

_NUMBER = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")
Tables = dict[str, list[dict[str, "str | None"]]]

SUFFIXES = ("", "_nodes", "_surrogates", "_cv", "_summary", "_competitors", "_group", "_rounds")
# What equal trainings may differ in: columns of `<model>_summary`.
CIRCUMSTANCES = ("model_table", "source_table", "trained_at")


def compress_quickly(db: psycopg.Connection) -> None:
    """Let the session compress long values as the server can in a fraction of the time, where it can."""
    if db.execute(QUICKER_COMPRESSION).fetchone() is not None:
        db.execute("SET default_toast_compression = lz4")


def call_train(db: psycopg.Connection, **arguments: Any) -> str:
    """`tree_train` with these arguments, by the names that SQL has for them; the line that it returns."""
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in arguments)
    row = db.execute(sql.SQL("SELECT madtree.tree_train({})").format(named), list(arguments.values())).fetchone()
    assert row is not None
    return str(row[0])


def train(
    db: psycopg.Connection, table: str, model: str, dependent: str, features: str, *, id_column: str = "id", **more: Any
) -> str:
    """`tree_train` with its required arguments and `more` by name; the line that it returns. All names are SQL."""
    return call_train(
        db,
        training_table_name=table,
        output_table_name=model,
        id_col_name=id_column,
        dependent_variable=dependent,
        list_of_features=features,
        **more,
    )


def train_by_client(db: psycopg.Connection | PsycopgHost, tuning: Tuning | None = None, **arguments: Any) -> str:
    """As `call_train`, in this process, by statements that call nothing of madtree's, or by a host's."""
    host = PsycopgHost(db) if isinstance(db, psycopg.Connection) else db
    db = host.connection
    with db.transaction():
        if "loss" in arguments:
            task = check_boost_arguments(host, **arguments)
        elif "num_trees" in arguments:
            task = check_forest_arguments(host, **arguments)
        else:
            task = check_arguments(host, **arguments)
        return line_of(train_task(host, task if tuning is None else replace(task, tuning=tuning)))


def read_model(db: psycopg.Connection, model: str, schema: str | None = None) -> Tables:
    """All rows of all tables of a model, by the tables' suffixes, each value as PostgreSQL prints it.

    So equal models are equal to the last bit, NaN and negative zero included. CIRCUMSTANCES are left out.
    """
    tables: Tables = {}
    for suffix in SUFFIXES:
        table = sql.Identifier(*([schema] if schema else []), model + suffix)
        columns = [name for name, _ in columns_of(db, table.as_string(db)) if name not in CIRCUMSTANCES]
        if not columns:
            continue
        texts = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(name)) for name in columns)
        query = sql.SQL("SELECT {} FROM {}").format(texts, table)
        rows = db.execute(query, prepare=False).fetchall()
        ordered = sorted(rows, key=lambda row: [(value is not None, value or "") for value in row])
        tables[suffix] = [dict(zip(columns, row, strict=True)) for row in ordered]
    missing = {"", "_nodes", "_summary"} - tables.keys()
    assert not missing, f"{model} has no tables {missing}"
    return tables


def columns_of(db: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    """Names and types of a relation's columns, in order; none of a relation that does not exist."""
    query = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    )
    return db.execute(query, [table]).fetchall()


def left_behind(db: psycopg.Connection, pid: int | None = None) -> set[str]:
    """What the database has besides rows, to be compared before and after: relations, functions, types, and what the
    session `pid`, this one by default, has of temporary files and advisory locks.
    """
    pid = pid or db.info.backend_pid
    query = """
        SELECT format('relation %%s.%%s (%%s)', relnamespace::regnamespace, relname, relpersistence) FROM pg_class
        UNION ALL SELECT format('function %%s', oid::regprocedure) FROM pg_proc WHERE oid >= 16384
        UNION ALL SELECT format('type %%s.%%s', typnamespace::regnamespace, typname) FROM pg_type
        UNION ALL SELECT format('file %%s', name) FROM pg_ls_dir('base/pgsql_tmp', true, false) AS name
            WHERE starts_with(name, %(files)s)
        UNION ALL SELECT format('lock %%s %%s', classid, objid) FROM pg_locks
            WHERE locktype = 'advisory' AND pid = %(pid)s
    """
    rows = db.execute(query, {"files": f"pgsql_tmp{pid}.", "pid": pid}).fetchall()
    return {name for (name,) in rows}


@contextmanager
def without_branches(db: psycopg.Connection) -> Iterator[None]:
    """Nobody takes part in a parallel query, as where workers cannot reach the leader's files: all its branches end at
    once.
    """
    with db.transaction(force_rollback=True):
        db.execute(
            "CREATE OR REPLACE FUNCTION madtree_internal.workers_join(key text) RETURNS boolean LANGUAGE plpgsql "
            "VOLATILE PARALLEL SAFE AS 'BEGIN RETURN false; END'"
        )
        yield


def alike(found: Tables, expected: Tables, arguments: dict[str, Any]) -> bool:
    """Whether models differ in the last digits only, where they may: in logarithms, and in means of held-out errors,
    of which another version of numpy (a client's, not the server's) has other last bits.
    """
    by_logarithms = arguments.get("split_criterion") in ("entropy", "gain_ratio", "poisson")
    if not by_logarithms and "n_folds" not in arguments.get("pruning_params", ""):
        return False
    return _rounded(found) == _rounded(expected)


def _rounded(tables: Tables) -> Any:
    return {
        part: [
            {name: _NUMBER.sub(lambda n: f"{float(n[0]):.9g}", value or "") for name, value in row.items()}
            for row in rows
        ]
        for part, rows in tables.items()
    }
