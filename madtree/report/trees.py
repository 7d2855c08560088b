"""The trees that a report shows, and what it holds of each: plain values for the page's script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model import OpenModel, check_nodes, check_rows
from madtree.records import dataclass
from madtree.render.labels import group_text, leaf_words, one_line, split_text, without_noise
from madtree.report.kinds import PAGES
from madtree.report.page import MAX_FEATURES, finite, short
from madtree.sqltext import report as sql
from madtree.sqltext.models import NodeRelation
from madtree.trees import Model, Node, Tree

CATEGORIES_LENGTH = 160  # characters of a list of categories; the page shortens it further where it draws
TOOLTIP_LENGTH = 10_000  # characters of a list in a tooltip
TOOLTIPS_LENGTH = 1_000_000  # and of all of the page's


@dataclass(frozen=True)
class Limits:
    """What a page may hold, so that a browser can open it.

    Attributes:
        trees: at most so many.
        nodes: of all its trees together; a single larger tree is cut at a depth.
    """

    trees: int = 200
    nodes: int = 20_000


@dataclass(frozen=True)
class Choice:
    """The trees on the page.

    Attributes:
        opened: whose trees they are.
        model: with these trees, as its kind orders them.
        rows: of `<output>`, in the same order.
        totals: of the whole model: trees, nodes, leaves, rows, depth; first and last tree_id.
        cut: depth at which the one tree was cut, None if nothing was.
        row: the row whose path is marked, in words; None for none.
        full_at: how many nodes a page has room for, where that kept trees or nodes away; else None.
        refusal: why the model is not run, None where it is.
    """

    opened: OpenModel
    model: Model
    rows: list[Row]
    totals: Row
    cut: int | None
    refusal: str | None = None
    full_at: int | None = None
    row: str | None = None

    @property
    def host(self) -> Host:
        """Who asks."""
        return self.opened.host

    @property
    def trust_owner(self) -> bool:
        """What the functions that run the model are told."""
        return self.opened.tables.trust_owner

    @property
    def tree_ids(self) -> list[int]:
        return [row["tree_id"] for row in self.rows]

    @property
    def gids(self) -> list[int]:
        """Numbers of the groups whose trees these are; none where groups are no more than their trees."""
        return sorted({row["gid"] for row in self.rows if "gid" in row})

    @property
    def evaluated_ids(self) -> list[int]:
        """By which numbers `tree_evaluate` tells of them: many trees of a group are measured as a whole."""
        return self.gids or self.tree_ids


def choose_trees(opened: OpenModel, wanted: Sequence[int] | None, limits: Limits) -> Choice:
    """Read the trees that come first by the model's kind, as many as the limits allow.

    Args:
        wanted: only trees with these ids; all if None.

    Raises:
        MadtreeError: the model has none of the wanted trees.
    """
    host, tables, model = opened.host, opened.tables, opened.model
    check_rows(opened, nodes=not tables.is_packed)  # packed nodes of those trees only that are shown
    totals = host.query(sql.totals(*tables.at))[0]
    grouping = opened.group_writers
    kinds = ["pg_catalog.int4", "pg_catalog.int4[]"]
    ids = None if wanted is None else list(wanted)
    found = host.query(PAGES[model.kind].trees(*tables.at, grouping), kinds, [limits.trees, ids])
    missing = sorted(set(ids or ()) - {row["tree_id"] for row in found})
    if not found or (missing and len(found) < limits.trees):
        hint = f"{tables.given} says by its column tree_id which tree is of which group." if grouping else None
        raise MadtreeError(
            f"trees must be some of {tables.given}'s trees, {totals['first']} to {totals['last']}, "
            f"not {', '.join(map(str, missing)) or 'none'}",
            hint=hint,
        )
    rows: list[Row] = []
    n_nodes = 0
    for row in found:
        n_nodes += row["n_nodes"] or 0
        if rows and n_nodes > limits.nodes:
            break
        rows.append(row)
    if tables.is_packed:
        for row in rows:
            check_nodes(opened, row["tree_id"])
    nodes = opened.nodes
    cut = _cut(host, nodes, rows[0], limits.nodes)
    read = host.query(
        sql.nodes(nodes, model.has_class_leaves),
        ["pg_catalog.int4[]", "pg_catalog.int4"],
        [[row["tree_id"] for row in rows], 2**31 - 1 if cut is None else cut],
    )
    groups = {row["tree_id"]: tuple(row["group"] or ()) for row in rows}
    trees = {tree.tree_id: tree for tree in _trees_of_rows(read, groups, model.has_class_leaves)}
    return Choice(
        opened,
        replace(model, trees=tuple(trees[row["tree_id"]] for row in rows)),
        rows,
        totals,
        cut,
        full_at=limits.nodes if n_nodes > limits.nodes else None,
    )


def _cut(host: Host, nodes: NodeRelation, row: Row, most: int) -> int | None:
    """The depth down to which a tree has at most `most` nodes; None if it has no more at all."""
    if (row["n_nodes"] or 0) <= most:
        return None
    total, depth = 0, 0
    for level in host.query(sql.nodes_by_depth(nodes), ["pg_catalog.int4"], [row["tree_id"]]):
        total += level["nodes"]
        if total > most:
            break
        depth = level["depth"]
    return depth


def room_for_lists(model: Model) -> int:
    """How many characters of a list the tooltip of each node may have, with the trees of the model on one page."""
    n_nodes = sum(len(tree.nodes) for tree in model.trees)
    return max(CATEGORIES_LENGTH, min(TOOLTIP_LENGTH, TOOLTIPS_LENGTH // max(1, n_nodes)))


def tree_values(model: Model, tree: Tree, row: Row, room: int = CATEGORIES_LENGTH) -> dict[str, Any]:
    """One tree for the page's script; nodes by column, in the order of their numbers.

    Args:
        room: characters of a list of categories that a tooltip may have.
    """
    nodes = [node for _, node in sorted(without_noise(model, tree).nodes.items())]
    return {
        "id": tree.tree_id,
        "gid": row.get("gid"),
        "group": tree_name(model, tree, row),
        "says": leaf_words(model, _class_of(model, row)),
        "rows": row["n_rows"] or 0,
        "leaves": row["n_leaves"] or 0,
        "size": row["n_nodes"] or 0,
        "depth": row["tree_depth"] or 0,
        "cp": finite(row["pruning_cp"]),
        "message": row["message"],
        "nodes": _columns(model, nodes, room),
        "importance": _importance(model, row["impurity_var_importance"] or []),
    }


def _class_of(model: Model, row: Row) -> str | None:
    """Whose score a boosted tree adds to, where each class has one."""
    if not model.adds_scores or model.n_scores == 1:
        return None
    position: int = (row["sample_id"] - 1) % model.n_scores
    return model.classes[position]


def tree_name(model: Model, tree: Tree, row: Row) -> str:
    """By what the page's reader knows a tree; empty where the model has but one."""
    group = group_text(model, tree) if model.grouping_columns else ""
    member = f"tree {row['sample_id']}" if "sample_id" in row else ""
    return ", ".join(filter(None, (group, member)))


def _columns(model: Model, nodes: Sequence[Node], room: int) -> dict[str, list[Any]]:
    at = {node.node_id: position for position, node in enumerate(nodes)}
    classes = {name: position for position, name in enumerate(model.classes)}
    places = {feature.name: position for position, feature in enumerate(model.features)}
    columns: dict[str, list[Any]] = {
        # As text: the numbers of deep nodes are beyond what a JavaScript number can hold.
        "id": [str(node.node_id) for node in nodes],
        "parent": [-1 if node.parent_id is None else at[node.parent_id] for node in nodes],
        "feature": [None if node.is_leaf else places[str(node.feature)] for node in nodes],
        "test": [None if node.is_leaf else _test(model, node) for node in nodes],
        "rows": [node.n_rows for node in nodes],
        "impurity": [finite(node.impurity) for node in nodes],
        "complexity": [finite(node.complexity) for node in nodes],
        "improvement": [finite(node.improvement) for node in nodes],
        "missingLeft": [node.majority_left for node in nodes],
    }
    whole = [None if node.is_leaf else _test(model, node, room) for node in nodes]
    if whole != columns["test"]:
        columns["whole"] = [text if text != test else None for text, test in zip(whole, columns["test"], strict=True)]
    if model.weighted:
        columns["weight"] = [short(node.weight) for node in nodes]
    if model.has_class_leaves:
        columns["prediction"] = [classes.get(str(node.prediction), -1) for node in nodes]
        columns["classes"] = [list(_sparse(node.class_weights or ())) for node in nodes]
    else:
        columns["prediction"] = [finite(float(node.prediction or 0.0)) for node in nodes]
    return columns


def _sparse(weights: Sequence[float]) -> Iterator[float]:
    """Position and weight of each class that has any."""
    for position, weight in enumerate(weights):
        if weight:
            yield position
            yield short(weight)


def _test(model: Model, node: Node, length: int = CATEGORIES_LENGTH) -> str:
    """What is said of the feature's value in the true branch: ``<= 5``, ``< "blue"``, ``in {a,b}``."""
    feature = model.feature(str(node.feature))
    return split_text(node, feature, length)[len(one_line(feature.name)) + 1 :]


def _importance(model: Model, raw: Sequence[float]) -> dict[str, Any]:
    """Shares in percent as `get_var_importance` scales them, the greatest first."""
    total = sum(raw)
    shares = [(value / total * 100 if total > 0 else 0.0, position) for position, value in enumerate(raw)]
    shares.sort(key=lambda pair: (-pair[0], pair[1]))
    kept = [(share, position) for share, position in shares if share > 0][:MAX_FEATURES]
    return {
        "features": [position for _, position in kept],
        "shares": [finite(share) for share, _ in kept],
        "unused": sum(share == 0 for share, _ in shares),
        "others": sum(share > 0 for share, _ in shares) - len(kept),
    }


_NODE_FIELDS = tuple(name for name in Node.__dataclass_fields__ if name not in ("surrogates", "competitors"))


def _trees_of_rows(
    nodes: Iterable[Mapping[str, Any]], groups: Mapping[int, tuple[str, ...]], is_classification: bool
) -> tuple[Tree, ...]:
    """Trees by ascending tree_id; those that `groups` names also where no node is given.

    Args:
        nodes: rows of `<output>_nodes`, by column, of one tree or of many.
        groups: by tree_id, the values of its grouping columns as text.
    """
    trees: dict[int, dict[int, Node]] = {tree: {} for tree in groups}
    for row in nodes:
        values: dict[str, Any] = {
            name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in _NODE_FIELDS
        }
        values["prediction"] = _prediction(values["prediction"], is_classification)
        trees.setdefault(row["tree_id"], {})[row["node_id"]] = Node(**values)
    return tuple(
        Tree(tree, of_tree, groups.get(tree, ()), of_tree[0].n_rows if of_tree else 0)
        for tree, of_tree in sorted(trees.items())
    )


def _prediction(value: Any, is_class: bool) -> str | float | None:
    """A class as PostgreSQL writes it as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if is_class and value is not None else value
