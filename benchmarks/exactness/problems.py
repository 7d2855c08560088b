"""Random small problems of boosting, each of its number alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CLASS_LOSSES = ("log_loss", "log_loss of 3", "exponential")
LOSSES = (*CLASS_LOSSES, "squared_error", "poisson", "gamma", "absolute_error", "quantile", "huber")
LEVELS = {"absolute_error": 0.5, "quantile": 0.75, "huber": 0.9}
N_ROUNDS = 5


@dataclass(frozen=True)
class Problem:
    """Rows, and how trees are to be grown on them.

    Attributes:
        features: (n_rows, n_features), categories as 0, 1, ...; NaN where a value is missing.
        has_categories: (n_features,) whether a feature's values are categories.
        outcome: (n_rows,) numbers that single precision holds; of classes 0, 1, 2.
        weight: (n_rows,), None where all are 1.
        monotone: (n_features,) 1, -1 or 0.
        interactions: groups of features, together all of them; empty for any.
    """

    number: int
    loss: str
    features: Floats
    has_categories: NDArray[np.bool_]
    outcome: Floats
    weight: Floats | None
    learning_rate: float
    max_leaf_nodes: int
    max_depth: int
    min_bucket: int
    l2: float
    min_gain: float
    monotone: tuple[int, ...]
    interactions: tuple[tuple[int, ...], ...]

    @property
    def n_scores(self) -> int:
        return 3 if self.loss == "log_loss of 3" else 1

    @property
    def is_of_quantiles(self) -> bool:
        return self.loss in LEVELS

    @property
    def weights(self) -> Floats:
        return np.ones(len(self.outcome)) if self.weight is None else self.weight


def random_problem(number: int, loss: str, *, categories: bool = True) -> Problem:
    rng = np.random.default_rng(number)
    n_rows = int(rng.choice([40, 150, 400, 1_000]))
    n_features = int(rng.integers(1, 6))
    columns, has_categories, effect = [], [], np.zeros(n_rows)
    for _ in range(n_features):
        is_category = categories and rng.random() < 0.25
        n_values = int(rng.integers(2, 13)) if is_category else int(rng.choice([2, 5, 20, 90]))
        values = rng.integers(0, n_values, n_rows).astype(float)
        if not is_category and rng.random() < 0.3:
            values = np.floor(values**2 / n_values)  # uneven
        effect += rng.normal(size=n_values)[values.astype(int)] if is_category else rng.normal() * values / n_values
        missing = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.1, 0.4])
        if rng.random() < 0.3:
            missing &= effect > np.median(effect)
        effect += missing * rng.normal()
        columns.append(np.where(missing, np.nan, values if is_category else values / 4 - rng.integers(0, 4)))
        has_categories.append(is_category)
    empty = np.isnan(columns).all(axis=0)  # such rows would be left out
    columns[0][empty] = 0.0
    effect += columns[0] * np.sin(np.nan_to_num(columns[-1])) if not has_categories[0] else 0.0
    effect = np.nan_to_num(effect) + rng.normal(size=n_rows) * rng.choice([0.1, 0.5, 2.0])
    is_monotone = loss != "log_loss of 3" and loss not in LEVELS and rng.random() < 0.3
    groups = [tuple(np.flatnonzero(rng.random(n_features) < 0.6).tolist()) for _ in range(2)]
    rest = tuple(i for i in range(n_features) if not any(i in group for group in groups))
    return Problem(
        number,
        loss,
        np.stack(columns, axis=1),
        np.array(has_categories),
        _outcome(rng, loss, effect),
        (None, None, rng.integers(1, 5, n_rows).astype(float), rng.integers(1, 40, n_rows) / 8.0)[rng.integers(4)],
        learning_rate=float(rng.choice([0.1, 0.3, 1.0])),
        max_leaf_nodes=int(rng.choice([2, 4, 8, 31])),
        max_depth=int(rng.choice([1, 2, 4, 60, 60])),
        min_bucket=int(rng.choice([1, 1, 3, 10, 20])),
        l2=float(rng.choice([0.0, 0.0, 1.0, 10.0])),
        min_gain=float(rng.choice([0.0, 0.0, 0.5])),
        monotone=tuple(0 if category or not is_monotone else int(rng.integers(-1, 2)) for category in has_categories),
        interactions=tuple(group for group in (*groups, rest) if group) if rng.random() < 0.25 else (),
    )


def _outcome(rng: np.random.Generator, loss: str, effect: Floats) -> Floats:
    effect = (effect - effect.mean()) / effect.std()
    if loss == "log_loss of 3":
        found = np.digitize(effect, [-0.5, 0.6]).astype(float)
        found[:3] = 0.0, 1.0, 2.0
    elif loss in CLASS_LOSSES:
        found = (effect > rng.choice([0.0, 0.7])).astype(float)
        found[:2] = 0.0, 1.0
    elif loss == "poisson":
        found = rng.poisson(np.exp(effect / 2)).astype(float)
        found[0] = 1.0
    elif loss == "gamma":
        found = rng.gamma(2, np.exp(effect / 3)) + 0.01
    else:
        found = effect * 5
    return np.round(found * 1024) / 1024
