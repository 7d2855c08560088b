"""What a training has come to, as values; and the line that says it."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.learn.data import Bools
from madtree.trees import ModelKind


@dataclass(frozen=True)
class Trained:
    """What was trained.

    Attributes:
        model: its name, as the caller wrote it.
        kind: of model.
        is_classification: otherwise regression.
        n_failed: groups that have no tree.
        oob_error: the error on out-of-bag rows, of an ensemble without groups; None where there is none.
        is_tested: (n_trees,) of ensembles, whether any row is out of each tree's bag; in order of the trees' numbers.
        seconds: that it took.
    """

    model: str
    kind: ModelKind
    is_classification: bool
    n_rows: int
    n_trees: int
    n_leaves: int
    n_failed: int
    oob_error: float | None
    is_tested: Bools
    seconds: float = 0.0


def line_of(trained: Trained) -> str:
    """One line that says what was trained."""
    n_rows, n_trees, n_leaves, n_failed = trained.n_rows, trained.n_trees, trained.n_leaves, trained.n_failed
    label = f"{trained.kind.label} for " if trained.kind.label else ""
    failed = f"{n_failed} group{'s' * (n_failed != 1)} without any, " if n_failed else ""
    error = "" if trained.oob_error is None else f"out-of-bag error {trained.oob_error:.4g}, "
    return (
        f"{trained.model}: {label}{'classification' if trained.is_classification else 'regression'}, "
        f"{n_rows} row{'s' * (n_rows != 1)}, {n_trees} tree{'s' * (n_trees != 1)}, {failed}"
        f"{n_leaves} lea{'ves' if n_leaves != 1 else 'f'}, {error}{trained.seconds:.2f} s"
    )
