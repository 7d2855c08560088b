"""How well madtree's forests predict, beside scikit-learn's and ranger's: the same data, splits and limits.

Needs R with ranger (Debian: r-base-core r-cran-ranger) and the development environment. Writes
`benchmarks/accuracy/forest_results.json`, and from it the tables of `docs/forests.md`.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg
from accuracy import forest_page as page
from accuracy.data_sets import DataSet, data_sets, generated, is_text
from accuracy.forests import KINDS, Kind, madtree_forests, ranger_forests, sklearn_forests
from accuracy.learners import N_FOLDS, SCHEMA
from sklearn import datasets

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
        results["versions"], order = versions(db), [data.name for data in sets()]
        for data in sets():
            if not options.wanted or data.name in options.wanted:
                results["sets"][data.name] = compared(db, data)
                results["sets"] = {name: results["sets"][name] for name in order if name in results["sets"]}
                page.write(results)
                print(data.name, flush=True)
        db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def sets() -> Iterator[DataSet]:
    """Those that single trees are compared on, but Friedman's third, which is smaller, in place of his second."""
    yield from (data for data in data_sets() if data.name != "friedman2")
    made = datasets.make_friedman3(2000, noise=0.1, random_state=1)
    yield generated("friedman3", "make_friedman3", *made)


def compared(db: psycopg.Connection, data: DataSet) -> dict[str, Any]:
    """What the page shows of a data set: errors of each program by split, for each kind of forest."""
    splits = [data.folds(seed, N_FOLDS) for seed in range(N_SPLITS)]
    return {
        "rows": len(data.target),
        "features": data.features.shape[1],
        "categorical": sum(is_text(column) for _, column in data.features.items()),
        "missing": round(float(data.features.isna().to_numpy().mean()), 4),
        "classes": data.target.nunique() if data.is_classes else 0,
        "errors": {kind.name: errors(db, data, splits, kind) for kind in KINDS},
    }


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
    ((ours,),) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'madtree'").fetchall()
    ask = 'cat(as.character(getRversion()), as.character(packageVersion("ranger")))'
    r, ranger = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True, check=True).stdout.split()
    return f"madtree {ours}, scikit-learn {version('scikit-learn')}, ranger {ranger} (R {r})."


if __name__ == "__main__":
    main()
