"""Categories as trees that are finished look them up: the code of each, and where splits send it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from madtree.learn.data import LEFT, RIGHT, UNKNOWN, Array, Bools, Floats, Ints, Values, ascends, require
from madtree.learn.walk.flat_trees import ALL_TREES, FlatTrees
from madtree.records import dataclass

_BEYOND_KEYS = 2.0**62
_KEY = 2**63 - 1  # the largest key of a category
KEYS = -_KEY - 1, _KEY


@dataclass(frozen=True)
class CategoryCodes:
    """The codes of categories, and where the splits send them.

    A category's code is its place among the keys of its feature. NULL's is the one behind the last, where it is a
    category. A category that no tree has seen has no code.

    Attributes:
        keys: of each feature by its position, the keys of its categories, ascending; numbers have none.
        has_null: of each feature whether NULL is a category.
        seen: of features whose categories not all groups have seen, those that each has: the group's position x width
            + code, ascending.
        width: more than the largest code.
        entries: split x width + code of the categories that splits name, ascending.
        sides: where these are sent.
    """

    keys: dict[int, Ints]
    has_null: list[bool]
    seen: dict[int, Ints]
    width: int
    entries: Ints
    sides: Array

    @classmethod
    def of(
        cls, trees: FlatTrees, groups: Ints, group_of_nodes: Ints, between: Callable[[], None] = lambda: None
    ) -> CategoryCodes:
        """Those of trees.

        Args:
            groups: (n_groups,) numbers, ascending.
            group_of_nodes: (n_nodes,)
            between: called after each feature, for cancels to be let in.
        """
        named, known, is_category = trees.categories, trees.seen, trees.is_category
        codes = np.zeros(len(named.split), np.int64)
        has_null = [False] * len(is_category)
        keys_of: dict[int, Ints] = {}
        for feature in np.flatnonzero(is_category).tolist():
            between()
            mine = named.feature == feature
            keys = np.unique(np.concatenate([named.key[mine & ~named.is_null], known.key[known.feature == feature]]))
            has_null[feature] = bool(named.is_null[mine].any())
            codes[mine] = np.where(named.is_null[mine], len(keys), np.searchsorted(keys, named.key[mine]))
            keys_of[feature] = keys.astype(np.int64)
        width = 1 + max((len(keys) for keys in keys_of.values()), default=0)
        position = np.searchsorted(groups, group_of_nodes)
        seen: dict[int, Ints] = {}
        for feature in np.flatnonzero(has_null).tolist():
            between()
            mine, stored = (named.feature == feature) & ~named.is_null, known.feature == feature
            if (known.group[stored] == ALL_TREES).any():
                continue
            stored &= np.isin(known.group, groups)  # a group may have categories, and no tree
            in_splits = position[trees.splits.node[named.split[mine]]] * width + codes[mine]
            in_stored = np.searchsorted(groups, known.group[stored]) * width
            in_stored += np.searchsorted(keys_of[feature], known.key[stored])
            seen[feature] = np.unique(np.concatenate([in_splits, in_stored])).astype(np.int64)
        between()
        entries = named.split.astype(np.int64) * width + codes
        order = np.argsort(entries, kind="stable")
        sides = np.where(named.goes_left[order], LEFT, RIGHT).astype(np.uint8)
        return cls(keys_of, has_null, seen, width, entries[order], sides)

    def to_values(self) -> dict[str, Any]:
        """As named values and arrays, for `codec.dump`."""
        return {
            **{f"categories_{feature}": keys for feature, keys in self.keys.items()},
            **{f"seen_{feature}": seen for feature, seen in self.seen.items()},
            "width": self.width,
            "has_null": self.has_null,
            "entries": self.entries,
            "entry_side": self.sides,
        }

    @classmethod
    def from_values(cls, given: Values, is_category: list[bool], n_splits: int, n_groups: int) -> CategoryCodes:
        """What `to_values` tells of; raises MadtreeError where it is none of such trees'."""
        keys: dict[int, Ints] = {}
        seen: dict[int, Ints] = {}
        longest = 0
        for feature in np.flatnonzero(is_category).tolist():
            name = f"categories_{feature}"
            keys[feature] = given.ints(name, (None,), *KEYS)
            require(ascends(keys[feature]), name, "ascending")
            longest = max(longest, len(keys[feature]))
        width = given.integer("width", 1 + longest, 1 + longest)
        for feature in keys:
            name = f"seen_{feature}"
            if name in given:
                seen[feature] = given.ints(name, (None,), 0, max(n_groups * width - 1, 0))
                require(ascends(seen[feature]), name, "ascending")
        entries = given.ints("entries", (None,), 0, max(n_splits * width - 1, 0))
        require(bool((entries[1:] >= entries[:-1]).all()), "entries", "ascending")
        has_null = given.booleans("has_null", len(is_category))
        sides = given.ints("entry_side", entries.shape, 0, RIGHT, np.uint8)
        return cls(keys, has_null, seen, width, entries, sides)

    def codes(self, feature: int, key: Ints, missing: Bools, group: Ints) -> Floats:
        """(n_rows,) codes of categories; NaN where missing or unknown to every node.

        NULL has a code where it is a category, and what a row's trees have never seen takes it.

        Args:
            key: (n_rows,) of the categories; anything where `missing` (n_rows,).
            group: (n_rows,) position of each row's group.
        """
        code, known = _find(self.keys[feature], key)
        known &= ~missing
        seen = self.seen.get(feature)
        if seen is not None:
            known &= _find(seen, group * self.width + code)[1]
        return np.where(known, code, len(self.keys[feature]) if self.has_null[feature] else np.nan)

    def codes_of_numbers(self, feature: int, values: Floats, group: Ints) -> Floats:
        """The same of keys (n_rows,) as numbers, NaN for NULL."""
        missing = np.isnan(values)
        missing |= np.abs(values) >= _BEYOND_KEYS  # numbers that no key can be
        return self.codes(feature, np.where(missing, 0, values).astype(np.int64), missing, group)

    def sides_of(self, split: Ints, code: Ints) -> Array:
        """(m,) uint8 where splits (m,) send categories (m,): LEFT, RIGHT or UNKNOWN."""
        if len(self.entries) == 0:
            return np.full(len(split), UNKNOWN, np.uint8)
        place, named = _find(self.entries, split * self.width + code)
        return np.where(named, self.sides[place], np.uint8(UNKNOWN))


def _find(sorted_: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    """(n,) the place of each number among the sorted ones, and whether it is there; 0 if there are none at all."""
    if len(sorted_) == 0:
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    place = np.minimum(np.searchsorted(sorted_, wanted), len(sorted_) - 1)
    found: Bools = sorted_[place] == wanted
    return place, found
