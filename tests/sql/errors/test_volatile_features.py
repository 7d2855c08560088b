"""A feature that gives different values for the same row within one query is told, and is no defect of ours."""

from __future__ import annotations

import psycopg
import pytest

VOLATILE = (
    "x, CASE WHEN random() < 0.5 THEN k END",
    "x, CASE WHEN nextval('ticks') > 700 THEN NULL ELSE k END",
    "x, CASE WHEN random() < 0.5 THEN k::varchar END",
)


@pytest.fixture
def rows(db: psycopg.Connection, schema: str) -> psycopg.Connection:
    db.execute(
        "CREATE SEQUENCE ticks; CREATE TABLE rows AS SELECT i AS id, i * 7919 % 100 AS x, i * 7919 % 100 > 40 AS y, "
        "(ARRAY['a', 'b', 'c'])[1 + i % 3] AS k FROM generate_series(1, 500) i"
    )
    return db


@pytest.mark.parametrize("function", ["tree_train", "forest_train", "boost_train"])
@pytest.mark.parametrize("features", VOLATILE)
def test_a_volatile_feature_is_told(rows: psycopg.Connection, function: str, features: str) -> None:
    with pytest.raises(psycopg.errors.SerializationFailure, match="gives different values for the same row") as told:
        rows.execute(f"SELECT {function}('rows', 'm', 'id', 'y', %s)", [features])  # type: ignore[arg-type]
    assert told.value.diag.message_primary is not None
    assert told.value.diag.message_primary.startswith("madtree: list_of_features: CASE WHEN ")
    assert "keep its values in a column" in (told.value.diag.message_hint or "")


def test_values_that_are_kept_are_taken(rows: psycopg.Connection) -> None:
    rows.execute("CREATE TABLE kept AS SELECT *, CASE WHEN random() < 0.5 THEN k END AS r FROM rows")
    rows.execute("CREATE VIEW shown AS SELECT *, CASE WHEN random() < 0.5 THEN k END AS r FROM rows")
    for table in ("kept", "shown"):
        rows.execute("SELECT tree_train(%s, 'm', 'id', 'y', 'x, r', replace => true)", [table])
