"""tree_path: the path that one row of a table takes through its tree, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from madtree.errors import MadtreeError
from madtree.explain.rules import confidence, prediction
from madtree.host import Host, Row
from madtree.model import OpenModel, find_to_use, read_trees, trees_of_group, trees_to_walk
from madtree.records import dataclass
from madtree.render.labels import (
    MOST_DIGITS,
    SIX,
    category_text,
    leaf_words,
    one_line,
    room_for_categories,
    split_text,
    telling_digits,
)
from madtree.render.rules import side_text
from madtree.score import NewRows, only_row
from madtree.sqltext import explain as sql
from madtree.trees import (
    Direction,
    Feature,
    FeatureKind,
    Model,
    Node,
    Split,
    Tree,
    Value,
    comparable,
    find_direction,
    is_missing,
)

_PLAIN = ("real", "double precision", "numeric")  # types whose thresholds are told as numbers


@dataclass(frozen=True)
class _Case:
    """The row in question: features as expressions over its table, values as text and as splits compare them; and
    whether lists of categories are told in full.
    """

    features: Mapping[str, Feature]
    shown: Mapping[str, str | None]
    compared: Mapping[str, Value]
    full: bool


def tree_path(
    host: Host,
    model_name: str | None,
    table_name: str | None,
    id_: str | None,
    trust_owner: bool | None = False,
    full: bool | None = False,
    tree_id: int | None = None,
) -> list[Row]:
    """Rows of steps, of one tree of the row's group after the other, or of the tree `tree_id` only; `trust_owner` is
    that of `find_model`. Long lists of categories are shortened unless `full`.

    Raises:
        MadtreeError: there is no such model or table, the table lacks a column, the id is NULL or not of the id
            column's type, not just one row has it, or the row's group has no tree, or not the tree `tree_id`.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    rows = NewRows.named(opened, table_name, "table_name")
    features = rows.data.features
    row = only_row(rows, rows.scan(), id_, sql.compared(features.values()))
    case = _Case(
        features,
        dict(zip(features, row["shown"], strict=True)),
        {name: comparable(feature, text) for (name, feature), text in zip(features.items(), row["asked"], strict=True)},
        bool(full),
    )
    which = f"the row with {model.id_column} = {id_} in {table_name}"
    steps = [
        step
        for tree in _trees(opened, row["tree"] if model.grouping_columns else 1, tree_id, which)
        if tree.nodes
        for step in _steps(model, tree, case)
    ]
    if not steps:
        table = opened.tables.part(model.kind.groups_in)
        raise MadtreeError(
            f"id: no tree could be trained for the group of {which}", hint=f"See the column message of {table}."
        )
    return steps


def _trees(opened: OpenModel, group: int, tree_id: int | None, which: str) -> Iterator[Tree]:
    """The trees of a group, given by its number, or the one of them that is asked for; `which` row, for errors."""
    if tree_id is None and not opened.model.grouping_columns:
        yield from trees_to_walk(opened)
        return
    own = trees_of_group(opened, group)
    if tree_id is not None and own and tree_id not in own:
        name = opened.model.name
        is_one = f"is of {name}'s tree {own[0]}" if len(own) == 1 else f"has the trees {own[0]} to {own[-1]}"
        raise MadtreeError(f"tree_id must be that of a tree of the row's group, not {tree_id}: {which} {is_one}")
    if opened.tables.is_packed:
        yield from trees_to_walk(opened, own if tree_id is None else (tree_id,))
        return
    for wanted in own if tree_id is None else [tree_id]:
        yield from read_trees(opened, wanted)


def _steps(model: Model, tree: Tree, case: _Case) -> list[Row]:
    rows: list[Row] = []
    node = tree.nodes[0]
    while not node.is_leaf:
        direction = find_direction(node, case.features, case.compared, tree.seen_categories)
        name = str(node.feature)
        digits = _equality(model, node, direction.goes_left, case)[1] if direction.split is node else SIX
        at_node = {
            "feature": name,
            "condition": split_text(node, model.feature(name), room_for_categories(case.full), digits),
            "value": case.shown[name],
            "branch": "left" if direction.goes_left else "right",
            "reason": "majority" if direction.split is None else "surrogate" if direction.rank else "split",
            "explanation": _explanation(model, node, direction, case),
        }
        rows.append(_of_node(model, tree, node, len(rows) + 1) | at_node)
        node = tree.nodes[node.left_id if direction.goes_left else node.right_id]
    added = f" {leaf_words(model)}" if model.adds_scores else ""
    outcome = f"leaf: {prediction(model, node)}{added}"
    rows.append(_of_node(model, tree, node, len(rows) + 1) | {"reason": "leaf", "explanation": outcome})
    return rows


def _of_node(model: Model, tree: Tree, node: Node, step: int) -> Row:
    return {
        "step": step,
        "tree_id": tree.tree_id,
        "node_id": node.node_id,
        **dict.fromkeys(("feature", "condition", "value", "branch")),
        "n_rows": node.n_rows,
        "prediction": prediction(model, node),
        "confidence": confidence(model, node),
    }


def _explanation(model: Model, node: Node, direction: Direction, case: _Case) -> str:
    if direction.split is node:
        return _fact(model, node, direction.goes_left, case)
    problem = _problem(model, str(node.feature), case)
    if direction.split is not None:
        return f"{problem}; surrogate {direction.rank}: {_fact(model, direction.split, direction.goes_left, case)}"
    if node.threshold == math.inf:  # it asks just that
        return problem
    surrogates = ", and no surrogate applies" if node.surrogates else ""
    return f"{problem}{surrogates}; most of the training went {'left' if direction.goes_left else 'right'}"


def _fact(model: Model, split: Split, goes_left: bool, case: _Case) -> str:
    """``hour = 14, so hour > 11``."""
    feature = model.feature(str(split.feature))
    value, digits = _equality(model, split, goes_left, case)
    return f"{value}, so {side_text(split, feature, goes_left, case.full, digits)}"


def _equality(model: Model, split: Split, goes_left: bool, case: _Case) -> tuple[str, int]:
    """``hour = 14``, and with how many digits of the split's threshold it can be seen to which side that goes."""
    feature = model.feature(str(split.feature))
    compared, shown = case.compared[feature.name], case.shown[feature.name]
    is_plain = feature.type in _PLAIN and case.features[feature.name].type in _PLAIN
    if not is_plain or split.threshold is None or is_missing(compared) or shown is None:
        return _value(feature, case), SIX
    is_below = goes_left == split.low_goes_left
    digits = telling_digits(split.threshold, shown, is_below)
    if digits is not None:
        return _value(feature, case), digits
    # What is compared is the nearest float8, and of type real not the shortest decimal that is read back as it.
    shown = repr(float(compared or 0))
    digits = telling_digits(split.threshold, shown, is_below) or MOST_DIGITS
    return f"{one_line(feature.name)} = {shown}", digits


def _problem(model: Model, name: str, case: _Case) -> str:
    feature = model.feature(name)
    if is_missing(case.compared[name]):
        return f"{one_line(name)} is missing"
    return f"{_value(feature, case)} is unknown to this split"


def _value(feature: Feature, case: _Case) -> str:
    text = case.shown[feature.name]
    shown = category_text(text) if feature.kind is FeatureKind.UNORDERED or text is None else one_line(text)
    return f"{one_line(feature.name)} = {shown}"
