"""Intervals of a forest, held against what R's package ranger makes of the same trees (`make_quantiles.R`)."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import psycopg
import pytest
from forest_data import MAKE, grow_bare, rows

GOLDEN = json.loads((Path(__file__).parent / "golden" / "ranger" / "quantiles.json").read_text(encoding="utf-8"))
N_TREES = 17
NODES = """
SELECT tree_id - 1 AS tree, node_id AS node, feature, threshold, CASE WHEN is_leaf THEN outcomes[leaf] END AS outcome
FROM (SELECT n.*, count(*) FILTER (WHERE is_leaf) OVER (PARTITION BY tree_id ORDER BY node_id) AS leaf FROM f_nodes n) n
JOIN f_outcomes USING (tree_id) ORDER BY tree_id, node_id
"""


def exported(db: psycopg.Connection, query: str) -> str:
    """The rows of a query as a table in the form CSV."""
    found = rows(db, query)
    lines = [[*found[0]], *(row.values() for row in found)]
    return "\n".join(",".join("" if each is None else str(each) for each in line) for line in lines) + "\n"


@pytest.mark.parametrize("level", [0.5, 0.75, 0.9])
def test_it_says_what_ranger_says(db: psycopg.Connection, level: float) -> None:
    """To the bit where a quantile is one of the outcomes; between two of them R rounds in its own way."""
    db.execute(MAKE)
    db.execute("CREATE TABLE later AS SELECT * FROM t WHERE id > 500; DELETE FROM t WHERE id > 500")
    grow_bare(db, "f", "v", "x, y, z", num_trees=N_TREES, min_bucket=5, intervals=True)
    nodes, new = exported(db, NODES), exported(db, "SELECT id, x, y, z FROM later ORDER BY id")
    if directory := os.environ.get("MADTREE_EXPORT_FOREST"):
        Path(directory, "nodes.csv").write_text(nodes, encoding="utf-8")
        Path(directory, "rows.csv").write_text(new, encoding="utf-8")
        pytest.skip("the forest is exported")
    assert hashlib.sha256((nodes + new).encode()).hexdigest() == GOLDEN["sha256"], "the forest is another one"
    db.execute("SELECT madtree.forest_predict('f', 'later', 'between_', 'interval', level => %s)", [level])
    said = rows(db, "SELECT estimated_v_low AS low, estimated_v_high AS high FROM between_ ORDER BY id")
    found, expected = [[row["low"], row["high"]] for row in said], GOLDEN["levels"][f"{level:g}"]
    assert len(found) == len(expected) == 100
    if level == 0.9:
        for own, other in zip(found, expected, strict=True):
            assert own == pytest.approx(other, rel=1e-13, abs=1e-13)
    else:
        assert found == expected
