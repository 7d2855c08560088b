"""The rows of results, as editors and type checkers know them.

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


class PrunedRow(Row, Protocol):
    """A tree that pruning makes of a model's, as rpart's printcp lists it."""

    tree_id: int
    group_values: dict[str, Any] | None
    cp: float
    n_splits: int
    rel_error: float | None
    xerror: float | None
    xstd: float | None
    chosen: bool
    root_error: float


class RuleRow(Row, Protocol):
    """A leaf as a rule."""

    tree_id: int
    group_values: dict[str, Any] | None
    node_id: int
    rule: str
    predicate: str
    n_rows: int
    share: float
    prediction: str
    confidence: float | None
    mean: float | None
    sd: float | None


class StepRow(Row, Protocol):
    """A node on a row's path."""

    step: int
    tree_id: int
    node_id: int
    feature: str | None
    condition: str | None
    value: str | None
    branch: str | None
    reason: str
    explanation: str
    n_rows: int
    prediction: str
    confidence: float | None


class ConfusionRow(Row, Protocol):
    """A cell of the confusion matrix."""

    tree_id: int
    group_values: dict[str, Any] | None
    actual: str
    predicted: str
    n: int
    weight: float


class CurveRow(Row, Protocol):
    """A point of a curve: rows that are given about as much probability, and all that are given at least as much."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    threshold: float
    n: int
    estimated: float
    actual: float
    share: float
    recall: float | None
    false_positive_rate: float | None
    precision: float
    lift: float | None


class DriftRow(Row, Protocol):
    """How far the values of a feature have moved; without a feature, the leaves."""

    feature: str | None
    psi: float
    missing: float | None
    missing_before: float | None
    outside: float | None
    n: int


class ReliabilityRow(Row, Protocol):
    """Rows that are given a probability between `low` and `high`, which belongs to them."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    low: float
    high: float
    n: int
    estimated: float
    actual: float
    share: float
    expected_calibration_error: float


class QuantileRow(Row, Protocol):
    """How far predictions may be off at a level."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    level: float
    n: int
    quantile: float | None


class TriedRow(Row, Protocol):
    """The score of a setting on the rows of a fold; the setting's parameters are columns of their names."""

    setting: int
    fold: int
    score: float | None
    seconds: float
    share: float
    is_best: bool


class DependenceRow(Row, Protocol):
    """What a model predicts where rows have one value of a feature, or a pair of values of two."""

    class_: str | None
    value: str
    number: float | None
    value_2: str | None
    number_2: float | None
    id: str | None
    estimated: float
    n: int


class PermutedRow(Row, Protocol):
    """How much worse a model predicts where the values of a feature, or of some, are exchanged among rows."""

    features: str
    metric: str
    value: float
    importance: float
    stddev: float
    n: int


class ExplainedRow(Row, Protocol):
    """What a feature contributes to the prediction of a row; of rank 0 what is expected of any row."""

    class_: str | None
    rank: int
    feature: str | None
    value: str | None
    contribution: float
    estimated: float


class StagedRow(Row, Protocol):
    """How good the first rounds of a boosted model are."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    num_trees: int
    n: int
    loss: float | None
    metric: str
    value: float | None


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
