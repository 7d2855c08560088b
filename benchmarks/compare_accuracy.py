"""How well madtree's trees predict, beside rpart's and scikit-learn's: the same data, splits, folds and limits.

Needs R with rpart (Debian: r-base-core r-cran-rpart) and the development environment. Writes
`benchmarks/accuracy/results.json`, and from it the tables of `docs/accuracy.md`.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg
from accuracy import page
from accuracy.comparison import run, versions_with
from accuracy.data_sets import DataSet, data_sets
from accuracy.learners import Outcomes, madtree_trees, rpart_trees, sklearn_trees


def main() -> None:
    run(__doc__, page, data_sets, compared, versions)


def compared(db: psycopg.Connection, data: DataSet, splits: list[np.ndarray]) -> dict[str, Any]:
    """Scores and leaves of each learner by split."""
    outcomes: Outcomes = {**madtree_trees(db, data, splits), **rpart_trees(data, splits), **sklearn_trees(data, splits)}
    truth = data.target.to_numpy()
    return {
        "source": data.source,
        "trees": {
            learner: {
                "scores": [
                    round(score(truth[folds == 0], outcome.predicted), 6)
                    for folds, outcome in zip(splits, of_learner, strict=True)
                ],
                "leaves": [outcome.leaves for outcome in of_learner],
            }
            for learner, of_learner in outcomes.items()
        },
    }


def score(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The share of right classes, or R squared."""
    if predicted.dtype.kind not in "fi":
        return float(np.mean(truth.astype(str) == predicted.astype(str)))
    return float(1 - np.sum((truth - predicted) ** 2) / np.sum((truth - truth.mean()) ** 2))


def versions(db: psycopg.Connection) -> str:
    ours, r, rpart = versions_with(db, "rpart")
    return f"madtree {ours}, rpart {rpart} (R {r}), scikit-learn {version('scikit-learn')}."


if __name__ == "__main__":
    main()
