"""Categories on their way to the model tables: those on the sides of splits, and those that each tree has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from madtree.learn.data import Ints
from madtree.learn.problem import Problem


@dataclass(frozen=True)
class TreeKeys:
    """Which tree each of n rows belongs to.

    Attributes:
        group: (n,) the group that the tree was trained on, from 1; 1 for all where training was not grouped.
        member: (n,) number of the tree in its group's ensemble; 0 for all where a group has a single tree.
    """

    group: Ints
    member: Ints

    def take(self, rows: Ints) -> TreeKeys:
        return TreeKeys(self.group[rows], self.member[rows])


@dataclass(frozen=True)
class CategorySets:
    """A set of categories for each of n splits.

    Attributes:
        sizes: (n,) number of categories; 0 where the split is not on an unordered feature.
        indices: positions of the categories in the feature's list, one split's after the other's.
    """

    sizes: Ints
    indices: Ints

    @classmethod
    def of(cls, sets: Sequence[Ints | None]) -> CategorySets:
        sizes = np.array([0 if indices is None else len(indices) for indices in sets], np.int32)
        return cls(sizes, np.concatenate([np.zeros(0, np.int32), *(s for s in sets if s is not None)]))


@dataclass(frozen=True)
class SeenCategories:
    """The categories of unordered features that the rows of each tree have: n of them, by tree, feature and category.

    Attributes:
        key: of each one's tree.
        feature: (n,) index.
        index: (n,) position of the category in the feature's list.
    """

    key: TreeKeys
    feature: Ints
    index: Ints

    @classmethod
    def of(cls, problem: Problem, key: TreeKeys, seen: Ints) -> SeenCategories:
        """From what was seen in growing (`Outcome.seen`); `key` of each of the problem's trees."""
        tree, feature, code = seen
        index = problem.bins.lower[problem.bins.offsets[tree, feature] + code - 1]
        return cls(key.take(tree), feature.astype(np.int32), index.astype(np.int32))


def category_indices(problem: Problem, tree: int, feature: int, codes: Ints) -> Ints:
    """Positions of the categories that codes stand for: the lower edge of a category's bin."""
    start = int(problem.bins.offsets[tree, feature])
    indices: Ints = problem.bins.lower[start + codes - 1].astype(np.int32)
    return indices
