"""How well madtree's trees predict, beside rpart's and scikit-learn's: the same data, splits, folds and limits.

Needs R with rpart (Debian: r-base-core r-cran-rpart) and the development environment. Writes
`benchmarks/accuracy/results.json`, and from it the tables of `docs/accuracy.md`.
"""

from __future__ import annotations

import argparse
import subprocess
from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg
from accuracy import page
from accuracy.data_sets import DataSet, data_sets, is_text
from accuracy.learners import N_FOLDS, SCHEMA, Outcomes, madtree_trees, rpart_trees, sklearn_trees

from madtree.embedded import PrivateServer

N_SPLITS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="DATA", help="data sets to measure anew; default: all")
    parser.add_argument("--dsn", help="a server with madtree in it; default: your private server")
    parser.add_argument("--report", action="store_true", help="measure nothing: the page from the results")
    options = parser.parse_args()
    if options.report:
        page.write(page.read())
        return
    with psycopg.connect(options.dsn or PrivateServer(say=print).up(), autocommit=True, prepare_threshold=None) as db:
        db.execute("SET client_min_messages = error")
        results: dict[str, Any] = page.read() if options.wanted else {"sets": {}}
        results["versions"] = versions(db)
        for data in data_sets():
            if not options.wanted or data.name in options.wanted:
                results["sets"][data.name] = compared(db, data)
                print(data.name, flush=True)
        db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    page.write(results)


def compared(db: psycopg.Connection, data: DataSet) -> dict[str, Any]:
    """What the page shows of a data set: its shape, and scores and leaves of each learner by split."""
    splits = [data.folds(seed, N_FOLDS) for seed in range(N_SPLITS)]
    outcomes: Outcomes = {**madtree_trees(db, data, splits), **rpart_trees(data, splits), **sklearn_trees(data, splits)}
    truth = data.target.to_numpy()
    return {
        "source": data.source,
        "rows": len(data.target),
        "features": data.features.shape[1],
        "categorical": sum(is_text(column) for _, column in data.features.items()),
        "missing": round(float(data.features.isna().to_numpy().mean()), 4),
        "classes": data.target.nunique() if data.is_classes else 0,
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
    ((ours,),) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'madtree'").fetchall()
    ask = 'cat(as.character(getRversion()), as.character(packageVersion("rpart")))'
    r, rpart = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True, check=True).stdout.split()
    return f"madtree {ours}, rpart {rpart} (R {r}), scikit-learn {version('scikit-learn')}."


if __name__ == "__main__":
    main()
