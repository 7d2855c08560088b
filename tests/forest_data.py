"""A table that forests learn from, and what they say of its rows."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import dict_row

CLASSES = ["high", "low", "middle"]
FEATURES = "x, y, z, k, h"
MAKE = """
CREATE TABLE t AS SELECT i AS id, i % 3 AS g, sin(i * 7.1) AS x, cos(i * 3.7) AS y, i * 53 % 17 AS z,
    (ARRAY['a', 'b', 'c'])[1 + i / 3 % 3] AS k, CASE WHEN i % 11 > 0 THEN sin(i * 1.3) END AS h,
    NULL::text AS c, NULL::float8 AS v
FROM generate_series(1, 600) AS i;
UPDATE t SET v = x + 2 * y + z / 10.0 + CASE k WHEN 'b' THEN 1 ELSE 0 END;
UPDATE t SET c = CASE WHEN v > 1.5 THEN 'high' WHEN v > 0 THEN 'middle' ELSE 'low' END;
"""
# Rows 601 to 604: of an unknown group, of none, without a class, and of a class that is not in training.
MAKE_BOTH = f"""{MAKE}
CREATE TABLE test AS SELECT * FROM t;
INSERT INTO test VALUES (601, 7, 0.1, 0.2, 3, 'a', 0.5, 'low', 1), (602, NULL, 0.1, 0.2, 3, 'new', 0.5, 'low', 1),
    (603, 1, 0.1, NULL, 3, NULL, 0.5, NULL, NULL), (604, 2, 0.1, 0.2, 3, 'b', NULL, 'odd', 2);
"""


def rows(db: psycopg.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(query, values).fetchall()  # type: ignore[arg-type]


def grow(
    db: psycopg.Connection, model: str, dependent: str, features: str = FEATURES, source: str = "t", **more: Any
) -> str:
    """Train a forest; what the call says."""
    names = "".join(f", {name} => %({name})s" for name in more)
    call = "SELECT madtree.forest_train(%(source)s, %(model)s, 'id', %(dependent)s, %(features)s"
    values = {"source": source, "model": model, "dependent": dependent, "features": features, **more}
    return str(db.execute(f"{call}{names})", values).fetchone()[0])  # type: ignore[index,arg-type]


def grow_bare(
    db: psycopg.Connection, model: str, dependent: str, features: str = FEATURES, source: str = "t", **more: Any
) -> str:
    """Without importance, unless that is asked for."""
    return grow(db, model, dependent, features, source, **{"importance": False, **more})


def score(db: psycopg.Connection, model: str, type_: str, source: str = "t") -> list[dict[str, Any]]:
    """What the forest says of the rows, by their ids."""
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute("SELECT madtree.forest_predict(%s, %s, 'scored', %s)", [model, source, type_])
    return rows(db, "SELECT * FROM scored ORDER BY id")
