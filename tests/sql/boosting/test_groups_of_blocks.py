"""A group's boosted model does not depend on which other groups share its block."""

from __future__ import annotations

import psycopg
import pytest
from boosted_data import FEW, MAKE, tables
from training import train_by_client

from madtree.request import Tuning


@pytest.mark.parametrize("target", ["y", "late"])
def test_groups_have_the_models_that_they_would_have_in_other_blocks(db: psycopg.Connection, target: str) -> None:
    """Some nodes have categories that splits are made of, and others have not: neither shows in the others' gains."""
    db.execute(
        MAKE + "; CREATE TABLE many AS SELECT t.id + 900 * copy AS id, g * 40 + copy AS g, a + copy % 3 AS a, b, c, "
        "y * (1 + copy / 64.0) AS y, late FROM t, generate_series(0, 15) AS copy; ANALYZE many"
    )
    names = {"training_table_name": "many", "id_col_name": "id", "dependent_variable": target, "loss": None}
    found = []
    for block_rows in (65536, 5000, 700):
        named = {**names, "output_table_name": "m", "list_of_features": "a, b, c", "grouping_cols": "g", **FEW}
        train_by_client(db, Tuning(block_rows=block_rows), **named)
        found.append(tables(db))
    assert found[1] == found[0]
    assert found[2] == found[0]
