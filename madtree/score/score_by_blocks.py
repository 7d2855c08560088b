"""Scores a table by blocks, where `case_or_blocks` finds that quicker than one CASE, as for models of many leaves.

Reads the model's nodes as arrays, makes the plan, and runs the statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, watched, watching
from madtree.learn.data import Array, Floats, Ints, sent_floats, sent_ints
from madtree.model import ModelTables, check_rows, probabilities
from madtree.request import Type
from madtree.score.block_plan import build_plan, first_nodes
from madtree.score.block_statement import BlockStatement
from madtree.score.case_or_blocks import Work
from madtree.score.flat_trees import ALL_TREES, Drawn, FlatNodes, FlatSplits, SeenCategories, SplitCategories
from madtree.score.forest_outcomes import JUDGED, Outcomes, forest_outcomes_of
from madtree.score.named_categories import NamedCategories, listed_categories
from madtree.score.packed_nodes import node_categories, node_places, read_packed
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.predict import Output, Scan
from madtree.sqltext.relation import Relation
from madtree.sqltext.scoreblocks import BlockScan, pick
from madtree.sqltext.typenames import type_sql
from madtree.trees import Kind, Model

_TEXTS = "pg_catalog.text[]"
_BOOLS = "pg_catalog.bool[]"
_KEY_TYPES = ["pg_catalog.int4[]", _BOOLS, _TEXTS]


@dataclass(frozen=True)
class ScoredRows:
    """Rows scored by blocks as a query, with the SQL types and values of its parameters."""

    query: str
    types: list[str]
    params: list[Any]


@dataclass(frozen=True)
class BlockScoring:
    """A table to be scored by blocks.

    Attributes:
        tables, model: by which it is.
        type_: of prediction, which `outputs` are the columns of.
        source: the new data, which `scan` reads.
        id_type: of the id.
        work: of scoring the source.
        drawn: for `OUT_OF_BAG`, else None.
    """

    host: Host
    tables: ModelTables
    model: Model
    type_: str
    source: Relation
    scan: Scan
    id_type: Type
    outputs: Sequence[Output]
    work: Work
    drawn: Drawn | None = None

    def create(self) -> int:
        """Create the scan's target; returns the number of its rows.

        Raises:
            MadtreeError: the model's nodes are not whole trees.
        """
        statement, plan = self._statement()
        return statement.create(plan)

    def rows(self, most_bytes: int) -> ScoredRows:
        """The target's rows for one process, where it cannot be created.

        Raises:
            MadtreeError: as `create`; or rows that were scored outside of the server have more than `most_bytes`.
        """
        statement, plan = self._statement()
        return ScoredRows(*statement.query(plan, most_bytes))

    def _statement(self) -> tuple[BlockStatement, bytes]:
        """The statement, and the plan."""
        host, tables, model, scan = self.host, self.tables, self.model, self.scan
        check_rows(host, tables, model, nodes=not tables.is_packed)
        if tables.is_packed:
            nodes = read_packed(host, tables, model, with_shares=self.type_ in ("prob_mean", JUDGED))
        else:
            nodes = _read_nodes(host, tables, model)
        host.let_in()
        splits = _splits(host, tables, model, nodes)
        host.let_in()
        features = [model.features[position - 1] for position in _used(splits)]
        said = _outcomes(host, tables, model, self.type_, nodes, self.outputs, self.drawn)
        host.let_in()
        plan = _plan(host, tables, model, nodes, splits, said)
        values = [rows_sql.as_number(scan.features[feature.name]) for feature in features]
        blocks = BlockScan(
            scan,
            values if self.drawn is None else [*values, self.drawn.identity],
            [(output.name, expression) for output, expression in zip(self.outputs, said.expressions, strict=True)],
            said.parts,
            said.row_bytes,
            type_sql(self.id_type.name),
            self.id_type.is_array,
        )
        n_trees = len(first_nodes(nodes["tree_id"]))
        if host.source is host:
            empty = sql.create_empty(scan, self.outputs)
        else:
            empty = sql.create_typed(scan, type_sql(self.id_type.name), self.outputs)
        return BlockStatement(host, blocks, empty, self.source, self.work, n_trees), plan


def _read_nodes(host: Host, tables: ModelTables, model: Model) -> dict[str, Array]:
    """Columns of all nodes in order of tree and id, (n_nodes,) each; NaN for no threshold, false for no majority."""
    prediction = "class" if model.is_classification else "number"
    row = host.query(
        models_sql.node_numbers(tables.schema, tables.name, prediction, tables.prediction_writer),
        [_TEXTS, _TEXTS],
        [[feature.name for feature in model.features], list(model.classes)],
    )[0]
    whole = ["tree_id", "node_id", "feature", "majority_left"] + ["prediction"] * model.is_classification
    nodes: dict[str, Array] = {
        column: sent_ints(data) if column in whole else sent_floats(data) for column, data in row.items()
    }
    nodes["majority_left"] = nodes["majority_left"] == 1
    return nodes


def _plan(
    host: Host,
    tables: ModelTables,
    model: Model,
    nodes: Mapping[str, Array],
    splits: Mapping[str, Array],
    said: Outcomes,
) -> bytes:
    """The plan over the features that `splits`, the columns of `FlatSplits`, names by their positions in the model."""
    # Of the model's features (from 1; 0 is a leaf) to those that the plan uses (from 0; -1 is a leaf).
    used = _used(splits)
    renumbered = np.full(len(model.features) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    is_category = [model.features[position - 1].kind is Kind.UNORDERED for position in used]
    # Looking for categories takes longer than reading all nodes.
    found = _categories(host, tables, model, nodes, renumbered) if any(is_category) else _no_categories()
    split_categories, seen_categories = found
    return build_plan(
        FlatNodes(nodes["tree_id"], nodes["node_id"], nodes["majority_left"], said.of_node),
        FlatSplits(splits["node"], renumbered[splits["feature"]], splits["threshold"], splits["low_goes_left"]),
        split_categories,
        seen_categories,
        is_category,
        grouped=bool(model.grouping_columns),
        forest=said.forest,
        between=host.let_in,
    )


def _categories(
    host: Host, tables: ModelTables, model: Model, nodes: Mapping[str, Array], renumbered: Ints
) -> tuple[SplitCategories, SeenCategories]:
    """The categories that splits name, and those that the model knows.

    Args:
        nodes: columns of all nodes.
        renumbered: of each of the model's features, from 1, its position in the plan.
    """
    names = [feature.name for feature in model.features]
    booleans = [feature.type == "boolean" for feature in model.features]
    parts = []
    if tables.is_packed:
        parts.append(node_categories(host, tables, model, nodes))
    if tables.has_surrogates or not tables.is_packed:
        parts.append(listed_categories(host, tables, nodes, names, booleans))
    named = NamedCategories.join(parts)
    seen_feature, seen_tree, seen_texts = _seen_categories(host, model)
    seen = host.query(models_sql.key_numbers(), _KEY_TYPES, [(seen_feature + 1).tolist(), booleans, seen_texts])[0]
    seen_key = _as_floats(sent_ints(seen["key"]), seen_feature + 1, booleans)
    return (
        SplitCategories(
            split=named.split,
            feature=renumbered[named.feature],
            key=_as_floats(named.key, named.feature, booleans),
            is_null=named.is_null,
            goes_left=named.goes_left,
        ),
        SeenCategories(renumbered[seen_feature + 1], seen_tree, seen_key),
    )


def _no_categories() -> tuple[SplitCategories, SeenCategories]:
    none, false = np.zeros(0, np.int64), np.zeros(0, np.bool_)
    return SplitCategories(none, none, none, false, false), SeenCategories(none, none, none)


def _as_floats(key: Ints, feature: Ints, booleans: Sequence[bool]) -> Ints:
    """Keys of categories as far as a float8 holds them (`madtree.sqltext.rows.key_number`); `feature` counts from 1."""
    is_boolean = np.append(False, booleans)[feature.astype(np.int64)]
    return np.where(is_boolean, key, key >> 11)


def _splits(host: Host, tables: ModelTables, model: Model, nodes: Mapping[str, Array]) -> dict[str, Array]:
    """The columns of `FlatSplits`, with the features' positions in the model, from 1."""
    n_nodes = len(nodes["node_id"])
    parts = [
        {
            "node": np.arange(n_nodes),
            "feature": nodes["feature"].astype(np.int64),
            "threshold": nodes["threshold"],
            "low_goes_left": np.ones(n_nodes, np.bool_),
        }
    ]
    if tables.has_surrogates:
        names = [feature.name for feature in model.features]
        row = host.query(models_sql.surrogate_numbers(tables.schema, tables.name), [_TEXTS], [names])[0]
        parts.append(
            {
                "node": node_places(tables, nodes, sent_ints(row["tree_id"]), sent_ints(row["node_id"])),
                "feature": sent_ints(row["feature"]),
                "threshold": sent_floats(row["threshold"]),
                "low_goes_left": sent_ints(row["low_goes_left"]) == 1,
            }
        )
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _used(splits: Mapping[str, Array]) -> Ints:
    """Positions, from 1, of the features that some split asks for."""
    return np.flatnonzero(np.bincount(splits["feature"], minlength=1)[1:]) + 1


def _seen_categories(host: Host, model: Model) -> tuple[Ints, Ints, list[str]]:
    """The model's categories in one list: positions of their features from 0, trees or `ALL_TREES`, and texts."""
    positions = {feature.name: position for position, feature in enumerate(model.features)}
    features: list[int] = []
    trees: list[int] = []
    texts: list[str] = []
    for name in model.categories.keys() & positions.keys():
        of_feature = model.categories[name]
        by_tree = of_feature if isinstance(of_feature, Mapping) else {ALL_TREES: of_feature}
        for tree, categories in watched(host, by_tree.items()):
            features += [positions[name]] * len(categories)
            trees += [tree] * len(categories)
            texts += categories
    return np.array(features, np.int64), np.array(trees, np.int64), texts


def _outcomes(
    host: Host,
    tables: ModelTables,
    model: Model,
    type_: str,
    nodes: Mapping[str, Array],
    outputs: Sequence[Output],
    drawn: Drawn | None,
) -> Outcomes:
    """What each node sends its rows to."""
    if model.n_members:
        shares = nodes.get("class_weights")
        if shares is not None:
            shares = shares / shares.sum(axis=1, keepdims=True)
        return forest_outcomes_of(model, type_, nodes, shares, outputs, drawn)
    if type_ == "response" and model.is_classification:
        return Outcomes.of_tree(nodes["prediction"], [pick(sql.class_array(model.classes, model.dependent_type))])
    is_leaf = nodes["feature"] == 0
    each = np.where(is_leaf, np.cumsum(is_leaf), 0)
    if type_ in ("leaf", "response"):
        write, column = (sql.integer_array, "node_id") if type_ == "leaf" else (sql.number_array, "prediction")
        return Outcomes.of_tree(each, [pick(write(nodes[column][is_leaf].tolist()))])
    weights = _class_weights(host, tables, model, nodes)[is_leaf].tolist()
    by_class = list(zip(*map(watching(host, probabilities), weights), strict=True))
    whole = len(outputs) == 1 and outputs[0].type.endswith("[]")
    picks = [pick(sql.number_array(shares)) for shares in by_class]
    expressions = (
        [f"CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN ARRAY[{', '.join(picks)}] END"] if whole else picks
    )
    return Outcomes.of_tree(each, expressions)


def _class_weights(host: Host, tables: ModelTables, model: Model, nodes: Mapping[str, Array]) -> Floats:
    """(n_nodes, K) of all nodes in order of tree and id; raises MadtreeError where they are not that many."""
    values = sent_floats(host.query(models_sql.weight_numbers(tables.schema, tables.name))[0]["weights"])
    if len(values) != len(nodes["node_id"]) * len(model.classes):
        raise MadtreeError(f"{tables.given} is damaged: not each of its nodes has a weight for each class")
    return values.reshape(-1, len(model.classes))
