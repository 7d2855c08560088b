"""A superuser's own expressions over another role's ordinary table: what that role has made for its types, casts and
checks, runs in none of them. PostgreSQL would ask for it by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import madtree

# What the other role makes of a column, `v`, that is a number in the superuser's own table.
TYPES = {
    "an enum with a cast": """
        CREATE TYPE hue AS ENUM ('1', '2', '3');
        CREATE FUNCTION to_float(hue) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN PERFORM spring(); RETURN 1; END $$;
        CREATE CAST (hue AS float8) WITH FUNCTION to_float(hue) AS IMPLICIT""",
    "a domain with a check": "CREATE DOMAIN hue AS int CHECK (VALUE < 4 OR spring() = 1)",
}
HERS = "CREATE TABLE hers AS SELECT id, x, y, w, g, (1 + g)::text::hue AS v FROM data; GRANT SELECT ON hers TO PUBLIC"
COMPUTED = {"an enum with a cast": "abs(v)", "a domain with a check": "COALESCE(v, 7)"}
# Of training: each place of an expression.
PLACES: dict[str, tuple[str, dict[str, str]]] = {
    "features": ("tree_train", {"list_of_features": "x, {0}"}),
    "dependent": ("tree_train", {"dependent_variable": "({0}) > 1"}),
    "weights": ("tree_train", {"weights": "{0}"}),
    "groups": ("tree_train", {"grouping_cols": "{0}"}),
    "forest": ("forest_train", {"list_of_features": "x, {0}"}),
    "boosted": ("boost_train", {"list_of_features": "x, {0}"}),
    "offsets": ("boost_train", {"offsets": "{0}"}),
    "exposure": ("boost_train", {"dependent_variable": "g", "loss": "poisson", "exposure": "{0}"}),
    "the row": ("tree_train", {"list_of_features": "x, (madtree_source).v + 0"}),
    "by its letters": ("tree_train", {"list_of_features": "x, abs(U&\"\\0076\")"}),
    "tuning": ("tree_tune", {"list_of_features": "x, {0}"}),
}  # fmt: skip
# Of her own model, whose feature is computed, with the other role's table.
CALLS = [
    ("tree_predict", "m", "hers", "out"),
    ("tree_evaluate", "m", "hers"),
    ("tree_confusion", "m", "hers"),
    ("tree_curve", "m", "hers"),
    ("tree_path", "m", "hers", "1"),
    ("tree_explain", "m", "hers", "1"),
    ("tree_shap", "m", "hers", "out"),
    ("tree_drift", "m", "hers"),
    ("tree_refresh", "m", "hers", "out"),
    ("calibrate", "m", "hers", "out"),
    ("conformal_train", "m", "hers"),
    ("partial_dependence", "m", "hers", "x"),
    ("permutation_importance", "m", "hers"),
]
REFUSED = "computes with v, whose type .*hue is another role's"


@pytest.fixture(params=TYPES)
def hers(data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]], request: Any) -> str:
    """Of which type the column of the other role's table is."""
    user_db.execute(TYPES[request.param].encode())
    user_db.execute(HERS.encode())
    canary()
    return str(request.param)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("place", PLACES)
def test_training(data: psycopg.Connection, canary: Callable[[], set[str]], hers: str, place: str, engine: Any) -> None:
    function, more = PLACES[place]
    given = {"training_table_name": "hers", "output_table_name": "m", "id_col_name": "id", "dependent_variable": "y",
             "list_of_features": "x"}  # fmt: skip
    given |= {name: text.format(COMPUTED[hers]) if "{" in text else text for name, text in more.items()}
    client = madtree.connect(data, engine=engine)
    with pytest.raises(madtree.MadtreeError, match=REFUSED) as refused:
        client.call(function, **given)
    assert refused.value.sqlstate == "42501"
    assert canary() == set()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("engine", ["extension", "client"])
def test_a_model_of_hers(data: psycopg.Connection, canary: Callable[[], set[str]], hers: str, engine: Any) -> None:
    data.execute("CREATE TABLE own AS SELECT id, x, y, g, 1 + g AS v FROM data")
    client = madtree.connect(data, engine=engine)
    client.call("tree_train", "own", "m", "id", "y", f"x, {COMPUTED[hers]}")
    for function, *arguments in CALLS:
        with pytest.raises(madtree.MadtreeError, match=REFUSED):
            client.call(function, *arguments)
        assert canary() == set(), function
        assert "out" not in arguments or data.execute("SELECT to_regclass('out')").fetchone() == (None,)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("engine", ["extension", "client"])
def test_texts_and_columns_are_taken(
    data: psycopg.Connection, canary: Callable[[], set[str]], hers: str, engine: Any
) -> None:
    """A column as it stands, the text of one, and expressions over others."""
    client = madtree.connect(data, engine=engine)
    client.call("tree_train", "hers", "m", "id", "y", 'pg_catalog.concat(v), Pg_Catalog . Concat ( "v" ), v, abs(x)')
    client.call("tree_predict", "m", "hers", "out")
    assert data.execute("SELECT count(*) FROM out").fetchone() == (300,)
    data.execute("SELECT tree_drop('m')")
    client.call("tree_train", "hers", "m", "id", "y", "x", grouping_cols="v")
    client.call("tree_evaluate", "m", "hers")
    assert canary() == set()


def test_others_run_their_own_expressions(data: psycopg.Connection, user_db: psycopg.Connection, hers: str) -> None:
    """The role that has made the type trusts itself, and a superuser trusts it where she says so."""
    user_db.execute(f"SELECT tree_train('hers', 'theirs', 'id', 'y', 'x, {COMPUTED[hers]}')".encode())
    user_db.execute("SELECT tree_predict('theirs', 'hers', 'theirs_out')")
    data.execute("SELECT tree_predict('theirs', 'hers', 'out', trust_owner => true)")
    data.execute("SELECT tree_evaluate('theirs', 'hers', trust_owner => true)")
    data.execute("SELECT tree_drift('theirs', 'hers', trust_owner => true)")
