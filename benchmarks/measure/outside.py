"""The other way: take the rows out of the database and train there."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import adbc_driver_postgresql.dbapi
import lightgbm
import numpy as np
import pandas as pd
import psycopg
import shap
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import madtree
from measure.apart import Quickest
from measure.inside import TrainForest
from measure.session import Session
from measure.table import SCHEMA, Table
from measure.timing import Action, Lap, Parts

COPY_HEADER = 19  # bytes: signature, flags, length of the header extension
COPY_TRAILER = 2

LIGHTGBM = {
    "objective": "binary",
    "max_bin": 100,
    "max_depth": 10,
    "num_leaves": 1024,
    "min_data_in_leaf": 7,
    "verbose": -1,
}
# A forest of the same shape: the rows that differ in a bootstrap sample, and the root of the number of features.
LIGHTGBM_FOREST = {
    "objective": "binary",
    "boosting": "rf",
    "bagging_freq": 1,
    "bagging_fraction": 0.632,
    "max_bin": 100,
    "max_depth": 12,
    "num_leaves": 4096,
    "min_data_in_leaf": 1,
    "verbose": -1,
}


def query(table: Table) -> str:
    return f"SELECT {', '.join(table.features)}, y FROM {table.relation}"


def by_adbc(dsn: str, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, n_columns) and labels (n,) through Arrow's database driver."""
    with adbc_driver_postgresql.dbapi.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute(query(table))
        arrow = cursor.fetch_arrow_table()
    return np.column_stack([arrow[name].to_numpy() for name in table.features]), arrow["y"].to_numpy()


def by_copy(dsn: str, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """The same through COPY in its binary format, whose rows have a fixed length where nothing is NULL."""
    fields = [(f"size_{name}", ">i4") for name in [*table.features, "y"]]
    values = [(name, ">f8") for name in table.features] + [("y", ">i4")]
    row = np.dtype([("n_fields", ">i2"), *(field for pair in zip(fields, values, strict=True) for field in pair)])
    buffer = io.BytesIO()
    statement = f"COPY ({query(table)}) TO STDOUT (FORMAT binary)"
    with psycopg.connect(dsn) as connection, connection.cursor().copy(statement) as copy:
        for block in copy:
            buffer.write(block)
    content = buffer.getbuffer()
    count = (len(content) - COPY_HEADER - COPY_TRAILER) // row.itemsize
    rows = np.frombuffer(content, row, count, COPY_HEADER)
    return np.column_stack([rows[name].astype(np.float64) for name in table.features]), rows["y"].astype(np.int32)


def by_rows(dsn: str, table: Table) -> tuple[pd.DataFrame, pd.Series]:
    """As most people do it: rows through psycopg into a DataFrame."""
    with psycopg.connect(dsn) as connection:
        frame = pd.DataFrame(connection.execute(query(table)).fetchall(), columns=[*table.features, "y"])
    return frame[list(table.features)], frame["y"]


ROUTES = {"ADBC": by_adbc, "binary COPY": by_copy, "psycopg, pandas": by_rows}


@dataclass(frozen=True)
class Extract:
    """The rows alone."""

    table: Table
    route: str

    def action(self, session: Session) -> Action:
        def run() -> None:
            ROUTES[self.route](session.dsn, self.table)

        return Action(run)


@dataclass(frozen=True)
class LightGBM:
    """Extract, bin, grow one tree of the same shape. `threads` 0 lets LightGBM take all cores."""

    table: Table
    threads: int = 0
    route: str = "ADBC"

    def action(self, session: Session) -> Action:
        parameters = {**LIGHTGBM, "num_threads": self.threads}

        def run() -> Parts:
            lap = Lap()
            x, y = ROUTES[self.route](session.dsn, self.table)
            lap.end("extract")
            dataset = lightgbm.Dataset(x, y, params=parameters).construct()
            lap.end("dataset")
            lightgbm.train(parameters, dataset, num_boost_round=1)
            lap.end("train")
            return lap.parts

        return Action(run)


def lightgbm_at_its_best(table: Table, route: str = "ADBC") -> Quickest:
    """One tree, with the number of threads that is quickest."""
    return Quickest({"all threads": LightGBM(table, route=route), "one thread": LightGBM(table, 1, route)})


@dataclass(frozen=True)
class ScikitLearn:
    """Extract, then an exact tree of the same shape."""

    table: Table
    route: str = "psycopg, pandas"

    def action(self, session: Session) -> Action:
        def run() -> Parts:
            lap = Lap()
            x, y = ROUTES[self.route](session.dsn, self.table)
            lap.end("extract")
            DecisionTreeClassifier(max_depth=10, min_samples_split=20, min_samples_leaf=7).fit(x, y)
            lap.end("train")
            return lap.parts

        return Action(run)


@dataclass(frozen=True)
class ScikitLearnSearch:
    """Extract, then scikit-learn's grid search with five folds: of exact trees, with a process for each core, or of a
    tree of its gradient boosting by histograms, whose threads take all cores.
    """

    table: Table
    grid: Mapping[str, Sequence[int]] = field(hash=False)
    by_histograms: bool = False

    def action(self, session: Session) -> Action:
        kind: object = DecisionTreeClassifier(min_samples_split=20)
        if self.by_histograms:
            kind = HistGradientBoostingClassifier(
                max_iter=1, max_bins=100, max_leaf_nodes=None, learning_rate=1, early_stopping=False
            )

        def run() -> Parts:
            lap = Lap()
            x, y = by_adbc(session.dsn, self.table)
            lap.end("extract")
            folds = StratifiedKFold(5, shuffle=True, random_state=1)
            grid = {name: list(values) for name, values in self.grid.items()}
            GridSearchCV(kind, grid, cv=folds, n_jobs=None if self.by_histograms else -1).fit(x, y)
            lap.end("search")
            return lap.parts

        return Action(run)


@dataclass(frozen=True)
class LightGBMForest:
    """Extract, bin, grow a forest. `threads` as above."""

    table: Table
    n_trees: int
    threads: int = 0

    def action(self, session: Session) -> Action:
        n_columns = len(self.table.features)
        share = isqrt(n_columns) / n_columns
        parameters = {**LIGHTGBM_FOREST, "feature_fraction_bynode": share, "num_threads": self.threads}

        def run() -> Parts:
            lap = Lap()
            x, y = by_adbc(session.dsn, self.table)
            lap.end("extract")
            dataset = lightgbm.Dataset(x, y, params=parameters).construct()
            lap.end("dataset")
            lightgbm.train(parameters, dataset, num_boost_round=self.n_trees)
            lap.end("train")
            return lap.parts

        return Action(run)


def lightgbm_forest_at_its_best(table: Table, n_trees: int) -> Quickest:
    return Quickest(
        {"all threads": LightGBMForest(table, n_trees), "one thread": LightGBMForest(table, n_trees, 1)},
    )


@dataclass(frozen=True)
class LightGBMBoosting:
    """Extract, bin, grow boosted trees of 31 leaves, with 255 bins. `threads` as above, `goss` as on both sides."""

    table: Table
    n_trees: int
    threads: int = 0
    goss: bool = False

    @property
    def parameters(self) -> dict[str, object]:
        sampling = {"data_sample_strategy": "goss"} if self.goss else {}
        return {"objective": "binary", "verbose": -1, "num_threads": self.threads, **sampling}

    def action(self, session: Session) -> Action:
        def run() -> Parts:
            lap = Lap()
            x, y = by_adbc(session.dsn, self.table)
            lap.end("extract")
            dataset = lightgbm.Dataset(x, y, params=self.parameters).construct()
            lap.end("dataset")
            lightgbm.train(self.parameters, dataset, num_boost_round=self.n_trees)
            lap.end("train")
            return lap.parts

        return Action(run)


@dataclass(frozen=True)
class LightGBMPredict:
    """Extract, and predict by a boosted model that is trained before."""

    training: LightGBMBoosting

    @property
    def table(self) -> Table:
        return self.training.table

    def action(self, session: Session) -> Action:
        trained: list[lightgbm.Booster] = []
        parameters = self.training.parameters

        def prepare() -> None:
            if not trained:
                dataset = lightgbm.Dataset(*by_adbc(session.dsn, self.table), params=parameters)
                trained.append(lightgbm.train(parameters, dataset, num_boost_round=self.training.n_trees))

        def run() -> Parts:
            lap = Lap()
            x, _ = by_adbc(session.dsn, self.table)
            lap.end("extract")
            trained[0].predict(x, num_threads=self.training.threads)
            lap.end("predict")
            return lap.parts

        return Action(run, prepare)


@dataclass(frozen=True)
class LightGBMContributions:
    """Extract, and explain by boosted trees that are grown before, with all cores."""

    table: Table
    n_trees: int

    def action(self, session: Session) -> Action:
        grown: list[lightgbm.Booster] = []

        def prepare() -> None:
            if not grown:
                x, y = by_adbc(session.dsn, self.table)
                parameters = {"objective": "binary", "num_leaves": 31, "verbose": -1}
                grown.append(lightgbm.train(parameters, lightgbm.Dataset(x, y, params=parameters), self.n_trees))

        def run() -> Parts:
            lap = Lap()
            x, _ = by_adbc(session.dsn, self.table)
            lap.end("extract")
            grown[0].predict(x, pred_contrib=True)
            lap.end("explain")
            return lap.parts

        return Action(run, prepare)


@dataclass(frozen=True)
class ShapOfForest:
    """Explain by the package shap a forest that madtree has trained before, as scikit-learn's; what is made of it
    before does not count, nor do the rows, which are at hand.
    """

    table: Table
    training: TrainForest

    def action(self, session: Session) -> Action:
        made: list[tuple[Any, np.ndarray]] = []

        def prepare() -> None:
            if not made:
                forest = madtree.connect(session.db).forest(f"{SCHEMA}.{self.training.model}").to_sklearn()
                explainer = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
                made.append((explainer, by_adbc(session.dsn, self.table)[0]))

        def run() -> None:
            explainer, rows = made[0]
            explainer.shap_values(rows)

        return Action(run, prepare)


@dataclass(frozen=True)
class ScikitLearnForest:
    """Growing alone, with all cores: the rows are fetched before, and do not count.

    Attributes:
        grown: the forest that was grown last, if any.
    """

    table: Table
    n_trees: int
    grown: list[RandomForestClassifier] = field(default_factory=list, compare=False)

    def grow(self, rows: np.ndarray, labels: np.ndarray) -> None:
        forest = RandomForestClassifier(self.n_trees, max_depth=12, n_jobs=-1, random_state=1)
        self.grown[:] = [forest.fit(rows, labels)]

    def action(self, session: Session) -> Action:
        rows: list[tuple[np.ndarray, np.ndarray]] = []

        def prepare() -> None:
            rows[:] = rows or [by_adbc(session.dsn, self.table)]

        def run() -> None:
            self.grow(*rows[0])

        return Action(run, prepare)


@dataclass(frozen=True)
class QuantileForestPredict:
    """Intervals alone, with all cores, by a forest that keeps one outcome of each leaf. It is grown before: what it
    learns is the product of the first two columns and the third.
    """

    table: Table
    n_trees: int

    def action(self, session: Session) -> Action:
        grown: list[tuple[Any, np.ndarray]] = []

        def prepare() -> None:
            if not grown:
                from quantile_forest import RandomForestQuantileRegressor  # this case alone needs it

                rows, _ = by_adbc(session.dsn, self.table)
                forest = RandomForestQuantileRegressor(
                    self.n_trees, max_depth=12, max_features=1 / 3, max_samples_leaf=1, n_jobs=-1, random_state=1
                )
                grown.append((forest.fit(rows, rows[:, 0] * rows[:, 1] + rows[:, 2]), rows))

        def run() -> None:
            forest, rows = grown[0]
            forest.predict(rows, quantiles=[0.05, 0.95])

        return Action(run, prepare)


@dataclass(frozen=True)
class ScikitLearnPredict:
    """Prediction alone, with all cores, of the rows that the forest was grown on, here or in another case."""

    training: ScikitLearnForest

    @property
    def table(self) -> Table:
        return self.training.table

    def action(self, session: Session) -> Action:
        rows: list[np.ndarray] = []

        def prepare() -> None:
            if not rows:
                features, labels = by_adbc(session.dsn, self.table)
                rows.append(features)
                if not self.training.grown:
                    self.training.grow(features, labels)

        def run() -> None:
            self.training.grown[0].predict(rows[0])

        return Action(run, prepare)
