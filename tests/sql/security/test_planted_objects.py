"""Nothing that somebody else planted on the caller's search path runs, and every answer is what it is without it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boosted_calls
import calls
import psycopg
import pytest
from fix_server import Server
from planted import SCHEMA, marks, plant
from pooler import kept
from psycopg import sql
from psycopg.conninfo import make_conninfo
from shares import share

CALLS = {**dict(calls.trainings()), **dict(calls.uses()), **dict(boosted_calls.uses())}
# Where pg_catalog is not named, it comes first; then only what it lacks can be planted.
PATHS = {
    "clean": "{boss}, madtree",
    "first": "{alice}, {boss}, madtree",
    "last": "{alice}, {boss}, madtree, pg_catalog",
}


@dataclass(frozen=True)
class Place:
    """A database of boss's, and a session of hers; new ones are had by `dsn`."""

    dsn: str
    db: psycopg.Connection


@pytest.fixture(scope="module")
def alice(server: Server) -> Iterator[str]:
    name = f"madtree_alice_{os.getpid()}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name}")
    yield name
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def places(server: Server, alice: str) -> Iterator[dict[str, Place]]:
    """The same tables and models in three databases: without anything planted, and with pg_catalog first and last."""
    made: dict[str, Place] = {}
    names = {path: f"madtree_planted_{path}_{secrets.token_hex(4)}" for path in PATHS}
    with psycopg.connect(server.dsn, autocommit=True) as admin, kept(server.dsn) as through:
        try:
            admin.execute(f"CREATE DATABASE {names['clean']}")
            make_clean(server.dsn_of(dbname=names["clean"]))
            for path, name in names.items():
                if path != "clean":
                    # Each has what is planted in the one before, and more.
                    before = names["clean" if path == "first" else "first"]
                    admin.execute(f"CREATE DATABASE {name} TEMPLATE {before}")
                prepare(server.dsn_of(dbname=name), path, alice)
            for path, name in names.items():
                session = psycopg.connect(server.dsn_of(dbname=name), autocommit=True, prepare_threshold=None)
                made[path] = Place(make_conninfo(through, dbname=name), session)
                session.execute("SELECT madtree.tree_predict()")  # loads the Python half, which some calls import from
            yield made
        finally:
            for place in made.values():
                place.db.close()
            for name in names.values():
                admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def make_clean(dsn: str) -> None:
    """All tables and models."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"CREATE EXTENSION madtree CASCADE; CREATE SCHEMA {calls.SCHEMA}")
        db.execute(f"SET search_path = {calls.SCHEMA}, public")
        calls.make_sources(db)
        db.execute(calls.MAKE_WAYS)
        db.execute("RESET search_path")
        calls.make_models(db)
        boosted_calls.make_models(db)


def prepare(dsn: str, path: str, alice: str) -> None:
    """Plant what belongs there, and set the search path."""
    with psycopg.connect(dsn, autocommit=True) as db:
        if db.execute("SELECT FROM pg_foreign_server WHERE srvname = 'loopback'").fetchone():
            name = sql.Literal(db.info.dbname)
            db.execute(sql.SQL("ALTER SERVER loopback OPTIONS (SET dbname {})").format(name))
        if path != "clean":
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {alice}")
            db.execute(f"GRANT USAGE ON SCHEMA {calls.SCHEMA} TO {alice}")
            db.execute(f"SET ROLE {alice}")
            assert plant(db, everything=path == "last", own_types=calls.TYPES) > 30_000
            db.execute("RESET ROLE")
        setting = PATHS[path].format(boss=calls.SCHEMA, alice=SCHEMA)
        db.execute(
            sql.SQL("ALTER DATABASE {} SET search_path = {}").format(sql.Identifier(db.info.dbname), sql.SQL(setting))
        )


@pytest.fixture(scope="module")
def answers(places: dict[str, Place]) -> Callable[[str, Path], Any]:
    """What a call answers where nothing is planted."""
    place, known = places["clean"], dict[str, Any]()

    def answer(name: str, folder: Path) -> Any:
        if name not in known:
            known[name] = CALLS[name](place.db, place.dsn, folder)
        return known[name]

    return answer


# Where pg_catalog comes last, all that is planted for the other path is there, too, and more: every name without a
# schema is found. So of the path that users have, with pg_catalog first, a sample is enough. Of trainings, one in
# twelve is tried, by another strategy each time. Each thing that is done with a model is done with one, with another
# the next.
TRAININGS = [*dict(calls.trainings())]
TWELFTH = [name for turn in range(len(TRAININGS) // 12 + 1) for name in share(TRAININGS[12 * turn :][:12], 12, turn)]


def some_uses() -> list[str]:
    every = [*dict(calls.uses())]
    of_models: dict[str, list[str]] = {}
    for name in every:
        model, _, what = name.partition(": ")
        if model in calls.MODELS:
            of_models.setdefault(what, []).append(name)
    left = set(every).difference(*of_models.values())
    chosen = [share(names, 8, number % len(names)) for number, names in enumerate(of_models.values())]
    return [name for name in every if name in left.union(*chosen)]


CHOSEN = [*TWELFTH, *some_uses(), *share([*dict(boosted_calls.uses())], 38)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("path", "name"), [*(("last", name) for name in CHOSEN), *(("first", name) for name in share([*CALLS], 107))]
)
def test_nothing_planted_runs(
    places: dict[str, Place], answers: Callable[[str, Path], Any], tmp_path: Path, path: str, name: str
) -> None:
    trapped = places[path]
    before = marks(trapped.db)
    answer = CALLS[name](trapped.db, trapped.dsn, tmp_path)
    assert marks(trapped.db) == before
    # Under such a path PostgreSQL prints its own types' names with their schema.
    assert str(answer).replace("pg_catalog.", "") == str(answers(name, tmp_path)).replace("pg_catalog.", "")


@pytest.mark.parametrize("model", list(calls.MODELS))
def test_pasted_text_runs_nothing_planted_where_pg_catalog_comes_first(places: dict[str, Place], model: str) -> None:
    """`tree_sql` and the predicates of `tree_rules`, over columns of built-in types and enums."""
    db = places["first"].db
    name, table = f"{calls.SCHEMA}.{model}", f"{calls.SCHEMA}.t"
    before = marks(db)
    texts = db.execute(
        "SELECT madtree.tree_sql(%(model)s) UNION ALL SELECT predicate FROM madtree.tree_rules(%(model)s)",
        {"model": name},
    ).fetchall()
    assert len(texts) > 3
    for (text,) in texts:
        # A column of a domain must be cast by whoever pastes the text, as the page on scoring says.
        db.execute(f"SELECT {text.replace('share', 'share::float8')} FROM {table}", prepare=False)
    assert marks(db) == before


@pytest.mark.parametrize(
    ("suffix", "column"), [("", "n_leaves"), ("_nodes", "impurity"), ("_summary", "features"), ("_surrogates", "rank")]
)
def test_a_column_that_is_gone_is_no_function(places: dict[str, Place], suffix: str, column: str) -> None:
    """PostgreSQL takes `n.depth` for a call of `depth` where the table has no such column."""
    db, table = places["first"].db, f"{calls.SCHEMA}.lacking{suffix}"
    for each in ("", "_nodes", "_summary", "_surrogates", "_cv"):
        db.execute(f"CREATE TABLE {calls.SCHEMA}.lacking{each} AS TABLE {calls.SCHEMA}.class_model{each}")
    try:
        db.execute(f"ALTER TABLE {table} DROP {column}")
        db.execute(f"""CREATE FUNCTION {SCHEMA}.{column}({table}) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN PERFORM nextval('{SCHEMA}.marks'); RETURN 1; END $$""")
        before = marks(db)
        for call in ("tree_display(%s)", "tree_to_json(%s)", "tree_sql(%s)", "get_var_importance(%s, 'boss_s.x')"):
            with pytest.raises(psycopg.errors.UndefinedColumn, match=f"is damaged: .* lacks the column {column}"):
                db.execute(f"SELECT madtree.{call}", [f"{calls.SCHEMA}.lacking"])
        assert marks(db) == before
        db.execute(f"DROP FUNCTION {SCHEMA}.{column}({table})")
        db.execute("SELECT madtree.tree_drop(%s)", [f"{calls.SCHEMA}.lacking"])
    finally:
        for each in ("", "_nodes", "_summary", "_surrogates", "_cv"):
            db.execute(f"DROP TABLE IF EXISTS {calls.SCHEMA}.lacking{each} CASCADE")


def test_the_traps_work(places: dict[str, Place]) -> None:
    """Bare names run what is planted: first what pg_catalog lacks, last everything."""
    lacking = ["'1'::real >= 1", "'1'::float8 / 1::int8", "'a'::varchar(5) = 'a'::varchar(5)", "sum('a'::text)"]
    for path, expressions in {
        "first": lacking,
        "last": [*lacking, "1 = 1", "'1'::int4", "length('a')", "count(*)"],
    }.items():
        for number, expression in enumerate(expressions, 1 + marks(places[path].db)):
            with pytest.raises(psycopg.errors.RaiseException, match="planted: "):
                places[path].db.execute(f"SELECT {expression}")
            assert marks(places[path].db) == number


def test_an_ordinary_user_cannot_plant_a_cast(places: dict[str, Place], alice: str) -> None:
    """So none is planted: it takes the owner of one of the types."""
    db = places["first"].db
    db.execute(f"SET ROLE {alice}")
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="must be owner of type"):
            db.execute(f"CREATE CAST (float4 AS int8) WITH FUNCTION {SCHEMA}.step(int8)")
    finally:
        db.execute("RESET ROLE")
