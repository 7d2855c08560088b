"""The format of rows: what each of the numbers that come from the table is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from madtree.learn.binning import KeyEncoder
from madtree.learn.data import (
    WIDE_LIMIT,
    Floats,
    Values,
    read_rows,
    require,
    rows_in,
)
from madtree.learn.problem.bootstrap import identities
from madtree.learn.problem.prepare import Columns, RawRows
from madtree.trees import MOST_FOLDS


class NullNumberError(Exception):
    """A number of a row is NULL instead of NaN."""


@dataclass
class RowFormat:
    """What the numbers of a row are: [tree,] target, [weight,] [exposure,] [fold,] [identity,] features.

    Attributes:
        has_tree, has_weight: which of the optional numbers are there.
        class_keys: (K,) the number that stands for each class, or None for regression.
        category_keys: for each feature the numbers that stand for its categories, or None where it is not unordered.
        fold_keys: the numbers that stand for the folds, or None where rows do not tell.
        has_exposure: whether the optional number is there.
        has_identity: whether a number is there that tells rows apart.
    """

    has_tree: bool
    has_weight: bool
    class_keys: Floats | None
    category_keys: Sequence[Floats | None]
    fold_keys: Floats | None = None
    has_exposure: bool = False
    has_identity: bool = False
    _encoders: dict[int, KeyEncoder] = field(default_factory=dict)

    @property
    def n_own(self) -> int:
        """Numbers of a row beside its features."""
        optional = (self.has_tree, self.has_weight, self.has_exposure, self.fold_keys is not None, self.has_identity)
        return 1 + sum(optional)

    @property
    def n_columns(self) -> int:
        return self.n_own + len(self.category_keys)

    def count(self, images: bytes) -> int | None:
        """How many rows these are; None where they are none of this format, or a number is NULL."""
        rows = rows_in(images, self.n_columns)
        return None if rows is None else len(rows)

    def read(self, images: bytes | Floats) -> RawRows:
        """All rows, with classes and categories as indices; unknown ones as missing. `tree` holds tree ids.

        Args:
            images: of the rows, or their numbers (n_rows, n_columns).

        Raises:
            NullNumberError: a number is NULL, which it must not be here.
        """
        columns = read_rows(images, self.n_columns)
        if columns is None:
            raise NullNumberError
        return self.rows(columns)

    def rows(self, columns: Floats) -> RawRows:
        """What `read` makes of the numbers (n_columns, n_rows); they are written to."""
        features = columns[self.n_own :]
        for f, keys in enumerate(self.category_keys):
            if keys is not None:
                features[f] = self.feature(f, features[f])
        return self.rows_of(columns[: self.n_own], features)

    def rows_of(self, own: Floats, features: Floats | Columns) -> RawRows:
        """What `read` makes of rows' own numbers (n_own, n_rows) and features with categories as indices."""
        at = int(self.has_tree)
        target, n_unknown = own[at], 0
        if self.class_keys is not None:
            n_missing = int(np.isnan(target).sum())
            target = self._index(-1, self.class_keys, target)
            n_unknown = int(np.isnan(target).sum()) - n_missing
        weight = own[at + 1] if self.has_weight else None
        exposure = own[at + 1 + self.has_weight] if self.has_exposure else None
        at_fold = at + 1 + self.has_weight + self.has_exposure
        fold = None if self.fold_keys is None else self._index(-2, self.fold_keys, own[at_fold])
        identity = identities(own[-1]) if self.has_identity else None
        tree = own[0].astype(np.int64) if self.has_tree else None
        return RawRows(features, target, weight, tree, fold, exposure, identity, n_unknown)

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
            "has_exposure": self.has_exposure,
            "class_keys": self.class_keys,
            "fold_keys": self.fold_keys,
            "has_identity": self.has_identity,
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
        optional = ("tree", "weight", "exposure", "identity")
        has_tree, has_weight, has_exposure, has_identity = (given.boolean(f"has_{name}") for name in optional)
        return cls(has_tree, has_weight, class_keys, keys, fold_keys, has_exposure, has_identity)

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
