"""Who may read a model's tables uses it, also where the schema of its training table is private."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

CALLS = (
    "tree_evaluate('m', 'own')",
    "tree_curve('m', 'own')",
    "conformal_quantiles('m', 'own', '0.5')",
    "permutation_importance('m', 'own')",
    "calibrate('m', 'own', 'calibrated')",
    "tree_refresh('m', 'own', 'refreshed')",
)


@pytest.fixture
def private(data: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> Iterator[None]:
    """A model of a table that the ordinary user cannot even look up, and a table of the user's."""
    data.execute(f"CREATE SCHEMA private_{schema}; CREATE TABLE private_{schema}.t AS TABLE data".encode())
    data.execute(f"SELECT tree_train('private_{schema}.t', 'm', 'id', 'y', 'x, k')".encode())
    data.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO PUBLIC".encode())
    user_db.execute("CREATE TABLE own AS TABLE data")
    yield
    data.execute(f"SET client_min_messages = error; DROP SCHEMA private_{schema} CASCADE".encode())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", CALLS)
def test_it_answers(private: None, user_db: psycopg.Connection, call: str) -> None:
    assert user_db.execute(f"SELECT count(*) > 0 FROM {call}".encode()).fetchone() == (True,)
