"""The format of rows: what each of the numbers that come from the table is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from madtree.learn.binning import KeyEncoder
from madtree.learn.data import (
    WIDE_LIMIT,
    Array,
    Floats,
    Values,
    in_columns,
    require,
    rows_in,
    stable_order,
)
from madtree.learn.packing.raw_rows import Columns, RawRows
from madtree.learn.problem import identities
from madtree.records import dataclass
from madtree.trees import MOST_FOLDS, OWN_NUMBERS

_TOLD = tuple(name for name in OWN_NUMBERS if name not in ("target", "fold"))  # the others by their keys


class NullNumberError(Exception):
    """A number of a row is NULL instead of NaN."""


@dataclass
class RowFormat:
    """What the numbers of a row are: first those of `OWN_NUMBERS` that it has, then features.

    Attributes:
        has: names of those.
        class_keys: (K,) the number that stands for each class, or None for regression.
        category_keys: for each feature the numbers that stand for its categories, or None where it is not unordered.
        fold_keys: the numbers that stand for the folds, or None where rows do not tell.
    """

    has: frozenset[str]
    class_keys: Floats | None
    category_keys: Sequence[Floats | None]
    fold_keys: Floats | None = None
    _encoders: dict[int, KeyEncoder] = field(default_factory=dict)

    @property
    def n_own(self) -> int:
        """Numbers of a row beside its features."""
        return len(self.has)

    @property
    def n_columns(self) -> int:
        return self.n_own + len(self.category_keys)

    def count(self, images: bytes) -> int | None:
        """How many rows these are; None where they are none of this format, or a number is NULL."""
        rows = rows_in(images, self.n_columns)
        return None if rows is None else len(rows)

    def read(self, images: bytes | Floats, *, by_tree: bool = False) -> RawRows:
        """All rows, with classes and categories as indices; unknown ones as missing. `tree` holds tree ids.

        Args:
            images: of the rows, or their numbers (n_rows, n_columns).
            by_tree: whether rows that tell their trees are to come tree by tree, else as they are.

        Raises:
            NullNumberError: a number is NULL, which it must not be here.
            MadtreeError: the id of a tree is none, and rows should come by it.
        """
        rows = rows_in(images, self.n_columns) if isinstance(images, bytes) else images
        if rows is None:
            raise NullNumberError
        order = None
        if by_tree and "tree" in self.has and len(rows):
            tree = rows[:, 0]
            require(tree.min() >= 0 and tree.max() < 2**32, "images", "those of rows that tell their trees")
            order = stable_order(tree.astype(np.uint32))
        return self.rows(in_columns(rows, order))

    def rows(self, columns: Floats) -> RawRows:
        """What `read` makes of the numbers (n_columns, n_rows); they are written to."""
        features = columns[self.n_own :]
        for f, keys in enumerate(self.category_keys):
            if keys is not None:
                features[f] = self.feature(f, features[f])
        return self.rows_of(columns[: self.n_own], features)

    def rows_of(self, own: Floats, features: Floats | Columns) -> RawRows:
        """What `read` makes of rows' own numbers (n_own, n_rows) and features with categories as indices."""
        numbers = dict(zip((name for name in OWN_NUMBERS if name in self.has), own, strict=True))
        target, n_unknown = numbers.pop("target"), 0
        if self.class_keys is not None:
            n_missing = int(np.isnan(target).sum())
            target = self._index(-1, self.class_keys, target)
            n_unknown = int(np.isnan(target).sum()) - n_missing
        optional: dict[str, Any] = {name: self._optional(name, column) for name, column in numbers.items()}
        return RawRows(features, target, n_unknown=n_unknown, **optional)

    def _optional(self, name: str, column: Floats) -> Array:
        """(n_rows,) one of a row's own numbers as `RawRows` has it."""
        if name == "fold" and self.fold_keys is not None:
            return self._index(-2, self.fold_keys, column)
        if name == "identity":
            return identities(column)
        return column.astype(np.int64) if name == "tree" else column

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
            **{f"has_{name}": name in self.has for name in _TOLD},
            "class_keys": self.class_keys,
            "fold_keys": self.fold_keys,
            "category_sizes": sizes,
            "category_keys": np.concatenate(flat) if flat else np.zeros(0),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> RowFormat:
        """The format that `to_values` tells of; raises MadtreeError where it is none."""
        given = Values(values)
        sizes = given.integers("category_sizes", None, -1, WIDE_LIMIT - 2)
        flat = _keys(given, "category_keys")
        require(sum(size for size in sizes if size > 0) == len(flat), "category_sizes", "those of the keys")
        keys: list[Floats | None] = []
        at = 0
        for size in sizes:
            keys.append(None if size < 0 else flat[at : at + size])
            at += max(size, 0)
        class_keys, fold_keys = (_keys(given, name) if name in given else None for name in ("class_keys", "fold_keys"))
        require(class_keys is None or 0 < len(class_keys) < WIDE_LIMIT, "class_keys", "those of 1 to 65,535 classes")
        require(fold_keys is None or len(fold_keys) <= MOST_FOLDS, "fold_keys", f"those of {MOST_FOLDS} folds at most")
        has = {name for name in _TOLD if given.boolean(f"has_{name}")} | {"target"}
        return cls(frozenset(has if fold_keys is None else {*has, "fold"}), class_keys, keys, fold_keys)

    def require_fit(self, n_classes: int, unordered: Sequence[bool]) -> None:
        """Raises MadtreeError where these are not the rows of a target with so many classes (0: of a number), and of
        features of which these are `unordered`.
        """
        require(n_classes == (0 if self.class_keys is None else len(self.class_keys)), "n_classes", "that of the keys")
        fits = [keys is not None for keys in self.category_keys] == list(unordered)
        require(fits, "category_sizes", "those of the unordered features")


def _keys(given: Values, name: str) -> Floats:
    """(n_keys,) numbers, of which NaN stands for a missing value."""
    keys = given.floats(name, (None,), finite=False)
    require(not np.isinf(keys).any(), name, "finite numbers or NaN")
    return keys
