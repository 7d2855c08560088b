"""A column that a model's table lacks is no function of its owner's: `t.c` would call `c(t)`, found by the search path
of whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
import pytest
from function_calls import model_calls
from shares import share

from madtree.trees import BOOSTED, FOREST, TREE

MADE = """
CREATE TABLE data AS SELECT i AS id, i * 7919 % 100 AS x, i % 2 AS g, (i * 31 % 7)::float8 AS w,
    (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS k, i * 7919 % 100 + (i * 37 % 11) * 4 > 60 AS y
FROM generate_series(1, 120) AS i;
SELECT madtree.tree_train('data', 'm', 'id', 'y', 'x, k', grouping_cols => 'g',
    surrogate_params => 'max_surrogates=1', pruning_params => 'n_folds=2');
SELECT madtree.forest_train('data', 'f', 'id', 'w', 'x, k', num_trees => 2, intervals => true, grouping_cols => 'g');
SELECT madtree.forest_train('data', 'fc', 'id', 'y', 'x, k', num_trees => 2, grouping_cols => 'g');
SELECT madtree.boost_train('data', 'b', 'id', 'y', 'x, k', num_trees => 2, grouping_cols => 'g',
    boost_params => 'category_encoding=ordered', validation_params => 'fraction=0.2');
SELECT madtree.calibrate('b', 'data', 'c', 'isotonic');
SELECT madtree.boost_train('data', 'kb', 'id', 'k', 'x, w', num_trees => 1);
SELECT madtree.calibrate('kb', 'data', 'kc', 'isotonic');
SELECT madtree.tree_statistics(m, 'data'), madtree.conformal_train(m, 'data')
FROM unnest(ARRAY['m', 'f', 'fc', 'b', 'c']) AS m;
"""
KINDS = {"m": TREE, "f": FOREST, "fc": FOREST, "b": BOOSTED, "c": BOOSTED, "kc": BOOSTED}
COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ %s ORDER BY 1, a.attnum
"""


@pytest.fixture(scope="module")
def owners(shared_db: psycopg.Connection, shared_schema: str) -> Iterator[str]:
    """A role that has made models in a schema on a superuser's search path."""
    db, schema = shared_db, shared_schema
    role = f"{schema}_owner"
    db.execute(f'CREATE ROLE "{role}"')
    db.execute(f'GRANT ALL ON SCHEMA "{schema}" TO "{role}"')
    db.execute("CREATE SEQUENCE sprung")
    db.execute(
        "CREATE FUNCTION spring() RETURNS int LANGUAGE plpgsql IMMUTABLE AS "
        "$$ BEGIN PERFORM nextval('sprung'); RETURN 1; END $$"
    )
    db.execute(f'SET ROLE "{role}"')
    db.execute(MADE)
    db.execute("RESET ROLE")
    yield role
    db.execute("RESET ROLE")
    db.execute(f'DROP OWNED BY "{role}" CASCADE')
    db.execute(f'DROP ROLE "{role}"')


@dataclass
class Watched:
    """Calls, and what went wrong: what of a role's own ran, and what failed by a defect."""

    db: psycopg.Connection
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def answers(self, call: str, without: str) -> bool:
        """Whether the call is not refused where these columns are missing."""
        answered = True
        try:
            with self.db.transaction(force_rollback=True):
                self.db.execute(call)  # type: ignore[arg-type]
        except psycopg.Error as error:
            answered = False
            if error.sqlstate == "XX000":
                self.wrong.append((without, f"{call}: {error}"))
        if self.db.execute("SELECT is_called FROM sprung").fetchone() == (True,):
            self.wrong.append((without, call))
            self.db.execute("SELECT setval('sprung', 1, false)")
        return answered


@contextmanager
def replaced(db: psycopg.Connection, table: str, columns: Mapping[str, str]) -> Iterator[None]:
    """Functions of these names and types in the place of a table's columns."""
    casts = {
        "jsonb": "to_jsonb(spring())",
        "boolean": "spring() = 1",
        "bytea": "decode(spring()::text, 'escape')",
        "timestamp with time zone": "now() + spring() * interval '1 s'",
    }
    with db.transaction(force_rollback=True):
        for column, type_ in columns.items():
            value = "ARRAY[spring()]" if type_.endswith("[]") else "spring()"
            made = casts.get(type_, f"{value}::text{'[]' * type_.endswith('[]')}::{type_}")
            db.execute(f'ALTER TABLE {table} DROP COLUMN "{column}" CASCADE')  # type: ignore[arg-type]
            db.execute(
                f'CREATE FUNCTION "{column}"({table}) RETURNS {type_} LANGUAGE sql STABLE AS $$ SELECT {made} $$'  # type: ignore[arg-type]
            )
        yield


@pytest.mark.one_in(4)
@pytest.mark.parametrize("model", KINDS)
def test_no_call_runs_what_takes_the_place_of_a_column(shared_db: psycopg.Connection, owners: str, model: str) -> None:
    """Each column alone for some of the calls, most of which look whether it is there. Those that not all of them miss
    are replaced together for a seventh of the calls, and alone for a call that misses any.
    """
    db = shared_db
    calls, watched = model_calls(KINDS[model], model, leave_out=("tree_drop",), variants=False), Watched(db)
    answer = [call for call in calls if watched.answers(call, "nothing")]
    found = db.execute(COLUMNS, [f"^{model}(_|$)"]).fetchall()
    assert len(found) > 60
    not_missed: dict[str, dict[str, str]] = {}
    for turn, (table, column, type_) in enumerate(found):
        with replaced(db, table, {column: type_}):
            answers = {call for call in share(calls, 157, turn) if watched.answers(call, f"{table}.{column}")}
            if answers:
                not_missed.setdefault(table, {})[column] = type_
    for number, (table, columns) in enumerate(not_missed.items()):
        with replaced(db, table, columns):
            missing = {
                call for call in share(answer, 7, number) if not watched.answers(call, f"{table}: {', '.join(columns)}")
            }
        for turn, (column, type_) in enumerate(columns.items() if missing else ()):
            with replaced(db, table, {column: type_}):
                for call in share(sorted(missing), 4, turn):
                    watched.answers(call, f"{table}.{column}")
    assert watched.wrong == []
