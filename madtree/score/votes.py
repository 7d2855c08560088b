"""The votes of trees for classes, counted for some rows tree by tree."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from madtree.learn.data import Array, Bools, Ints

_FEW_CLASSES = 16  # up to which comparing all rows with each class is quicker than looking up what to add to


class Votes(ABC):
    """How many trees vote for each class."""

    @staticmethod
    def none(class_of: Ints, n_classes: int, n_rows: int, members: int) -> Votes:
        """Before the first of `members` trees, in as few bytes as hold their number; `class_of` (n_nodes,) from 1 what
        each node says as a leaf.
        """
        kind = np.min_scalar_type(members)
        if n_classes <= _FEW_CLASSES:
            return _VotesOfFew(class_of, np.zeros((n_classes, n_rows), kind))
        return _VotesOfMany(class_of, np.zeros((n_rows, n_classes), kind))

    @abstractmethod
    def add(self, leaf: Ints) -> None:
        """Count the votes of one more tree; `leaf` (n_rows,) the leaves that the rows end in."""

    @abstractmethod
    def by_row(self) -> Ints:
        """(n_rows, n_classes)"""

    @abstractmethod
    def of(self, rows: Ints) -> Votes:
        """Those of some rows."""

    @abstractmethod
    def _two_most(self) -> tuple[Array, Array]:
        """(n_rows,) the votes of the class that has most, and of the one behind it."""

    def first_of_most(self) -> Ints:
        """(n_rows,) the class with most votes, from 1; the first of several."""
        most: Ints = self.by_row().argmax(axis=1)
        return most + 1

    def open(self, left: int) -> Bools:
        """(n_rows,) whether the class with most votes may change by those of the trees that are `left`."""
        most, next_most = self._two_most()
        still: Bools = most - next_most <= left
        return still


class _VotesOfFew(Votes):
    """Class by class."""

    def __init__(self, class_of: Ints, votes: Array) -> None:
        """`votes`: (n_classes, n_rows)."""
        self._class_of, self._votes = class_of, votes

    def add(self, leaf: Ints) -> None:
        class_at = self._class_of.take(leaf)
        for number, own in enumerate(self._votes, 1):
            own += (class_at == number).view(np.uint8)

    def by_row(self) -> Ints:
        by_row: Ints = self._votes.T
        return by_row

    def of(self, rows: Ints) -> Votes:
        return _VotesOfFew(self._class_of, self._votes.take(rows, axis=1))

    def _two_most(self) -> tuple[Array, Array]:
        most, next_most = self._votes[0].copy(), np.zeros_like(self._votes[0])
        for own in self._votes[1:]:
            np.maximum(next_most, np.minimum(most, own), out=next_most)
            np.maximum(most, own, out=most)
        return most, next_most


class _VotesOfMany(Votes):
    """Row by row: each adds to what it has of the one class."""

    def __init__(self, class_of: Ints, votes: Array) -> None:
        """`votes`: (n_rows, n_classes)."""
        self._class_of, self._votes = class_of, votes
        self._first = np.arange(-1, votes.size - 1, votes.shape[1])

    def add(self, leaf: Ints) -> None:
        flat = self._votes.reshape(-1)
        place = self._first + self._class_of.take(leaf)
        flat[place] = flat.take(place) + 1

    def by_row(self) -> Ints:
        return self._votes

    def of(self, rows: Ints) -> Votes:
        return _VotesOfMany(self._class_of, self._votes.take(rows, axis=0))

    def _two_most(self) -> tuple[Array, Array]:
        two = np.partition(self._votes, -2, axis=1)[:, -2:]
        return two[:, 1], two[:, 0]
