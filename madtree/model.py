"""A trained model as plain values: what the renderers, the scorer and the model tables have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
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
    """

    name: str
    type: str
    kind: Kind
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Node:
    """One row of `<output>_nodes` (design, section 5.5)."""

    node_id: int
    depth: int
    is_leaf: bool
    feature: str | None
    threshold: float | None  # ordered and continuous: true branch is feature <= threshold
    left_levels: tuple[str, ...] | None  # unordered: true branch; booleans as 'true' / 'false'
    right_levels: tuple[str, ...] | None  # unordered: false branch; levels in neither go the majority's way
    majority_left: bool | None
    n_rows: int
    weight: float
    impurity: float
    risk: float
    complexity: float
    improvement: float | None
    prediction: str | float | None  # a class label as text, or the mean
    class_weights: tuple[float, ...] | None

    @property
    def parent_id(self) -> int | None:
        return None if self.node_id == 0 else (self.node_id - 1) // 2

    @property
    def left_id(self) -> int:
        return 2 * self.node_id + 1

    @property
    def right_id(self) -> int:
        return 2 * self.node_id + 2


@dataclass(frozen=True)
class Tree:
    """One tree: its nodes by id, and the values of its grouping columns as SQL text (``None`` where not grouped)."""

    tree_id: int
    nodes: dict[int, Node]
    group: tuple[str, ...] = ()
    n_rows: int = 0


@dataclass(frozen=True)
class Model:
    """A model as read back from its tables.

    Attributes:
        name: the output name as the user gave it.
        source_table: the training table as the user gave it.
        id_column: the id column or expression, as SQL.
        dependent: the dependent variable, as SQL (quoted where needed).
        dependent_type: SQL type of the dependent.
        is_classification: otherwise regression.
        classes: class labels as text, in the dependent's SQL order; empty for regression.
        features: in the order of `independent_varnames`.
        grouping_columns: as SQL, with `grouping_types` their SQL types.
        trees: by ascending tree_id.
    """

    name: str
    source_table: str
    id_column: str
    dependent: str
    dependent_type: str
    is_classification: bool
    classes: tuple[str, ...]
    features: tuple[Feature, ...]
    grouping_columns: tuple[str, ...] = ()
    grouping_types: tuple[str, ...] = ()
    trees: tuple[Tree, ...] = ()
    weighted: bool = False
    summary: dict[str, object] = field(default_factory=dict)

    def feature(self, name: str) -> Feature:
        """The feature of that name. Raises KeyError if the model has none."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)
