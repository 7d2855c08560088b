"""A type that a superuser's own model names may be another one by now, or have got casts: its owner makes what they
like of its name, and nothing of that runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import madtree

# What becomes of the enum of a training table's outcome, while no column of a table has it.
_CAST = """
CREATE FUNCTION from_text(text) RETURNS hue LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN NULL; END $$;
CREATE FUNCTION to_text(hue) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN 'red'; END $$;
CREATE CAST (text AS hue) WITH FUNCTION from_text(text) AS IMPLICIT;
CREATE CAST (hue AS text) WITH FUNCTION to_text(hue) AS IMPLICIT
"""
CHANGES = {
    "casts": _CAST,
    "a domain with a check": "ALTER TABLE hers ALTER k TYPE text; DROP TYPE hue; "
    "CREATE DOMAIN hue AS text CHECK (spring() = 1)",
    "a domain with a check for NULL": "ALTER TABLE hers ALTER k TYPE text; DROP TYPE hue; "
    "CREATE DOMAIN hue AS int CHECK (spring() = 1 OR VALUE IS NULL)",
}
CALLS = [
    ("boost_predict", "m", "hers", "out"),
    ("boost_predict", "m", "hers", "out", "conformal"),
    ("tree_evaluate", "m", "hers"),
    ("tree_confusion", "m", "hers"),
    ("conformal_quantiles", "m", "hers"),
    ("calibrate", "m", "hers", "out"),
    ("tree_refresh", "m", "hers", "out"),
    ("permutation_importance", "m", "hers"),
    ("boost_staged", "m", "hers"),
    ("tree_shap", "m", "hers", "out"),
    ("partial_dependence", "m", "hers", "x"),
    ("tree_drift", "m", "hers"),
    ("tree_explain", "m", "hers", "1"),
]


@pytest.fixture
def hers(data: psycopg.Connection, user_db: psycopg.Connection) -> psycopg.Connection:
    """The other role's table, whose outcome is of an enum of hers; her session."""
    user_db.execute("CREATE TYPE hue AS ENUM ('red', 'green', 'blue')")
    user_db.execute("CREATE TABLE hers AS SELECT id, x, y, k::hue AS k FROM data; GRANT SELECT ON hers TO PUBLIC")
    return user_db


@pytest.mark.one_in(3)
@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_boosted_models_classes(
    data: psycopg.Connection, hers: psycopg.Connection, canary: Callable[[], set[str]], change: str, engine: Any
) -> None:
    """No column of the model depends on their type: its leaves are numbers."""
    data.execute("SELECT boost_train('hers', 'm', 'id', 'k', 'x', num_trees => 3)")
    data.execute("SELECT conformal_train('m', 'hers')")
    expected = data.execute("SELECT value FROM tree_evaluate('m', 'hers') WHERE metric = 'accuracy'").fetchone()
    hers.execute(CHANGES[change].encode())
    canary()
    client = madtree.connect(data, engine=engine)
    for call in CALLS:
        function, *arguments = call
        client.call(function, *arguments)
        assert canary() == set(), call
        if "out" in arguments and data.execute("SELECT to_regclass('out_summary')").fetchone() == (None,):
            data.execute("DROP TABLE out")
        elif "out" in arguments:
            data.execute("SELECT tree_drop('out')")
    found = data.execute("SELECT value FROM tree_evaluate('m', 'hers') WHERE metric = 'accuracy'").fetchone()
    assert found == expected


ESTIMATORS = {
    "tree": (madtree.DecisionTreeClassifier, {}),
    "forest": (madtree.RandomForestClassifier, {"n_estimators": 2}),
    "boosted": (madtree.GradientBoostingClassifier, {"max_iter": 2}),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("which", ESTIMATORS)
def test_an_estimator_scores_later(
    data: psycopg.Connection, hers: psycopg.Connection, canary: Callable[[], set[str]], which: str, change: str
) -> None:
    """What it has learned when it was fitted holds no longer."""
    kind, more = ESTIMATORS[which]
    estimator = kind(madtree.connect(data, engine="client"), list_of_features="x", id_col_name="id", **more)
    estimator.fit("hers", "k")
    expected = estimator.score("hers", "k")
    hers.execute(CHANGES[change].encode())
    canary()
    assert estimator.score("hers", "k") == expected
    assert canary() == set()


@pytest.mark.parametrize("table", ["colours", "data"])
def test_a_type_that_a_superuser_cannot_hold(
    data: psycopg.Connection, user_db: psycopg.Connection, schema: str, table: str
) -> None:
    """Hers in another role's schema, which that role could rename while her statement names the type: that of a column,
    or one that a text is cast to.
    """
    data.execute(f"CREATE SCHEMA hues_{schema} AUTHORIZATION {user_db.info.user}".encode())
    try:
        data.execute(f"CREATE TYPE hues_{schema}.hue AS ENUM ('red', 'green', 'blue')".encode())
        data.execute(f"CREATE TABLE colours AS SELECT id, x, y, k::hues_{schema}.hue AS k FROM data".encode())
        data.execute("SELECT tree_train('colours', 'm', 'id', 'y', 'k, x')")
        call = f"SELECT count(*) FROM tree_drift('m', '{table}'"
        data.execute("SELECT tree_statistics('m', 'colours')")
        assert data.execute(f"{call})".encode()).fetchone() == (3,)
        data.execute("BEGIN READ ONLY")
        assert data.execute(f"{call}, trust_owner => true)".encode()).fetchone() == (3,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="a superuser cannot hold here"):
            data.execute(f"{call})".encode())
        data.execute("ROLLBACK; SELECT tree_train('colours', 'of_hues', 'id', 'k', 'x'); BEGIN READ ONLY")
        data.execute("SELECT tree_display('of_hues')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="a superuser cannot hold here"):
            data.execute("SELECT tree_sql('of_hues')")
    finally:
        data.execute(f"ROLLBACK; DROP SCHEMA hues_{schema} CASCADE".encode())


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_tables_that_the_past_shows_a_superuser(
    data: psycopg.Connection, hers: psycopg.Connection, canary: Callable[[], set[str]], level: str
) -> None:
    """An expression means the column that has the name now, whose type has others' casts, in a table of others' or one
    that was given to them.
    """
    hers.execute(_CAST.encode())
    hers.execute("CREATE TABLE plain AS SELECT id, x, y, 'red'::text AS k FROM data")
    data.execute("CREATE TABLE given AS TABLE plain")
    data.execute(f"BEGIN ISOLATION LEVEL {level}; SELECT FROM data".encode())
    admin = psycopg.connect(data.info.dsn, password=data.info.password, autocommit=True)
    with admin:
        admin.execute(f"SET search_path = {data.execute('SELECT current_schema()').fetchone()[0]}".encode())  # type: ignore[index]
        admin.execute(f"ALTER TABLE given OWNER TO {hers.info.user}".encode())
    for table in ("plain", "given"):
        hers.execute(f"ALTER TABLE {table} DROP k; ALTER TABLE {table} ADD k hue DEFAULT 'red'".encode())
        told = f"training_table_name: {table}, or its schema, is another role's or has changed"
        with pytest.raises(psycopg.errors.ActiveSqlTransaction, match=told), data.transaction():
            data.execute(f"SELECT tree_train('{table}', 'out', 'id', 'y', 'lower(k), x')".encode())
    data.execute("SELECT tree_train('data', 'out', 'id', 'y', 'lower(k), x'); ROLLBACK")
    assert canary() == set()
