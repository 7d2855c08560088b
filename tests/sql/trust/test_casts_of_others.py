"""Casts that the owner of an enum makes are looked for by operators and by casts to and from it, and to and from arrays
of it: none of them runs, whether they are there when a superuser trains, or made afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from shares import share

import madtree

WAYS = [("before", "client"), ("after", "extension"), ("after", "client"), ("before", "extension")]
# One at a time: of several implicit casts PostgreSQL takes none, as operators are not unique then.
CASTS = {
    "to text": ("hue", "text", "'red'"),
    "from text": ("text", "hue", "NULL"),
    "to integer": ("hue", "int4", "1"),
    "of arrays to text": ("hue[]", "text", "'{}'"),
    "arrays from text": ("text", "hue[]", "NULL"),
}
_CAST = """
CREATE FUNCTION turned({source}) RETURNS {target} LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN {value}; END $$;
CREATE CAST ({source} AS {target}) WITH FUNCTION turned({source}) AS IMPLICIT
"""
TRAININGS = [
    ("tree_train", "hers", "by_feature", "id", "y", "x, k"),
    ("forest_train", "hers", "f_by_feature", "id", "y", "x, k"),
    ("tree_train", "hers", "by_group", "id", "y", "x", None, None, "k"),
    ("tree_train", "hers", "by_class", "id", "k", "x"),
    ("tree_train", "hers", "by_id", "k", "y", "x"),
    ("boost_train", "hers", "b_by_id", "k", "y", "x"),
    ("boost_train", "hers", "b_by_class", "id", "k", "x"),
]
# `hers_as_text` has the texts of the enum in place of its values.
CALLS = [
    ("tree_predict", "by_feature", "hers", "out"),
    ("tree_predict", "by_group", "hers", "out"),
    ("tree_predict", "by_group", "hers_as_text", "out"),
    ("tree_predict", "by_class", "hers", "out"),
    ("tree_predict", "by_id", "hers", "out"),
    ("forest_predict", "f_by_feature", "hers", "out"),
    ("boost_predict", "b_by_id", "hers", "out"),
    ("boost_predict", "b_by_class", "hers", "out"),
    ("tree_evaluate", "by_feature", "hers"),
    ("tree_evaluate", "by_group", "hers_as_text"),
    ("tree_evaluate", "by_class", "hers"),
    ("tree_evaluate", "b_by_class", "hers"),
    ("tree_path", "by_feature", "hers", "7"),
    ("tree_path", "by_group", "hers_as_text", "7"),
    ("tree_shap", "b_by_id", "hers", "out"),
    ("tree_refresh", "by_group", "hers", "copied"),
]


@pytest.fixture
def hers(data: psycopg.Connection, user_db: psycopg.Connection) -> psycopg.Connection:
    """The other role's table, a column of which is of an enum of hers; her session."""
    user_db.execute("CREATE TYPE hue AS ENUM ('red', 'green', 'blue')")
    user_db.execute("CREATE TABLE hers AS SELECT id, x, k = 'green' AS y, k::hue AS k FROM data")
    user_db.execute("CREATE TABLE hers_as_text AS SELECT id, x, k = 'green' AS y, k FROM data")
    user_db.execute("GRANT SELECT ON hers, hers_as_text TO PUBLIC")
    return user_db


def call(client: madtree.Client, what: tuple[str | None, ...]) -> None:
    function, *arguments = what
    small = {"num_trees": 2} if function in ("forest_train", "boost_train") else {}
    client.call(str(function), *arguments, **small)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("cast", "when", "engine"),
    [case for turn, cast in enumerate(CASTS) for case in share([(cast, *way) for way in WAYS], len(WAYS), turn)],
)
def test_no_cast_runs(
    data: psycopg.Connection,
    hers: psycopg.Connection,
    canary: Callable[[], set[str]],
    cast: str,
    when: str,
    engine: Any,
) -> None:
    source, target, value = CASTS[cast]
    made = _CAST.format(source=source, target=target, value=value).encode()
    client = madtree.connect(data, engine=engine)
    if when == "before":
        hers.execute(made)
    canary()
    for training in TRAININGS:
        call(client, training)
        assert canary() == set(), training
    if when == "after":
        hers.execute(made)
    for use in share(CALLS, 2, [*CASTS].index(cast) // 2):
        call(client, use)
        assert canary() == set(), use
        data.execute("DROP TABLE IF EXISTS out")


def test_groups_of_an_older_model_are_found(
    data: psycopg.Connection, hers: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    """Whose column is of the enum, as superusers' models had it before."""
    data.execute("SELECT tree_train('hers', 'm', 'id', 'y', 'x', grouping_cols => 'k')")
    data.execute("SELECT tree_predict('m', 'hers', 'expected')")
    data.execute(
        "ALTER TABLE m ALTER k TYPE hue USING k::hue; UPDATE m_summary SET grouping_types = '{hue}', "
        "grouping_expressions = '{k}'"
    )
    hers.execute(_CAST.format(source="hue", target="text", value="'red'").encode())
    for table in ("hers", "hers_as_text"):
        canary()
        data.execute(f"SELECT tree_predict('m', '{table}', 'found')")  # type: ignore[arg-type]
        assert canary() == set()
        assert data.execute("SELECT * FROM found EXCEPT SELECT * FROM expected").fetchall() == []
        data.execute("DROP TABLE found")


def test_another_type_of_the_name_of_a_range(
    data: psycopg.Connection, hers: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    """A model that is grouped by the texts of a range does not name its type."""
    hers.execute("CREATE TYPE span AS RANGE (subtype = int4)")
    hers.execute("CREATE TABLE spans AS SELECT id, x, y, g::text AS g, int4range(0, g + 1)::text::span AS s FROM data")
    hers.execute("GRANT SELECT ON spans TO PUBLIC")
    data.execute("SELECT tree_train('spans', 'm', 'id', 'y', 'x', grouping_cols => 's')")
    data.execute("SELECT tree_predict('m', 'spans', 'expected')")
    hers.execute("ALTER TABLE spans ALTER s TYPE int4range USING s::text::int4range; DROP TYPE span")
    hers.execute("CREATE DOMAIN span AS int4range CHECK (spring() = 1)")
    canary()
    data.execute("SELECT tree_predict('m', 'spans', 'found')")
    assert canary() == set()
    assert data.execute("SELECT * FROM found EXCEPT SELECT * FROM expected").fetchall() == []


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_arrays_of_a_domain(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], engine: Any
) -> None:
    """Its elements are numbers, but to cast the array as a whole is a cast of its owner's."""
    user_db.execute(
        "CREATE DOMAIN share AS float8; CREATE TABLE arrays AS SELECT id, y, ARRAY[x, x % 7]::float8[]::share[] AS a, "
        "ARRAY[x, x % 7]::float8[] AS plain FROM data; GRANT SELECT ON arrays TO PUBLIC"
    )
    user_db.execute(_CAST.format(source="share[]", target="float8[]", value="'{1,2}'").encode())
    client = madtree.connect(data, engine=engine)
    canary()
    for function in ("tree_train", "forest_train", "boost_train"):
        small = {} if function == "tree_train" else {"num_trees": 2}
        client.call(function, "arrays", f"{function}_m", "id", "y", "a", **small)
        client.call(function, "arrays", f"{function}_plain", "id", "y", "plain", **small)
        found, expected = (
            data.execute(f"SELECT node_id, threshold, n_rows FROM {function}_{name}_nodes ORDER BY tree_id, 1")  # type: ignore[arg-type]
            for name in ("m", "plain")
        )
        assert found.fetchall() == expected.fetchall()
        assert canary() == set()
