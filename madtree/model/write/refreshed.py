"""Writes a copy of a tree model with what other rows say in its nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from madtree.host import Host, Row, watched
from madtree.model import ModelTables, make_tables
from madtree.model.write.columns_text import floats, integers, rows_of_floats
from madtree.records import dataclass
from madtree.sqltext import refresh as sql
from madtree.sqltext.predict import class_array
from madtree.sqltext.prune import Columns, Name, create_copies, fill_alike
from madtree.sqltext.tables import REFRESH_COLUMNS
from madtree.sqltext.values import Kept
from madtree.trees import Model

_TEXT = "pg_catalog.text"
_OF_TRAINING = frozenset({"_cv", "_statistics"})  # tables that tell of the training's rows


@dataclass(frozen=True)
class Refreshed:
    """What a refreshed model was made of.

    Attributes:
        given, table: names of the new model and of the rows' table, as the user wrote them.
        sums: of `refresh.leaf_sums`, of leaves that there are.
    """

    given: str
    table: str
    sums: Sequence[Row]


def write_refreshed(host: Host, tables: ModelTables, model: Model, new: Name, made: Refreshed) -> int:
    """Create and fill the tables of the refreshed model; returns how many rows have come to it."""
    old = tables.schema, tables.name
    parts: dict[str, Columns] = {
        suffix: tables.kept_columns(suffix) for suffix in tables.facts.tables if suffix not in _OF_TRAINING
    }
    kept = {name: Kept(f"pg_catalog.{kind}") for name, kind in REFRESH_COLUMNS}
    parts["_summary"] = {**parts["_summary"], **kept}
    make_tables(host, *new, "output_model", create_copies(new, parts), None)
    keys, n_rows, values = _sums_of_nodes(host, model, made.sums)
    encoders = [integers([tree for tree, _ in keys]), integers([node for _, node in keys]), integers(n_rows)]
    classes = None
    if model.is_classification:
        classes = class_array(model.classes, tables.prediction_type)
        largest = values.argmax(axis=1) + 1 if len(values) else np.zeros(0, np.int64)
        encoders += [floats(values.sum(axis=1)), integers(largest), rows_of_floats(values, len(model.classes))]
    else:
        encoders += [floats(values[:, 0]), floats(values[:, 1] / values[:, 0])]
    whole = slice(0, len(keys))
    statement = sql.fill_nodes(old, new, parts["_nodes"], classes)
    host.command(statement, [_TEXT] * len(encoders), [encode(whole) for encode in encoders])
    host.command(sql.fill_trees(old, new, parts[""]))
    for suffix in parts.keys() - {"", "_nodes", "_summary"}:
        host.command(fill_alike(old, new, suffix, parts[suffix]))
    total = sum(n for (_, node), n in zip(keys, n_rows, strict=True) if node == 0)
    types = [_TEXT] * 3 + ["pg_catalog.int8"]
    host.command(sql.fill_summary(old, new, parts["_summary"]), types, [made.given, tables.given, made.table, total])
    return total


def _sums_of_nodes(
    host: Host, model: Model, sums: Sequence[Row]
) -> tuple[list[tuple[int, int]], list[int], np.ndarray]:
    """Tree and id of each node that rows come to or pass; how many do; and the weights of the classes, or the weight
    and the sum of weight times value.
    """
    n_values = len(model.classes) or 2
    found: dict[tuple[int, int], list[float]] = {}
    for row in watched(host, sums):
        node = row["leaf"]
        while True:
            own = found.setdefault((row["tree"], node), [0.0] * (n_values + 1))
            own[-1] += row["n"]
            if model.is_classification:
                own[row["class"] - 1] += row["weight"]
            else:
                own[0] += row["weight"]
                own[1] += row["total"]
            if not node:
                break
            node = (node - 1) // 2
    table = np.array([*found.values()]).reshape(-1, n_values + 1)
    return [*found], table[:, -1].astype(np.int64).tolist(), table[:, :-1]
