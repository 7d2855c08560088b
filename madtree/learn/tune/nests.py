"""Settings of trees that are grown together: a tree of one is the upper part of a tree of another one.

A node's split does not depend on how deep a tree may grow, on how many rows a node needs to be split, on the gain that
a split needs, on how many leaves there may be, or on how far the tree is pruned. So settings that differ in nothing
else need one tree, which is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from madtree.learn.data import Bools, Floats, flat_nonzero
from madtree.learn.grow import GrowingTrees, gains_enough, inner_nodes, may_split
from madtree.learn.problem import Problem
from madtree.learn.prune import prune_at
from madtree.learn.requests import BREATH, Program
from madtree.learn.tune.trials import Trial
from madtree.trees import UNPRUNED, Parameters


def nests(trials: Sequence[Trial]) -> list[tuple[Parameters, list[Trial]]]:
    """The trials that are grown together, and the parameters by which they are."""
    found: dict[Parameters, list[Trial]] = {}
    for trial in trials:
        alike = replace(
            trial.parameters, max_depth=0, min_split=0, min_impurity_decrease=0.0, max_leaf_nodes=None, cp=UNPRUNED
        )
        found.setdefault(alike, []).append(trial)
    return [(_deepest([each.parameters for each in own]), own) for own in found.values()]


def _deepest(given: Sequence[Parameters]) -> Parameters:
    """By which the trees of all of these are grown, and perhaps further."""
    leaves = [each.max_leaf_nodes for each in given if each.max_leaf_nodes is not None]
    return replace(
        given[0],
        max_depth=max(each.max_depth for each in given),
        min_split=min(each.min_split for each in given),
        min_impurity_decrease=min(each.min_impurity_decrease for each in given),
        max_leaf_nodes=max(leaves) if len(leaves) == len(given) else None,
    )


def leaves_of(problem: Problem, growing: GrowingTrees, risk: Floats) -> Program[Bools]:
    """(n_nodes,) the leaves of trees that have grown as far as this problem's parameters or further, once they are cut
    and pruned as these say; `risk` (n_nodes,), which trees that are not pruned do not need.
    """
    parameters, nodes = problem.parameters, flat_nonzero(growing.feature >= 0)
    gain = growing.improvement[nodes] * problem.feature_costs[growing.feature[nodes]]
    inner: Bools = np.zeros(growing.n_nodes, np.bool_)
    inner[nodes] = may_split(problem, growing, nodes) & gains_enough(problem, growing, nodes, gain)
    reached, inner = _reached(growing, inner)
    if parameters.max_leaf_nodes is not None:
        cut = copy(growing)
        cut.feature = np.where(inner, growing.feature, -1)
        reached, inner = _reached(growing, inner_nodes(cut, parameters.max_leaf_nodes))
    if parameters.cp < 0:
        return np.asarray(reached & ~inner)
    left = np.where(inner, growing.routing.child, -1).astype(np.int64)
    leaves: Bools = np.zeros(growing.n_nodes, np.bool_)
    for tree in range(growing.n_trees):
        yield BREATH
        own = flat_nonzero(reached & (growing.tree == tree))  # the root first, and children side by side
        place = np.searchsorted(own, left[own])
        alpha = parameters.cp * np.abs(risk[tree : tree + 1])
        pruned = prune_at(risk[own], np.where(left[own] < 0, -1, place), np.zeros(len(own), np.int64), alpha)
        leaves[own] = pruned.keep & pruned.is_leaf
    return leaves


def _reached(growing: GrowingTrees, inner: Bools) -> tuple[Bools, Bools]:
    """(n_nodes,) the nodes of the trees in which only `inner` ones are split, and those that are split there."""
    reached = np.zeros(growing.n_nodes, np.bool_)
    nodes = np.arange(growing.n_trees)
    while len(nodes):
        reached[nodes] = True
        left = growing.routing.child[nodes[inner[nodes]]].astype(np.int64)
        nodes = np.concatenate((left, left + 1))
    return reached, reached & inner
