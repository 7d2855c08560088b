"""Scoring by blocks, the database's side: read a model's nodes as arrays, make the plan, run the statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from madtree.catalog import Type
from madtree.core.image import decode
from madtree.core.types import Array, Ints
from madtree.host.protocol import Host
from madtree.model import Feature, Kind, Model
from madtree.modelread import ModelTables
from madtree.outputs import probabilities
from madtree.pages import PageRanges
from madtree.score import build_plan
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext import values
from madtree.sqltext import work as work_sql
from madtree.sqltext.predict import Output, Scan
from madtree.task import Relation

BLOCK_ROWS = 65_536
_TEXTS = "pg_catalog.text[]"


def score_in_blocks(
    host: Host,
    tables: ModelTables,
    model: Model,
    type_: str,
    source: Relation,
    scan: Scan,
    id_type: Type,
    outputs: Sequence[Output],
) -> int:
    """Create the target by blocks; returns the number of its rows.

    Args:
        type_: of prediction, which `outputs` are the columns of.
        source: the new data, which `scan` reads.
        id_type: of the id.

    Raises:
        MadtreeError: the model's nodes are not whole trees.
    """
    nodes = _read_nodes(host, tables, model)
    used = np.unique(nodes["feature"][nodes["feature"] > 0])  # positions from 1
    features = [model.features[position - 1] for position in used]
    outcomes, expressions, types, params = _outcomes(host, tables, model, type_, nodes, outputs)
    plan = _plan(host, tables, model, nodes, used, outcomes)
    statement = sql.create_by_blocks(
        scan,
        [_packed(scan.features[feature.name]) for feature in features],
        [(output.name, expression) for output, expression in zip(outputs, expressions, strict=True)],
        id_type.name if id_type.is_array else None,
        int(nodes["tree_id"][0]) if len(nodes["tree_id"]) else 0,
        _pages(host, source, scan),
        BLOCK_ROWS,
    )
    return host.command(statement, ["pg_catalog.bytea", *types], [plan, *params])


def _pages(host: Host, source: Relation, scan: Scan) -> list[tuple[str, str]] | None:
    """Page ranges of about a block's rows each; None if the source is not one plain table."""
    leaves = [row["oid"] for row in host.query(work_sql.LEAVES, ["pg_catalog.oid"], [source.oid])]
    if leaves != [source.oid]:
        return None
    n_rows = host.query(sql.count_rows(scan.source))[0]["rows"]
    return [(r.low, r.high) for r in PageRanges.cut(host, leaves, n_rows, BLOCK_ROWS).ranges]


def _read_nodes(host: Host, tables: ModelTables, model: Model) -> dict[str, Array]:
    """Columns of all nodes in order of tree and id, (n_nodes,) each; NaN for no threshold, false for no majority."""
    prediction = "class" if model.is_classification else "number"
    row = host.query(
        models_sql.node_images(tables.schema, tables.name, prediction),
        [_TEXTS, _TEXTS],
        [[feature.name for feature in model.features], list(model.classes)],
    )[0]
    nodes: dict[str, Array] = {}
    for column, image in row.items():
        numbers, valid = decode(image)
        if column == "threshold":
            numbers = np.array(numbers, np.float64)
            if valid is not None:
                numbers[~valid] = np.nan
        nodes[column] = numbers
    return nodes


def _plan(
    host: Host, tables: ModelTables, model: Model, nodes: Mapping[str, Array], used: Ints, outcomes: Ints
) -> bytes:
    names = [feature.name for feature in model.features]
    booleans = [feature.type == "boolean" for feature in model.features]
    statement = models_sql.minority_images(tables.schema, tables.name)
    images = host.query(statement, [_TEXTS, "pg_catalog.bool[]"], [names, booleans])[0]
    minority = {column: decode(image)[0].astype(np.int64) for column, image in images.items()}
    # Of the model's features (from 1; 0 is a leaf) to those that the plan uses (from 0; -1 is a leaf).
    renumbered = np.full(len(names) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    return build_plan(
        nodes["tree_id"],
        nodes["node_id"],
        renumbered[nodes["feature"].astype(np.int64)],
        nodes["threshold"],
        nodes["majority_left"],
        minority["node"],
        minority["key"],
        renumbered[minority["feature"]],
        [model.features[position - 1].kind is Kind.UNORDERED for position in used],
        outcomes,
    )


def _outcomes(
    host: Host, tables: ModelTables, model: Model, type_: str, nodes: Mapping[str, Array], outputs: Sequence[Output]
) -> tuple[Ints, list[str], list[str], list[Any]]:
    """What each node sends its rows to.

    Returns:
        outcomes: (n_nodes,) a position from 1 for each node.
        expressions: for each output the value that belongs to the position `scored.outcome`.
        types, params: SQL types and values of the parameters from $2 on that the expressions use.
    """
    n_nodes = len(nodes["node_id"])
    if type_ == "response" and model.is_classification:
        return nodes["prediction"], [sql.pick(sql.class_array(model.classes, model.dependent_type))], [], []
    each = np.arange(1, n_nodes + 1)
    if type_ == "leaf":
        return each, [sql.pick("$2::pg_catalog.int8[]")], ["pg_catalog.int8[]"], [nodes["node_id"].tolist()]
    if type_ == "response":
        return each, [sql.pick("$2::pg_catalog.float8[]")], ["pg_catalog.float8[]"], [nodes["prediction"].tolist()]
    image = host.query(models_sql.weight_image(tables.schema, tables.name))[0]["weights"]
    weights = decode(image)[0].reshape(-1, len(model.classes)).tolist()
    by_class = list(zip(*map(probabilities, weights), strict=True))
    whole = len(outputs) == 1 and outputs[0].type.endswith("[]")
    by_class = by_class if whole else by_class[: len(outputs)]
    picks = [sql.pick(f"${number}::pg_catalog.float8[]") for number in range(2, len(by_class) + 2)]
    expressions = [f"CASE WHEN scored.outcome IS NOT NULL THEN ARRAY[{', '.join(picks)}] END"] if whole else picks
    return each, expressions, ["pg_catalog.float8[]"] * len(by_class), [list(column) for column in by_class]


def _packed(feature: Feature) -> str:
    """The feature as numbers that an array image can hold."""
    if feature.kind is Kind.UNORDERED:
        return values.level_key(feature)
    if feature.labels:
        return sql.enum_number(feature)
    return values.number(feature)
