"""The rows of models' tables, as editors and type checkers know them; those of functions are in functions.pyi.

A row is a named tuple, made of what the server sends: it may have more columns than are listed here, such as those of a
model's groups.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Protocol


class Row(Protocol):
    """A named tuple."""

    def __getitem__(self, place: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...


class TreeRow(Row, Protocol):
    """A tree of a model."""

    tree_id: int
    n_rows: int
    n_nodes: int
    n_leaves: int
    tree_depth: int
    pruning_cp: float
    root_risk: float
    impurity_var_importance: list[float]
    success: bool
    message: str | None


class NodeRow(Row, Protocol):
    """A node: the root is 0, the children of i are 2i + 1 and 2i + 2. What a leaf has not is None."""

    tree_id: int
    node_id: int
    parent_id: int | None
    depth: int
    is_leaf: bool
    feature: str | None
    threshold: float | None
    left_levels: list[str | None] | None
    right_levels: list[str | None] | None
    majority_left: bool | None
    n_rows: int
    weight: float
    impurity: float
    risk: float
    complexity: float
    improvement: float | None
    prediction: Any
    class_weights: list[float] | None


class SurrogateRow(Row, Protocol):
    """A surrogate of a node, by rank from 1."""

    tree_id: int
    node_id: int
    rank: int
    feature: str
    threshold: float | None
    left_levels: list[str | None] | None
    right_levels: list[str | None] | None
    low_goes_left: bool
    agreement: float
    adjusted_agreement: float


class CompetitorRow(Row, Protocol):
    """The best split of a node by another feature than its own, by rank from 1."""

    tree_id: int
    node_id: int
    rank: int
    feature: str
    threshold: float | None
    left_levels: list[str | None] | None
    right_levels: list[str | None] | None
    improvement: float


class CpRow(Row, Protocol):
    """A row of the cp table."""

    cp: float
    n_splits: int
    rel_error: float
    cv_error_avg: float
    cv_error_stddev: float
    xerror: float
    xstd: float
    chosen: bool


class TriedRow(Row, Protocol):
    """The score of a setting on the rows of a fold; the setting's parameters are columns of their names."""

    setting: int
    fold: int
    score: float | None
    seconds: float
    share: float
    is_best: bool


class ImportanceRow(Row, Protocol):
    """A feature: its share of the importance in percent, and the sum itself; by permutation, too, where that is told.
    """  # fmt: skip

    feature: str
    impurity_var_importance: float
    raw_importance: float


class ModelRow(Row, Protocol):
    """A model that the session's user can see."""

    model: str
    schema: str
    name: str
    owner: str
    kind: str
    source_table: str
    dependent: str
    n_rows: int
    n_trees: int
    depth: int
    n_leaves: int
    parameters: dict[str, Any]
    version: str
    trained_at: dt.datetime
    age: dt.timedelta


class MetricRow(Row, Protocol):
    """A metric of a model, or of one of its trees."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    metric: str
    value: float | None
