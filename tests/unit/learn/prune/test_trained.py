"""Trained trees as columns: sent as bytes, joined, and told apart by group and member."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from madtree.learn.data import finished, nested
from madtree.learn.data.types import Array, Bools
from madtree.learn.grow import grow
from madtree.learn.prune import conclude
from madtree.learn.prune.trained import TrainedTrees, TreeKeys
from madtree.learn.requests import Program, driven
from madtree.trees.parameters import Parameters
from tests.unit.learn.binned import at_hand, problem_of, sample_rows, train


def two_members(group: int, n_classes: int, parameters: Parameters) -> TrainedTrees:
    """Trees 0 and 1 of a group's ensemble, each on rows of its own."""
    rows = sample_rows(600, n_classes, n_trees=2, seed=group)
    problem, block = problem_of(rows, n_classes, parameters, n_trees=2)
    return TrainedTrees.of(train(problem, block), problem, np.full(2, group), np.arange(2))


def rows_of(table: object, chosen: Bools) -> dict[str, Array]:
    """The chosen rows of one of the tables; of its sets of categories the sizes and the indices that are theirs."""
    found: dict[str, Array] = {}
    for field in fields(table):  # type: ignore[arg-type]
        value = getattr(table, field.name)
        if isinstance(value, TreeKeys):
            continue
        if field.name in ("left", "right"):
            found[f"{field.name}.sizes"] = value.sizes[chosen]
            found[f"{field.name}.indices"] = value.indices[np.repeat(chosen, value.sizes)]
        else:
            found[field.name] = value[chosen]
    return found


@pytest.mark.parametrize("n_classes", [0, 3])
def test_members_of_groups_are_told_apart_after_their_journey(n_classes: int) -> None:
    parameters = Parameters(
        criterion="gini" if n_classes else "mse", max_depth=4, min_split=20, min_bucket=7, max_surrogates=2, n_folds=3
    )
    parts = [two_members(group, n_classes, parameters) for group in (1, 2)]

    joined = TrainedTrees.join([TrainedTrees.load(part.dump()) for part in parts])

    assert list(zip(joined.trees.key.group, joined.trees.key.member, strict=True)) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert len(np.unique(joined.trees.root_risk)) == 4
    for group, part in zip((1, 2), parts, strict=True):
        for member in range(2):
            for name in ("trees", "nodes", "surrogates", "cp_table"):
                table, own = getattr(joined, name), getattr(part, name)
                theirs = rows_of(table, (table.key.group == group) & (table.key.member == member))
                expected = rows_of(own, own.key.member == member)
                assert theirs.keys() == expected.keys()
                assert all(len(values) for values in expected.values()), name
                for column, values in expected.items():
                    np.testing.assert_array_equal(theirs[column], values, f"{name}.{column}")


def test_a_tree_counts_its_own_nodes() -> None:
    trained = two_members(1, 0, Parameters(criterion="mse", max_depth=3))
    trees, nodes = trained.trees, trained.nodes
    for tree in range(2):
        own = nodes.key.member == tree
        assert trees.n_nodes[tree] == own.sum()
        assert trees.n_leaves[tree] == (nodes.feature[own] < 0).sum()
        assert trees.tree_depth[tree] == nodes.depth[own].max()
        assert trees.n_rows[tree] == nodes.n_rows[own][0]


def test_the_nodes_of_a_single_tree_are_copied_only_where_some_are_pruned() -> None:
    """Those of a tree that is grown out on many rows take much memory."""

    def shared(cp: float) -> list[bool]:
        parameters = Parameters(min_split=4, min_bucket=2, cp=cp)
        problem, block = problem_of(sample_rows(600, 2), 2, parameters)

        def program() -> Program[list[bool]]:
            growing = yield from grow(problem, True)
            outcome = yield from conclude(problem, growing)
            assert (len(outcome.node_id) < growing.n_nodes) == (cp > 0)
            names = ("tree", "node_id", "depth", "n_rows", "majority_left")
            return [np.shares_memory(getattr(outcome, name), getattr(growing, name)) for name in names]

        return finished(driven(program(), at_hand([block])))

    assert shared(-1) == [True] * 5
    assert shared(0.01) == [False] * 5


def test_names_of_inner_columns_say_where_they_belong() -> None:
    trained = two_members(1, 0, Parameters(criterion="mse", max_depth=2))
    flat = nested.flatten(trained)
    assert {"trees.key.member", "nodes.left.sizes", "surrogates.right.indices", "cp_table.chosen"} <= flat.keys()
    assert nested.flatten(nested.unflatten(TrainedTrees, flat)).keys() == flat.keys()


def test_copies_do_not_hold_the_bytes_that_trees_were_read_from() -> None:
    """Or all nodes would stay in memory until the last of the trees is written."""
    trained = TrainedTrees.load(two_members(1, 2, Parameters(max_depth=2)).dump())
    own, read = nested.flatten(nested.copied(trained.trees)), nested.flatten(trained.trees)
    for name, array in read.items():
        assert not array.flags.owndata
        assert own[name].flags.owndata
        np.testing.assert_array_equal(own[name], array)
