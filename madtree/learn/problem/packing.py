"""From the bytes of a range of rows to a block, by bins that are known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from madtree.learn.binning import Bins, EdgeEncoder, KeyEncoder
from madtree.learn.data import NARROW_LIMIT, Array, Block, CodeLayout, Floats, Ints, read_rows
from madtree.learn.problem.prepare import Columns, RawRows, on_grids
from madtree.learn.problem.problem import Problem


class NullNumberError(Exception):
    """A number of a row is NULL instead of NaN."""


@dataclass
class RowFormat:
    """What the numbers of a row are: [tree,] target, [weight,] [fold,] features.

    Attributes:
        has_tree, has_weight: which of the optional numbers are there.
        class_keys: (K,) the number that stands for each class, or None for regression.
        category_keys: for each feature the numbers that stand for its categories, or None where it is not unordered.
        fold_keys: the numbers that stand for the folds, or None where rows do not tell.
        n_unknown: rows of the last `read` whose class was none of these.
    """

    has_tree: bool
    has_weight: bool
    class_keys: Floats | None
    category_keys: Sequence[Floats | None]
    fold_keys: Floats | None = None
    _encoders: dict[int, KeyEncoder] = field(default_factory=dict)
    n_unknown: int = field(default=0, init=False)

    @property
    def n_own(self) -> int:
        """Numbers of a row beside its features."""
        return self.has_tree + 1 + self.has_weight + (self.fold_keys is not None)

    @property
    def n_columns(self) -> int:
        return self.n_own + len(self.category_keys)

    def read(self, images: bytes) -> RawRows:
        """All rows, with classes and categories as indices; unknown ones as missing. `tree` holds tree ids.

        Raises:
            NullNumberError: a number is NULL, which it must not be here.
        """
        columns = read_rows(images, self.n_columns)
        if columns is None:
            raise NullNumberError
        return self.rows(columns)

    def rows(self, columns: Floats) -> RawRows:
        """The same from the numbers (n_columns, n_rows), which are written to."""
        features = columns[self.n_own :]
        for f, keys in enumerate(self.category_keys):
            if keys is not None:
                features[f] = self.feature(f, features[f])
        return self.rows_of(columns[: self.n_own], features)

    def rows_of(self, own: Floats, features: Floats | Columns) -> RawRows:
        """The same from a row's own numbers (n_own, n_rows) and features with categories as indices."""
        at = int(self.has_tree)
        target = own[at]
        if self.class_keys is not None:
            n_known = len(target) - int(np.isnan(target).sum())
            target = self._index(-1, self.class_keys, target)
            self.n_unknown = n_known - len(target) + int(np.isnan(target).sum())
        weight = own[at + 1] if self.has_weight else None
        fold = None if self.fold_keys is None else self._index(-2, self.fold_keys, own[at + 1 + self.has_weight])
        return RawRows(features, target, weight, own[0].astype(np.int64) if self.has_tree else None, fold)

    def feature(self, feature: int, column: Floats) -> Floats:
        """(n_rows,) a feature from its numbers: indices of categories, or values as they are."""
        keys = self.category_keys[feature]
        return column if keys is None else self._index(feature, keys, column)

    def _index(self, which: int, keys: Floats, values: Floats) -> Floats:
        if which not in self._encoders:
            self._encoders[which] = KeyEncoder(keys, np.uint32)
        codes = self._encoders[which].codes(values)
        return np.where(codes > 0, codes - 1.0, np.nan)

    def to_values(self) -> dict[str, Any]:
        sizes = [-1 if keys is None else len(keys) for keys in self.category_keys]
        flat = [keys for keys in self.category_keys if keys is not None]
        return {
            "has_tree": self.has_tree,
            "has_weight": self.has_weight,
            "class_keys": self.class_keys,
            "fold_keys": self.fold_keys,
            "category_sizes": sizes,
            "category_keys": np.concatenate(flat) if flat else np.zeros(0),
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> RowFormat:
        keys: list[Floats | None] = []
        at = 0
        for size in values["category_sizes"]:
            keys.append(None if size < 0 else values["category_keys"][at : at + size])
            at += max(size, 0)
        return cls(values["has_tree"], values["has_weight"], values["class_keys"], keys, values["fold_keys"])


class Packer:
    """Turns rows into blocks of a problem whose bins, grids and trees are known."""

    def __init__(self, problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> None:
        """`tree_ids` (n_trees,) ascending: the ids of the problem's trees as rows carry them, or None for one tree."""
        self._problem = problem
        self._format = row_format
        self._tree_ids = tree_ids
        self._layout = CodeLayout.for_widths(problem.bins.widths)
        self._encoders: dict[tuple[int, int], EdgeEncoder] = {}

    def pack(self, images: bytes) -> tuple[Block, int, int]:
        """The block of the usable rows among `images`, how many were not usable, and how many had an unknown class."""
        return self.pack_rows(self._format.read(images))

    def pack_rows(self, rows: RawRows) -> tuple[Block, int, int]:
        """The same of rows that the format has just read."""
        total = len(rows.target)
        keep = rows.usable()
        if self._tree_ids is not None:
            assert rows.tree is not None
            at = np.minimum(np.searchsorted(self._tree_ids, rows.tree), len(self._tree_ids) - 1)
            keep &= self._tree_ids[at] == rows.tree
            rows = replace(rows, tree=at)
        rows = rows.select(keep)
        codes = self._layout.empty(len(rows.target))
        for f in range(len(rows.features)):
            codes.column(f)[:] = self._codes(f, rows)
        fold = None if rows.fold is None else rows.fold.astype(np.uint8)
        block = Block(codes, *on_grids(self._problem, rows), rows.tree, fold)
        return block, total - len(rows.target), self._format.n_unknown

    def _codes(self, feature: int, rows: RawRows) -> Array:
        values = rows.features[feature]
        if self._problem.unordered[feature]:
            return np.where(np.isnan(values), 0.0, values + 1)
        if rows.tree is None:
            return self._encoder(0, feature).codes(values)
        codes = np.zeros(len(values), np.uint16)
        for tree in np.unique(rows.tree).tolist():
            mine = np.flatnonzero(rows.tree == tree)
            codes[mine] = self._encoder(tree, feature).codes(values[mine])
        return codes

    def _encoder(self, tree: int, feature: int) -> EdgeEncoder:
        found = self._encoders.get((tree, feature))
        if found is None:
            table = self._problem.bins
            start = int(table.offsets[tree, feature])
            span = slice(start, start + int(table.sizes[tree, feature]))
            edges = Bins(table.lower[span], table.upper[span]).edges
            found = EdgeEncoder(edges, np.uint8 if len(edges) + 2 <= NARROW_LIMIT else np.uint16)
            self._encoders[tree, feature] = found
        return found
