"""A table to grow forests on, and calls for it."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import dict_row

MAKE = """
CREATE TABLE t AS SELECT i AS id, i % 3 AS g, sin(i * 7.1) AS x, cos(i * 3.7) AS y, i * 53 % 17 AS z,
    (ARRAY['a', 'b', 'c'])[1 + i / 3 % 3] AS k, CASE WHEN i % 11 > 0 THEN sin(i * 1.3) END AS h
FROM generate_series(1, 600) AS i;
ALTER TABLE t ADD COLUMN c text, ADD COLUMN v float8;
UPDATE t SET v = x + 2 * y + z / 10.0 + CASE k WHEN 'b' THEN 1 ELSE 0 END;
UPDATE t SET c = CASE WHEN v > 1.5 THEN 'high' WHEN v > 0 THEN 'middle' ELSE 'low' END;
"""
FEATURES = "x, y, z, k, h"


def grow(
    db: psycopg.Connection, model: str, dependent: str, features: str = FEATURES, source: str = "t", **more: Any
) -> str:
    names = "".join(f", {name} => %({name})s" for name in more)
    query = f"SELECT madtree.forest_train('{source}', '{model}', 'id', '{dependent}', '{features}'{names})"
    return str(db.execute(query, more).fetchone()[0])  # type: ignore[index,arg-type]


def score(db: psycopg.Connection, model: str, type_: str, source: str = "t") -> list[dict[str, Any]]:
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute(f"SELECT madtree.forest_predict('{model}', '{source}', 'scored', '{type_}')")  # type: ignore[arg-type]
    return rows(db, "SELECT * FROM scored ORDER BY id")


def rows(db: psycopg.Connection, query: str) -> list[dict[str, Any]]:
    return db.cursor(row_factory=dict_row).execute(query).fetchall()  # type: ignore[arg-type]
