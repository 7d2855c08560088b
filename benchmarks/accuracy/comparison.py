"""What the scripts that compare accuracy have in common: their command line, splits, and facts of a data set."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
import psycopg

from accuracy.data_sets import DataSet, is_text
from accuracy.learners import N_FOLDS, SCHEMA
from madtree.embedded import PrivateServer

N_SPLITS = 10


class Page(Protocol):
    """The module of a page."""

    def read(self) -> dict[str, Any]: ...

    def write(self, results: dict[str, Any]) -> None: ...


def run(
    description: str | None,
    page: Page,
    sets: Callable[[], Iterable[DataSet]],
    compared: Callable[[psycopg.Connection, DataSet, list[np.ndarray]], dict[str, Any]],
    versions: Callable[[psycopg.Connection], str],
) -> None:
    """Do what the command line says; the page is written after each data set.

    Args:
        description: of the script.
        compared: what the page shows of a data set beside its facts, from a list of folds by row (n_rows,), the first
            of which is held out.
        versions: of the programs.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
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
                splits = [data.folds(seed, N_FOLDS) for seed in range(N_SPLITS)]
                results["sets"][data.name] = {**facts(data), **compared(db, data, splits)}
                results["sets"] = {name: results["sets"][name] for name in order if name in results["sets"]}
                page.write(results)
                print(data.name, flush=True)
        db.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def facts(data: DataSet) -> dict[str, Any]:
    return {
        "rows": len(data.target),
        "features": data.features.shape[1],
        "categorical": sum(is_text(column) for _, column in data.features.items()),
        "missing": round(float(data.features.isna().to_numpy().mean()), 4),
        "classes": data.target.nunique() if data.is_classes else 0,
    }


def versions_with(db: psycopg.Connection, package: str) -> tuple[str, str, str]:
    """Of madtree, of R and of a package of R's."""
    ((ours,),) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'madtree'").fetchall()
    ask = f'cat(as.character(getRversion()), as.character(packageVersion("{package}")))'
    r, packages = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True, check=True).stdout.split()
    return ours, r, packages
