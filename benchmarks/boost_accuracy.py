"""How well madtree's boosted models predict, beside LightGBM's, XGBoost's and CatBoost's, all by their own defaults.

Needs the benchmarks' packages (`scripts/setup bench`). Writes `benchmarks/accuracy/boost_results.json`, and from it the
tables of `docs/boosting.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import psycopg
from accuracy import boost_page as page
from accuracy.boosting import OTHERS, labels, madtree_boosting, others
from accuracy.comparison import run
from accuracy.data_sets import DataSet, data_sets, generated
from sklearn import datasets

TOO_SMALL = ("mtcars",)  # with 20 rows a leaf, nobody splits it
LEAST_PROBABILITY = 1e-15


def main() -> None:
    run(__doc__, page, sets, compared, versions)


def sets() -> Iterator[DataSet]:
    """Those that forests are compared on, and two with categories by the thousand."""
    yield from (data for data in data_sets() if data.name not in (*TOO_SMALL, "friedman2"))
    made = datasets.make_friedman3(2000, noise=0.1, random_state=1)
    yield generated("friedman3", "make_friedman3", *made)
    yield of_many_categories("postcodes", n_rows=20_000, n_categories=2_000, is_classes=True)
    yield of_many_categories("shops", n_rows=20_000, n_categories=1_000, is_classes=False)


def of_many_categories(name: str, n_rows: int, n_categories: int, *, is_classes: bool) -> DataSet:
    """Categories of uneven sizes, each with an effect of its own, beside four numbers."""
    rng = np.random.default_rng(1)
    share = rng.gamma(1.0, size=n_categories)
    category = rng.choice(n_categories, n_rows, p=share / share.sum())
    numbers = rng.normal(size=(n_rows, 4))
    score = rng.normal(size=n_categories)[category] + numbers[:, 0] + numbers[:, 1] * numbers[:, 2]
    score += rng.logistic(size=n_rows)
    columns = {f"x{i + 1}": numbers[:, i] for i in range(4)}
    columns["place"] = np.array([f"p{number}" for number in category], dtype=object)
    target = pd.Series(np.where(score > 0, "yes", "no").astype(object)) if is_classes else pd.Series(score)
    return DataSet(name, "generated, with many categories", pd.DataFrame(columns), target)


def compared(db: psycopg.Connection, data: DataSet, splits: list[np.ndarray]) -> dict[str, Any]:
    """Losses of each program by split."""
    said = {"madtree": madtree_boosting(db, data, splits), **others(data, splits)}
    place = {label: i for i, label in enumerate(labels(data))} if data.is_classes else None
    truth = (data.target.map(place) if place else data.target).to_numpy()
    return {
        "losses": {
            program: [round(loss(truth[folds == 0], each), 6) for folds, each in zip(splits, of_splits, strict=True)]
            for program, of_splits in said.items()
        }
    }


def loss(truth: np.ndarray, said: np.ndarray) -> float:
    """The mean of -log p of the class that a row has, or the mean squared error as a share of the variance."""
    if said.ndim == 2:
        own = said[np.arange(len(truth)), truth]
        return float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean())
    return float(np.sum((truth - said) ** 2) / np.sum((truth - truth.mean()) ** 2))


def versions(db: psycopg.Connection) -> str:
    ((ours,),) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'madtree'").fetchall()
    return ", ".join([f"madtree {ours}", *(f"{name} {version(name.lower())}" for name in OTHERS)]) + "."


if __name__ == "__main__":
    main()
