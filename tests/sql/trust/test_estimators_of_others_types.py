"""The estimators score tables whose outcome and weights have types of another role's: none of its casts runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import madtree

ESTIMATORS = {
    "classes": (madtree.DecisionTreeClassifier, "k", {}),
    "numbers": (madtree.DecisionTreeRegressor, "w", {}),
    "classes of a forest": (madtree.RandomForestClassifier, "k", {"n_estimators": 2}),
    "numbers of a forest": (madtree.RandomForestRegressor, "w", {"n_estimators": 2}),
}
_TYPES = """
CREATE TYPE hue AS ENUM ('red', 'green', 'blue'); CREATE TYPE size AS ENUM ('0', '1', '2', '3', '4', '5', '6');
CREATE DOMAIN whole AS float8;
"""
_CAST = """
CREATE FUNCTION to_{target}({type}) RETURNS {target} LANGUAGE plpgsql IMMUTABLE
AS $$ BEGIN PERFORM spring(); RETURN NULL; END $$;
CREATE CAST ({type} AS {target}) WITH FUNCTION to_{target}({type}) AS IMPLICIT
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("which", ESTIMATORS)
def test_scoring_runs_no_casts_of_the_types_of_outcome_and_weights(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    which: str,
    engine: Any,
) -> None:
    user_db.execute(_TYPES)
    for type_ in ("hue", "size"):
        for target in ("text", "float8", "int4", "numeric"):
            user_db.execute(_CAST.format(type=type_, target=target).encode())
    user_db.execute(
        "CREATE TABLE hers AS SELECT id, x, g, y, w::int::text::size AS w, k::hue AS k, "
        "w::int::text::size AS counts FROM data; GRANT SELECT ON hers TO PUBLIC"
    )
    kind, outcome, more = ESTIMATORS[which]
    client = madtree.connect(data, engine=engine)
    estimator = kind(client, model="m", list_of_features="x", id_col_name="id", **more).fit("data", outcome)
    same = estimator.score("data", outcome), estimator.score("data", outcome, "w")
    canary()
    assert (estimator.score("hers", outcome), estimator.score("hers", outcome, "counts")) == same
    assert canary() == set()


@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("call", ["fit", "score"])
def test_no_cast_runs_where_another_expression_is_wrong(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    call: str,
    engine: Any,
) -> None:
    """A table without the column of the weights: the outcome's type is as little trusted as ever."""
    user_db.execute(_TYPES)
    user_db.execute(_CAST.format(type="hue", target="text").encode())
    user_db.execute("CREATE TABLE hers AS SELECT id, x, k::hue AS k FROM data; GRANT SELECT ON hers TO PUBLIC")
    client = madtree.connect(data, engine=engine)
    estimator = madtree.DecisionTreeClassifier(
        client, model="m", list_of_features="x", id_col_name="id", class_weight="balanced"
    )
    if call == "score":
        estimator.fit("data", "k")
    canary()
    with pytest.raises((madtree.MadtreeError, psycopg.Error), match="gone"):
        getattr(estimator, call)("hers", "k", "gone")
    assert canary() == set()
