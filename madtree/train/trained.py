"""What a training has come to, as values; and the line that says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

import numpy as np

from madtree.learn.data import Floats
from madtree.records import dataclass
from madtree.trees import ModelKind
from madtree.wording import count_text


@dataclass(frozen=True)
class Trained:
    """What was trained.

    Attributes:
        model: its name, as the caller wrote it.
        kind: of model.
        n_classes: 0 for regression.
        n_failed: groups that have no tree.
        oob_error: the error on out-of-bag rows, of an ensemble without groups: the share of wrong predictions, or the
            mean squared error; None where there is none.
        losses: mean losses of the rows, by what these are called, of a boosted model without groups.
        seconds: that it took.
        sample: of its rows, as `sampled_rows` has them.
    """

    model: str
    kind: ModelKind
    n_classes: int
    n_rows: int
    n_trees: int
    n_leaves: int
    n_failed: int
    oob_error: float | None
    losses: Mapping[str, float]
    seconds: float = 0.0
    sample: Floats = field(default_factory=lambda: np.zeros((0, 0)), compare=False)


def line_of(trained: Trained) -> str:
    """One line that says what was trained."""
    n_rows, n_trees, n_leaves, n_failed = trained.n_rows, trained.n_trees, trained.n_leaves, trained.n_failed
    label = f"{trained.kind.label} for " if trained.kind.label else ""
    failed = f"{count_text(n_failed, 'group')} without any, " if n_failed else ""
    n_classes = trained.n_classes
    learned = "classification" if n_classes else "regression"
    if n_classes not in (0, 2):
        learned += f" ({count_text(n_classes, 'class')})"
    return (
        f"{trained.model}: {label}{learned}, "
        f"{count_text(n_rows, 'row')}, {count_text(n_trees, 'tree')}, {failed}"
        f"{count_text(n_leaves, 'leaf')}, {_error(trained)}{trained.seconds:.2f} s"
    )


def _error(trained: Trained) -> str:
    """The error on out-of-bag rows, and of what it is the mean; or the losses; empty where there are none."""
    error = trained.oob_error
    if error is None:
        return "".join(f"{name} loss {loss:.4g}, " for name, loss in trained.losses.items())
    if trained.n_classes:
        return f"out-of-bag error {error:.4g}, "
    return f"out-of-bag mean squared error {error:.4g} (its root {math.sqrt(max(error, 0.0)):.4g}), "
