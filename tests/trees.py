"""Trained trees as tests look at them: read from a model's tables, and compared with the oracle's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import oracle
import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

Row = dict[str, Any]


@dataclass(frozen=True)
class Names:
    """What the oracle's numbers are called in the database: features, classes, and each unordered feature's levels."""

    features: tuple[str, ...]
    classes: tuple[Any, ...]
    levels: dict[str, tuple[str, ...]]


def read_nodes(db: psycopg.Connection, model: str) -> dict[int, dict[int, Row]]:
    """`<model>_nodes` by tree_id and node_id. Not prepared: a model that is replaced may change its columns' types."""
    query = sql.SQL("SELECT * FROM {} ORDER BY tree_id, node_id").format(sql.Identifier(f"{model}_nodes"))
    trees: dict[int, dict[int, Row]] = {}
    for row in db.cursor(row_factory=dict_row).execute(query, prepare=False):
        trees.setdefault(row["tree_id"], {})[row["node_id"]] = row
    return trees


def read_model(db: psycopg.Connection, model: str) -> dict[str, list[Row]]:
    """The rows of every table of a model, in the order of its keys, less what two equal trainings may differ in."""
    tables = {}
    for suffix, order in (("", "tree_id"), ("_nodes", "tree_id, node_id"), ("_summary", "1")):
        query = sql.SQL("SELECT * FROM {} ORDER BY {}").format(sql.Identifier(model + suffix), sql.SQL(order))
        tables[suffix] = db.cursor(row_factory=dict_row).execute(query, prepare=False).fetchall()
    for name in ("model_table", "source_table", "trained_at"):
        tables["_summary"][0].pop(name)
    return tables


def shape(nodes: dict[int, Row]) -> dict[int, tuple[Any, ...]]:
    """What a tree asks, node by node: feature, threshold and levels."""
    return {
        number: (row["feature"], row["threshold"], tuple(row["left_levels"]) if row["left_levels"] else None)
        for number, row in nodes.items()
    }


def route(nodes: dict[int, Row], features: dict[str, np.ndarray]) -> np.ndarray:
    """The leaf (n,) of every row, for a tree whose features are numbers with none missing."""
    n_rows = len(next(iter(features.values())))
    at = np.zeros(n_rows, np.int64)
    for number in sorted(nodes):
        if not nodes[number]["is_leaf"]:
            here = at == number
            goes_left = features[nodes[number]["feature"]] <= nodes[number]["threshold"]
            at[here] = 2 * number + np.where(goes_left[here], 1, 2)
    return at


def expected_rows(nodes: dict[int, oracle.Node], rules: oracle.Rules, names: Names) -> dict[int, Row]:
    """The oracle's tree as rows of `<output>_nodes`."""
    rows = {}
    for number, node in nodes.items():
        split = node.split
        feature = names.features[split.feature] if split else None
        weight = float(node.totals.sum() if rules.n_classes else node.totals[0])
        impurity = float(oracle.total_impurity(rules.criterion, node.totals))

        def levels(ranks: tuple[float, ...] | None, feature: str | None = feature) -> list[str] | None:
            return [names.levels[feature][int(rank)] for rank in ranks] if feature and ranks else None

        rows[number] = {
            "parent_id": (number - 1) // 2 if number else None,
            "depth": (number + 1).bit_length() - 1,
            "is_leaf": split is None,
            "feature": feature,
            "threshold": split.threshold if split else None,
            "left_levels": levels(split.left_levels) if split else None,
            "right_levels": levels(split.right_levels) if split else None,
            "majority_left": split.majority_left if split else None,
            "n_rows": node.n_rows,
            "weight": pytest.approx(weight),
            "impurity": pytest.approx(impurity / weight, rel=1e-9, abs=1e-9),
            "risk": pytest.approx(node.risk, rel=1e-9, abs=1e-9),
            "complexity": pytest.approx(node.complexity, rel=1e-9, abs=1e-9),
            "improvement": pytest.approx(split.gain, rel=1e-9) if split else None,
            "prediction": names.classes[int(node.totals.argmax())]
            if rules.n_classes
            else pytest.approx(node.totals[1] / weight, rel=1e-9, abs=1e-9),
            "class_weights": pytest.approx(list(node.totals)) if rules.n_classes else None,
        }
    return rows


def without_ids(nodes: dict[int, Row]) -> dict[int, Row]:
    """Rows of `<output>_nodes` less the columns that say which row it is."""
    return {
        number: {name: value for name, value in row.items() if name not in ("tree_id", "node_id")}
        for number, row in nodes.items()
    }
