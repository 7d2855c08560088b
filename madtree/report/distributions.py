"""How the values of a split's feature are distributed among the rows that come to it: by class, or with the mean and
the standard deviation of the outcome.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from madtree.host import Host, Row
from madtree.model import NewData, NewTable, casting, fit_features, outcome_of, read_trees
from madtree.render.mark import OTHERS
from madtree.report.bars import CountedCell, bars, of_classes, of_numbers
from madtree.report.bins import WANTED, Extent, bins_of
from madtree.report.trees import Choice
from madtree.request import find_source
from madtree.sqltext import distributions as sql
from madtree.sqltext.cells import number
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.quote import qualified
from madtree.sqltext.relation import Relation
from madtree.trees import Model, Node, Tree

SPLITS = 30  # of a tree, whose rows are counted
TREES, TIMES = 20, 3  # trees, which together have about so many times the rows of the training
MOST_VALUES = 2 * WANTED  # of a branch, that are counted one by one
_ENDS = ((min, "low"), (max, "high"))


def distributions(choice: Choice, table: str, colours: Sequence[str], first: Collection[int]) -> dict[str, Any]:
    """Bars for the page's script, by tree and node; and a `note` that says what there is not.

    Args:
        table: as the user or the model names it.
        colours: of the classes.
        first: ids of trees that come before the others.

    Raises:
        MadtreeError, psycopg.Error: the table does not fit, or the model may not be run.
    """
    opened = choice.opened.to_use()
    model, at = opened.model, choice.host.source
    source = find_source(at, table, "data")
    others = [model.dependent, *model.grouping, *([model.exposure] if model.exposure else [])]
    data = fit_features(model, NewTable(at, source, table, "data"), others)
    if any(data.plain(value) != value for value in model.grouping):
        return {"note": "No distributions: grouping columns of the table have types that belong to another role."}
    shown = [position for position, colour in enumerate(colours) if colour != OTHERS] if model.is_classification else []
    with_splits = [tree for tree in choice.model.trees if tree.nodes and not tree.nodes[0].is_leaf]
    chosen = _chosen(sorted(with_splits, key=lambda tree: tree.tree_id not in first), model.summary)
    found: dict[int, dict[str, Any]] = {}
    with casting(model, data.features, table, "data"):
        for tree in chosen:
            (whole,) = read_trees(opened, tree.tree_id)
            upper = upper_part(whole, tree.nodes)
            found[tree.tree_id] = _of_tree(at, model, _rows(model, source, data, upper, shown), shown)
    return {"table": table, "trees": found, "note": _note(with_splits, len(chosen))}


def _chosen(trees: Sequence[Tree], summary: Mapping[str, Any]) -> list[Tree]:
    """The first trees: many where each has a group's rows, few where each has all."""
    found: list[Tree] = []
    enough = (TIMES - 0.5) * (summary["total_rows_processed"] or 0)  # samples of rows are not all of one size
    for tree in trees[:TREES]:
        if found and sum(each.nodes[0].n_rows for each in found) >= enough:
            break
        found.append(tree)
    return found


def upper_part(tree: Tree, known: Collection[int], most: int = SPLITS) -> Tree:
    """A tree's splits with the most rows, down from the root, at most so many; where others were, there are leaves.

    Args:
        known: ids of the nodes that the page has.
    """
    nodes: dict[int, Node] = {}
    waiting = [(0, 0)]
    splits = 0
    while waiting:
        _, node_id = heapq.heappop(waiting)
        node = tree.nodes[node_id]
        if node.is_leaf or node_id not in known or splits == most:
            nodes[node_id] = replace(node, is_leaf=True)
            continue
        splits += 1
        nodes[node_id] = node
        for child in (node.left_id, node.right_id):
            heapq.heappush(waiting, (-tree.nodes[child].n_rows, child))
    return replace(tree, nodes=nodes)


def _note(with_splits: Sequence[Tree], n_trees: int) -> str | None:
    """Which splits have no distribution; None where all have one."""
    n_splits = [sum(not node.is_leaf for node in tree.nodes.values()) for tree in with_splits]
    shown = "How values are distributed is shown at"
    whose = "a tree" if n_trees == len(with_splits) else f"{n_trees} of the trees"
    if max(n_splits, default=0) > SPLITS:
        return f"{shown} those {SPLITS} splits of {whose} that have the most rows."
    return None if n_trees == len(with_splits) else f"{shown} the splits of {whose}."


def _rows(model: Model, source: Relation, data: NewData, tree: Tree, shown: Sequence[int]) -> sql.CountedRows:
    return sql.CountedRows(
        qualified(source.schema, source.name),
        tree,
        data.features,
        QUALIFIED.of_group(model, tree) if model.grouping_columns else None,
        outcome_of(model, data),
        [model.classes[position] for position in shown] if model.is_classification else None,
        number(data.plain(model.exposure)) if model.exposure else None,
    )


def _of_tree(host: Host, model: Model, rows: sql.CountedRows, shown: Sequence[int]) -> dict[str, Any]:
    """Of each split by its id, as text, its bars (`bars`)."""
    found = host.query(sql.extents(rows))
    bins = {
        split.node_id: bins_of(model.feature(str(split.feature)), split.threshold or 0.0, extent)
        for split in rows.splits
        if (extent := _extent(rows, split, found)) is not None
    }
    centre = _mean([(row["n"], row["centre"]) for row in found]) if not model.is_classification else 0.0
    edges = {split: each.edges for split, each in bins.items()}
    cells: dict[int, list[CountedCell]] = {split.node_id: [] for split in rows.splits}
    for row in host.query(sql.counts(rows, edges, centre, MOST_VALUES)):
        split, is_left = rows.branches[row["branch"]]
        value = row["value"] and row["value"].removeprefix(sql.VALUE)
        cells[split].append(CountedCell(is_left, value, row["value"] == "", row))
    outcomes = of_classes(shown) if model.is_classification else of_numbers(centre)
    return {str(split): bars(of_split, bins.get(split), outcomes) for split, of_split in cells.items() if of_split}


def _extent(rows: sql.CountedRows, split: Node, found: Sequence[Row]) -> Extent | None:
    """Of the numbers that are compared with a split's threshold; None where its feature has categories.

    Args:
        found: what is known of each leaf.
    """
    if split.feature not in rows.numbers:
        return None
    place = rows.numbers.index(split.feature) + 1
    below = [row for row in found if any(node is split for node, _ in rows.tree.path(row["ending"]))]
    with_some = [row for row in below if row[f"low{place}"] is not None]
    low, high = (pick((row[f"{end}{place}"] for row in with_some), default=None) for pick, end in _ENDS)
    parts = [(row[f"n{place}"], row[f"mean{place}"], row[f"sd{place}"]) for row in below if row[f"n{place}"]]
    mean = _mean([(n, of_part) for n, of_part, _ in parts])
    squares = _mean([(n, deviation**2 + (of_part - mean) ** 2) for n, of_part, deviation in parts])
    return Extent(low, high, mean if parts else None, math.sqrt(squares))


def _mean(parts: Sequence[tuple[int, float | None]]) -> float:
    """The mean of what parts of so many values have as means; 0 of none."""
    n_values = sum(n for n, mean in parts if mean is not None)
    return math.fsum(n * mean for n, mean in parts if mean is not None) / n_values if n_values else 0.0
