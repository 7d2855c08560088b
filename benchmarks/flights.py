"""How well a tree, a forest, boosted trees and LightGBM foresee the tutorial's late flights, and how long they take.

Each learns from `demo.flights_train`, and is judged by `demo.flights_held_out`, which none has seen. Where settings are
looked for, they are those with the least log loss on a tenth of the training rows; boosted models stop by it, too.
Prints the table of `docs/tutorial-boosting.md`. Needs the development environment; the data are those of the demo.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# On a busy machine LightGBM's threads are quicker where they wait asleep; the library reads this when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import lightgbm
import numpy as np
import pandas as pd
import psycopg
from measure import machine
from measure.readme import table as markdown
from rich.console import Console
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from madtree.cli.demo.flights import find_flights
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.tables import load, prepare
from madtree.embedded import PrivateServer

FEATURES = ["carrier", "origin", "dest", "month", "weekday", "dep_minute", "arr_minute", "distance"]
TEXTS = FEATURES[:3]
ROUNDS, PATIENCE, FRACTION = 3_000, 50, 0.1
HEADINGS = ["", "settings", "trees", "accuracy", "log loss", "AUC", "seconds"]
# By name: the function, and what it is given beside the table.
OURS = {
    "a tree": ("tree", "max_depth => 60, min_bucket => 100, pruning_params => 'cp=-1'"),
    "a tree, pruned by ten-fold cross-validation": ("tree", "max_depth => 14, pruning_params => 'n_folds=10'"),
    "a forest of 100 trees": ("forest", "num_trees => 100, min_bucket => 20, importance => false"),
    "boosting, as it is by itself": ("boost", "validation_params => 'fraction={fraction}'"),
}
BOOSTED = (
    "num_trees => {rounds}, learning_rate => {learning_rate}, max_leaf_nodes => {leaves}, min_bucket => {rows}, "
    "validation_params => 'fraction={fraction}, n_iter_no_change={patience}'"
)
GRID: dict[str, list[Any]] = {"leaves": [31, 127], "rows": [20, 100], "learning_rate": [0.1, 0.05]}


@dataclass(frozen=True)
class Judged:
    """A row of the table: `chosen` settings, number of `trees`, `loss` on the rows that settings are chosen by."""

    name: str
    chosen: dict[str, Any]
    trees: int
    probable: np.ndarray
    seconds: float
    loss: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no grids: a look at whether it works")
    parser.add_argument("--dsn", help="a server with madtree on this machine; default: your private one")
    options = parser.parse_args()
    with psycopg.connect(options.dsn or PrivateServer().up(), autocommit=True) as db:
        rows = measured(db, options.quick)
    print(f"{machine.processor()}, load {machine.load():.0%}, LightGBM {lightgbm.__version__}\n")
    print("\n".join(markdown(HEADINGS, rows)))


def measured(db: psycopg.Connection, quick: bool) -> list[list[str]]:
    db.execute("CREATE EXTENSION IF NOT EXISTS madtree CASCADE")
    prepare(db, ())
    load(Screen(Console(quiet=True), db), find_flights(None, say=list))
    actual = read(db, "demo.flights_held_out")["late"].to_numpy(bool)
    return [shown(judged, actual) for judged in all_judged(db, quick)]


def all_judged(db: psycopg.Connection, quick: bool) -> Iterator[Judged]:
    for name, (kind, options) in OURS.items():
        yield by_madtree(db, name, kind, options.format(fraction=FRACTION))
    none = {name: values[:1] for name, values in GRID.items()}
    yield best(none if quick else GRID, lambda chosen: boosted(db, chosen))
    frame, new = read(db, "demo.flights_train"), read(db, "demo.flights_held_out")
    yield quicker(frame, new, best_of_lightgbm(frame, new, none if quick else GRID))


def best(grid: dict[str, list[Any]], judge: Callable[[dict[str, Any]], Judged]) -> Judged:
    """That of the settings with the least loss on the rows held out of training."""
    tried = []
    for values in itertools.product(*grid.values()):
        tried.append(judge(dict(zip(grid, values, strict=True))))
        print(
            f"{tried[-1].name}: {told(tried[-1].chosen)}, {tried[-1].loss:.5f}, {tried[-1].seconds:.1f} s", flush=True
        )
    return min(tried, key=lambda judged: judged.loss)


def by_madtree(db: psycopg.Connection, name: str, kind: str, options: str) -> Judged:
    began = time.perf_counter()
    db.execute(
        f"SELECT madtree.{kind}_train('demo.flights_train', 'demo.m', 'id', 'late', '{', '.join(FEATURES)}', "
        f"replace => true, {options})"
    )
    seconds = time.perf_counter() - began
    type_ = "prob_mean" if kind == "forest" else "prob"
    db.execute("DROP TABLE IF EXISTS demo.scored")
    db.execute(f"SELECT madtree.{kind}_predict('demo.m', 'demo.flights_held_out', 'demo.scored', '{type_}')")
    scored = db.execute(
        "SELECT estimated_prob_true FROM demo.scored JOIN demo.flights_held_out USING (id) WHERE late IS NOT NULL "
        "ORDER BY id"
    ).fetchall()
    (trees,) = db.execute("SELECT count(*) FROM demo.m").fetchone() or (0,)
    loss = 0.0
    if kind == "boost":
        (loss,) = db.execute("SELECT validation_loss FROM demo.m_group").fetchone() or (0.0,)
    return Judged(name, {}, trees, np.array(scored, np.float64)[:, 0], seconds, loss)


def boosted(db: psycopg.Connection, chosen: dict[str, Any]) -> Judged:
    options = BOOSTED.format(rounds=ROUNDS, patience=PATIENCE, fraction=FRACTION, **chosen)
    found = by_madtree(db, "boosting, its settings chosen", "boost", options)
    return Judged(found.name, chosen, found.trees, found.probable, found.seconds, found.loss)


def told(chosen: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in chosen.items())


def read(db: psycopg.Connection, relation: str) -> pd.DataFrame:
    """The rows with an outcome as LightGBM takes them: categories as pandas has them, those of all flights."""
    query = f"SELECT {', '.join(FEATURES)}, late, madtree.holdout(id, {FRACTION}) AS held FROM {relation}"
    cursor = db.execute(f"{query} WHERE late IS NOT NULL ORDER BY id")
    frame = pd.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description or ()])
    for name in TEXTS:
        known = [value for (value,) in db.execute(f"SELECT DISTINCT {name} FROM demo.flights ORDER BY 1")]
        frame[name] = pd.Categorical(frame[name], known)
    return frame


def best_of_lightgbm(frame: pd.DataFrame, new: pd.DataFrame, grid: dict[str, list[Any]]) -> Judged:
    return best(grid, lambda chosen: by_lightgbm(frame, new, chosen, 0))


def quicker(frame: pd.DataFrame, new: pd.DataFrame, with_all: Judged) -> Judged:
    """With all threads or with one, whichever takes less time."""
    return min(with_all, by_lightgbm(frame, new, with_all.chosen, 1), key=lambda judged: judged.seconds)


def by_lightgbm(frame: pd.DataFrame, new: pd.DataFrame, chosen: dict[str, Any], threads: int) -> Judged:
    """`threads`: 0 for all."""
    parameters = {
        "num_threads": threads,
        "objective": "binary",
        "num_leaves": chosen["leaves"],
        "min_data_in_leaf": chosen["rows"],
        "learning_rate": chosen["learning_rate"],
        "verbose": -1,
    }
    held = frame["held"].to_numpy(bool)
    began = time.perf_counter()
    training = lightgbm.Dataset(frame.loc[~held, FEATURES], frame.loc[~held, "late"].astype(int))
    validation = lightgbm.Dataset(frame.loc[held, FEATURES], frame.loc[held, "late"].astype(int), reference=training)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    booster = lightgbm.train(parameters, training, ROUNDS, [validation], callbacks=[stop])
    seconds = time.perf_counter() - began
    loss = booster.best_score["valid_0"]["binary_logloss"]
    probable = np.asarray(booster.predict(new[FEATURES]))
    return Judged("LightGBM, its settings chosen", chosen, booster.best_iteration, probable, seconds, loss)


def shown(judged: Judged, actual: np.ndarray) -> list[str]:
    probable = np.clip(judged.probable, 1e-15, 1 - 1e-15)
    figures = accuracy_score(actual, probable > 0.5), log_loss(actual, probable), roc_auc_score(actual, probable)
    row = [
        judged.name,
        told(judged.chosen),
        f"{judged.trees}",
        *(f"{value:.4f}" for value in figures),
        f"{judged.seconds:.1f}",
    ]
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
