"""A group's boosted model does not depend on which other groups share its block."""

from __future__ import annotations

import psycopg
import pytest
from boosted_data import FEW, MAKE, boost, score, tables
from forest_data import rows
from shares import share
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


def test_a_group_that_has_ended_stays_as_it_is_while_others_go_on(db: psycopg.Connection) -> None:
    """A further tree of a single leaf, by half of the rows, would move its scores, and perhaps the right way."""
    db.execute(MAKE + "; UPDATE t SET g = id % 20")
    given = {
        "num_trees": 30,
        "min_bucket": 10,
        "boost_params": "subsample=0.5",
        "validation_params": "fraction=0.4, n_iter_no_change=1",
    }
    boost(db, "y", grouping_cols="g", **given)
    together, (said,) = rows(db, "SELECT * FROM m_rounds"), rows(db, "SELECT max(n_rounds) AS most FROM m_group")
    predicted = {row["id"]: row["raw_y"] for row in score(db, "raw")}
    ends = set()
    for g in share(range(20), 2):
        db.execute(f"CREATE OR REPLACE VIEW mine AS SELECT * FROM t WHERE g = {g}")
        boost(db, "y", "alone", "mine", **given)
        losses = {row["round"]: row["validation_loss"] for row in rows(db, "SELECT * FROM alone_rounds")}
        assert {row["round"]: row["validation_loss"] for row in together if row["g"] == g} == losses
        db.execute("DROP TABLE IF EXISTS said; SELECT madtree.boost_predict('alone', 'mine', 'said', 'raw')")
        assert all(row["raw_y"] == predicted[row["id"]] for row in rows(db, "SELECT * FROM said"))
        ends.add(max(losses))
    assert min(ends) < said["most"]
