"""A table for boosted models, and short ways to train them and to score it."""

from __future__ import annotations

from typing import Any

import psycopg
from forest_data import rows
from training import read_model

MAKE = """
    CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 10 < 7 THEN 0 ELSE i % 5 END AS g,
        nullif(i * 31 % 41, 5) AS a, (i * 17 % 23) / 4.0::float8 AS b, nullif('c' || i * 13 % 7, 'c3') AS c,
        i % 4 + 1 AS w,
        round(sin(i * 31 % 41 / 6.0)::numeric * 9, 2)::float8 + (i * 17 % 23 > 12)::int * (i * 31 % 41) / 8.0
            + i * 7919 % 101 / 64.0 AS y
    FROM generate_series(1, 900) i;
    ALTER TABLE t ADD late boolean, ADD k text, ADD n int;
    UPDATE t SET late = y > 2, k = 'class ' || width_bucket(y, -5, 8, 3), n = greatest(y, 0)::int;
    ANALYZE t
"""
FEW = {"num_trees": 3, "max_leaf_nodes": 6, "replace": True}
HALF = {"boost_params": "subsample=0.6, feature_fraction=0.7", "validation_params": "fraction=0.25, n_iter_no_change=2"}


def boost(
    db: psycopg.Connection, target: str, model: str = "m", source: str = "t", features: str = "a, b, c", **more: Any
) -> str:
    """Train; what the call says."""
    named = {**FEW, **more}
    names = "".join(f", {name} => %s" for name in named)
    call = f"SELECT madtree.boost_train(%s, %s, 'id', %s, %s{names})"
    return str(db.execute(call, [source, model, target, features, *named.values()]).fetchone()[0])  # type: ignore[index,arg-type]


def tables(db: psycopg.Connection, model: str = "m") -> dict[str, Any]:
    """All that the model's tables say, but for its summary, and its nodes' bytes."""
    packed = rows(db, f"SELECT * FROM {model}_packed ORDER BY tree_id")
    return {"_packed": packed, **{part: found for part, found in read_model(db, model).items() if part != "_summary"}}


def score(db: psycopg.Connection, type_: str, model: str = "m", **more: Any) -> list[dict[str, Any]]:
    """What the model says of the rows, by their ids."""
    db.execute("DROP TABLE IF EXISTS scored")
    names = "".join(f", {name} => %s" for name in more)
    call = f"SELECT madtree.boost_predict(%s, 't', 'scored', %s{names})"
    db.execute(call, [model, type_, *more.values()])  # type: ignore[arg-type]
    return rows(db, "SELECT * FROM scored ORDER BY id")
