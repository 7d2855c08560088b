"""The features of a model, and how each may be split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import Enum

from madtree.records import dataclass
from madtree.trees.node_record import NodeLayout

# Of an unordered feature; None is NULL, where that is a category of its own (null_as_category).
Categories = tuple[str | None, ...]


class FeatureKind(Enum):
    """How a feature may be split (semantics, section 2)."""

    CONTINUOUS = "continuous"  # float, numeric, dates and times (in seconds)
    ORDERED = "ordered"  # integers, and enums by 1-based position of their label
    UNORDERED = "unordered"  # boolean and text


@dataclass(frozen=True)
class Feature:
    """One feature of a model.

    Attributes:
        name: what users see and what stands in `<output>_nodes.feature`: a quoted-where-needed identifier, or the SQL
            expression as given. It is valid SQL over the training table's columns.
        type: SQL type as `format_type` prints it, e.g. ``double precision``, ``text``, ``boolean``, ``date``.
        kind: how it may be split.
        labels: for an enum its labels in order (a threshold of 2.5 lies between the second and the third), else empty.
        array: while training, SQL of the array whose next element this feature is, else None.
        null_last: of an ordered feature, whether NULL is a value of its own, larger than all others
            (null_as_category), and not a missing one.
    """

    name: str
    type: str
    kind: FeatureKind
    labels: tuple[str, ...] = ()
    array: str | None = field(default=None, compare=False)
    null_last: bool = False


def node_layout(features: Sequence[Feature], n_classes: int | None, *, weighted: bool) -> NodeLayout:
    """How nodes of trees over these features are packed; `n_classes` is None for numbers."""
    has_categories = any(feature.kind is FeatureKind.UNORDERED for feature in features)
    return NodeLayout(n_classes is not None, n_classes or 0, weighted, has_categories)
