"""How well madtree's forests predict, beside scikit-learn's and ranger's: the same data, splits and limits.

Needs R with ranger (Debian: r-base-core r-cran-ranger) and the development environment. Writes
`benchmarks/accuracy/forest_results.json`, and from it the tables of `docs/forests.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg
from accuracy import forest_page as page
from accuracy.comparison import run, versions_with
from accuracy.data_sets import DataSet, data_sets, generated
from accuracy.forests import KINDS, Kind, madtree_forests, ranger_forests, sklearn_forests
from sklearn import datasets


def main() -> None:
    run(__doc__, page, sets, compared, versions)


def sets() -> Iterator[DataSet]:
    """Those that single trees are compared on, but Friedman's third, which is smaller, in place of his second."""
    yield from (data for data in data_sets() if data.name != "friedman2")
    made = datasets.make_friedman3(2000, noise=0.1, random_state=1)
    yield generated("friedman3", "make_friedman3", *made)


def compared(db: psycopg.Connection, data: DataSet, splits: list[np.ndarray]) -> dict[str, Any]:
    """Errors of each program by split, for each kind of forest."""
    return {"errors": {kind.name: errors(db, data, splits, kind) for kind in KINDS}}


def errors(db: psycopg.Connection, data: DataSet, splits: list[np.ndarray], kind: Kind) -> dict[str, list[float]]:
    truth = data.target.to_numpy()
    predictions = {
        **madtree_forests(db, data, splits, kind),
        **sklearn_forests(data, splits, kind),
        **ranger_forests(data, splits, kind),
    }
    return {
        program: [
            round(error(truth[folds == 0], predicted), 6) for folds, predicted in zip(splits, of_splits, strict=True)
        ]
        for program, of_splits in predictions.items()
    }


def error(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The share of wrong classes, or the mean squared error as a share of the variance."""
    if predicted.dtype.kind not in "fi":
        return float(np.mean(truth.astype(str) != predicted.astype(str)))
    return float(np.sum((truth - predicted) ** 2) / np.sum((truth - truth.mean()) ** 2))


def versions(db: psycopg.Connection) -> str:
    ours, r, ranger = versions_with(db, "ranger")
    return f"madtree {ours}, scikit-learn {version('scikit-learn')}, ranger {ranger} (R {r})."


if __name__ == "__main__":
    main()
