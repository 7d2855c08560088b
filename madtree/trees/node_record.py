"""How a node is packed into bytes: whoever grows trees writes it, and readers take it apart."""

from __future__ import annotations

from collections.abc import Iterable

from madtree.records import dataclass

FIELD_SIZES = {"i4": 4, "u4": 4, "i8": 8, "f8": 8}
MOST_ROWS_IN_BAG = 2**32 - 1  # of a tree, by `n_rows`


@dataclass(frozen=True)
class NodeLayout:
    """The record of a node, which has one size for all nodes of a model. What follows from the rest is left out.

    `feature` is the position from 1, below 0 where the majority goes right, 0 in a leaf; `prediction` a number, or the
    class's position from 1. The `n_left` categories that a split sends left, and then the `n_right` others, are in
    `category_sets` from `categories` on, counted from 0; it is -1 where a node does not split by categories. NaN stands
    for no number. Behind the fields is the weight of each class: a float8, or, where rows have no weights, how many
    they are, as 4 bytes without a sign.

    Attributes:
        is_classification: otherwise predictions are numbers.
        n_classes: 0 where they are numbers.
        weighted: whether rows have weights. Without them a node's weight is the number of its rows.
        has_categories: whether any feature is unordered. If none is, nodes have no fields for categories.
    """

    is_classification: bool
    n_classes: int
    weighted: bool
    has_categories: bool

    @property
    def has_risk(self) -> bool:
        """Whether records have a `risk`. Without it a node's is the number of its rows less those of the predicted
        class: without weights both are whole numbers, and a class counts as many as it has rows.
        """
        return self.weighted or not self.is_classification

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The fields but the weights of the classes: each one's name, and numpy's code of its type."""
        return (
            ("node_id", "i8"),
            ("n_rows", "u4"),
            ("feature", "i4"),
            ("prediction", "i4" if self.is_classification else "f8"),
            *_named(("threshold", "improvement", "impurity", "complexity"), "f8"),
            *_named(("weight",) * self.weighted + ("risk",) * self.has_risk, "f8"),
            *_named(("categories", "n_left", "n_right") * self.has_categories, "i4"),
        )

    @property
    def weight_of_class(self) -> str:
        """numpy's code of the type of a class's weight. Without weights a class counts as many as it has rows."""
        return "f8" if self.weighted else "u4"

    @property
    def big_endian(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """The whole record as numpy describes a dtype; `class_weights` are the last field."""
        fields: list[tuple[str, str, tuple[int, ...]]] = [(name, f">{kind}", ()) for name, kind in self.fields]
        return [*fields, ("class_weights", f">{self.weight_of_class}", (self.n_classes,))]

    @property
    def fixed_size(self) -> int:
        """Bytes of a record without its weights of classes."""
        return sum(FIELD_SIZES[kind] for _, kind in self.fields)

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return self.fixed_size + FIELD_SIZES[self.weight_of_class] * self.n_classes


def _named(names: Iterable[str], kind: str) -> list[tuple[str, str]]:
    return [(name, kind) for name in names]
