"""Models that are made of a model take the place of another one where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

MAKE = """
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x, hashint4(-i) / 4294967296.0::float8 AS z,
    hashint4(i) % 5 + hashint4(-i) % 3 > 0 AS y
FROM generate_series(1, 2000) AS i;
SELECT madtree.tree_train('t', 'tree', 'id', 'y', 'x, z', max_depth => 4);
SELECT madtree.boost_train('t', 'boosted', 'id', 'y', 'x, z', num_trees => 4);
SELECT madtree.forest_train('t', 'new', 'id', 'y', 'x, z', num_trees => 3);
"""
COPIES = {
    "tree_prune": ("tree", "'new', 0.01", "new_model"),
    "boost_cut": ("boosted", "'new', 2", "new_model"),
    "calibrate": ("tree", "'t', 'new'", "output_model"),
    "calibrate_sum": ("boosted", "'t', 'new'", "output_model"),
    "tree_refresh": ("tree", "'t', 'new'", "output_model"),
    "tree_refresh_packed": ("boosted", "'t', 'new'", "output_model"),
}


@pytest.fixture(scope="module")
def made(shared_db: psycopg.Connection) -> psycopg.Connection:
    shared_db.execute(MAKE)
    return shared_db


@pytest.fixture
def db(made: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """The tables and models, which are as they were afterwards."""
    with made.transaction(force_rollback=True):
        yield made


def tables_of(db: psycopg.Connection, prefix: str) -> set[str]:
    """The suffixes of the tables of that name."""
    found = db.execute("SELECT tablename FROM pg_tables WHERE starts_with(tablename, %s)", [prefix])
    return {name.removeprefix(prefix) for (name,) in found}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_takes_the_place_of_another_model(db: psycopg.Connection, name: str) -> None:
    """All tables of the one that was there are gone, and what the new one says is what it says without it."""
    model, arguments, _ = COPIES[name]
    function = name.removesuffix("_sum").removesuffix("_packed")
    call = f"madtree.{function}('{model}', {arguments}"
    with pytest.raises(psycopg.errors.DuplicateTable), db.transaction():
        db.execute(f"SELECT {call})")  # type: ignore[arg-type]
    assert db.execute("SELECT num_trees FROM new_summary").fetchall() == [(3,)]  # the forest is as it was
    db.execute(f"SELECT {call.replace('new', 'aside')})")  # type: ignore[arg-type]
    for _ in range(2):
        answer = db.execute(f"SELECT {call}, replace => true)").fetchone()  # type: ignore[arg-type]
        assert answer is not None
        assert "into new" in answer[0]
        assert tables_of(db, "new") == tables_of(db, "aside")
        for suffix in tables_of(db, "new"):
            new, aside = (
                f"SELECT to_jsonb(whole) - 'model_table' AS row FROM {name}{suffix} AS whole"
                for name in ("new", "aside")
            )
            other = db.execute(f"SELECT count(*) FROM ({new} EXCEPT ALL {aside}) AS other").fetchall()  # type: ignore[arg-type]
            assert other == [(0,)]


@pytest.mark.parametrize("name", COPIES)
def test_a_model_does_not_take_its_own_place(db: psycopg.Connection, name: str) -> None:
    model, arguments, argument = COPIES[name]
    function = name.removesuffix("_sum").removesuffix("_packed")
    db.execute(f"SELECT madtree.model_alias('champion', '{model}')")  # type: ignore[arg-type]
    for read in (model, "champion"):
        said = f"{argument}: {model} is the model itself, which is read until the new one is written"
        into = arguments.replace("new", model)
        with pytest.raises(psycopg.Error, match=said) as caught, db.transaction():
            db.execute(f"SELECT madtree.{function}('{read}', {into}, replace => true)")  # type: ignore[arg-type]
        assert "madtree.model_alias" in str(caught.value.diag.message_hint)


def test_another_table_of_that_name_stays(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE plain (id int)")
    with pytest.raises(psycopg.Error, match="plain") as caught:
        db.execute("SELECT madtree.tree_refresh('tree', 't', 'plain', replace => true)")
    assert caught.value.sqlstate == "42P07"
