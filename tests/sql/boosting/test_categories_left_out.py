"""Categories that only rows have which take no part in training: models do not depend on them, whoever counts."""

from __future__ import annotations

import psycopg
import pytest
from boosted_data import boost, tables
from forest_data import rows
from shares import share

# Four categories, and four more in rows without an outcome, of weight 0, or held out: with more than four, splits
# have guards.
MAKE = """
CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 97 = 0 THEN 'rare ' || i % 4 ELSE 'c' || i % 4 END AS c, i % 3 AS g,
    CASE WHEN i % 97 > 0 THEN sin(i) * 2 + i % 4 END AS y, (i % 97 > 0)::int AS w, i % 97 = 0 AS later
FROM generate_series(1, 600) AS i;
CREATE VIEW those AS SELECT * FROM t WHERE i_counts;
"""
CASES = {
    "no outcome": ("y", {}),
    "no weight": ("coalesce(y, 9)", {"weights": "w"}),
    "groups": ("y", {"grouping_cols": "g"}),
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE.replace("i_counts", "w > 0"))


@pytest.mark.parametrize(("turn", "case"), list(enumerate(CASES)))
def test_every_strategy_grows_what_the_rows_alone_say(db: psycopg.Connection, turn: int, case: str) -> None:
    outcome, more = CASES[case]
    boost(db, outcome, source="those", features="c", **more)
    alone = rows(db, "SELECT tree_id, node_id, prediction, left_levels FROM m_nodes ORDER BY 1, 2")
    assert len({row["node_id"] for row in alone}) > 3  # guards would want more rows than there are
    for strategy in ("memory", *share(("workers", "aggregate"), 2, turn)):
        boost(db, outcome, features="c", strategy=strategy, parallel_workers=1, **more)
        assert rows(db, "SELECT tree_id, node_id, prediction, left_levels FROM m_nodes ORDER BY 1, 2") == alone, (
            strategy
        )


def test_categories_of_rows_held_out_do_not_count(db: psycopg.Connection) -> None:
    """But for how fine sums are rounded, which goes by all rows."""
    query = "SELECT tree_id, node_id, left_levels, n_rows, prediction FROM m_nodes ORDER BY 1, 2"
    boost(db, "coalesce(y, 9)", source="those", features="c")
    alone, packed = db.execute(query).fetchall(), set()
    for strategy in ("memory", "aggregate"):
        held_out = {"validation_params": "fold_col=later, n_iter_no_change=100", "strategy": strategy}
        boost(db, "coalesce(y, 9)", features="c", **held_out)
        nodes = db.execute(query).fetchall()
        assert [row[:4] for row in nodes] == [row[:4] for row in alone if row[0] <= nodes[-1][0]]
        for mine, other in zip(nodes, alone, strict=False):
            assert mine[4] == pytest.approx(other[4], abs=1e-9)
        packed.add(str(tables(db)["_packed"]))
    assert len(packed) == 1


@pytest.mark.parametrize("case", CASES)
def test_a_refresh_penalizes_categories_as_training_did(db: psycopg.Connection, case: str) -> None:
    """What the rows of the training say in its leaves is what it has found."""
    outcome, more = CASES[case]
    boost(db, outcome, features="c", boost_params="cat_l2=50", **more)
    (counts,) = db.execute("SELECT array_agg(DISTINCT cat_n_levels) FROM m_group").fetchone() or ((),)
    assert counts == [[4]]
    db.execute("SELECT madtree.tree_refresh('m', 't', 'new')")
    query = "SELECT tree_id, node_id, n_rows, prediction FROM {}_nodes WHERE is_leaf ORDER BY 1, 2"
    before, after = (db.execute(query.format(name)).fetchall() for name in ("m", "new"))  # type: ignore[arg-type]
    assert [row[:3] for row in after] == [row[:3] for row in before]
    assert [row[3] for row in after] == pytest.approx([row[3] for row in before], abs=1e-9)
