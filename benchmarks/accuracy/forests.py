"""The forests that are compared: each program is given a data set and the folds of every split, and predicts held-out
rows. All have as many trees, grown to the same limits, and draw as many features at a node.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psycopg
from sklearn import ensemble

from accuracy.data_sets import DataSet, is_text
from accuracy.learners import load, make_split

N_TREES = 100
Predictions = dict[str, list[np.ndarray]]  # by program, for each split those of the held-out rows


@dataclass(frozen=True)
class Kind:
    """A kind of forest: its name among the results, the arguments of forest_train, and its names elsewhere."""

    name: str
    arguments: str
    sklearn: str
    ranger: str

    def n_drawn(self, data: DataSet, n_features: int) -> int:
        """Features that are drawn at a node, by each program's own count of them."""
        if data.is_classes:
            return max(1, isqrt(n_features))
        return n_features if self.name == EXTRA.name else ceil(n_features / 3)


FOREST = Kind("forest", "", "RandomForest", "best")
EXTRA = Kind("extra trees", ", split_rule => 'random', sampling => 'none'", "ExtraTrees", "random")
KINDS = (FOREST, EXTRA)


def min_split(data: DataSet) -> int:
    """Rows that a node needs to be split: Breiman's, which are madtree's defaults."""
    return 2 if data.is_classes else 5


def madtree_forests(db: psycopg.Connection, data: DataSet, splits: Sequence[np.ndarray], kind: Kind) -> Predictions:
    load(db, data)
    features = ", ".join(f'"{name}"' for name in data.features)
    found = []
    for seed, folds in enumerate(splits):
        make_split(db, folds)
        db.execute(
            "SELECT madtree.forest_train('train', 'model', 'id', 'y', %s, num_trees => %s, num_random_features => %s,"
            f" seed => %s, importance => false, replace => true{kind.arguments})",
            [features, N_TREES, kind.n_drawn(data, data.features.shape[1]), seed],
        )
        db.execute("DROP TABLE IF EXISTS scored")
        db.execute("SELECT madtree.forest_predict('model', 'test', 'scored')")
        predicted = [value for (value,) in db.execute("SELECT estimated_y FROM scored ORDER BY id").fetchall()]
        found.append(np.array(predicted, dtype=object if data.is_classes else float))
    return {"madtree": found}


def sklearn_forests(data: DataSet, splits: Sequence[np.ndarray], kind: Kind) -> Predictions:
    """Categories are given as columns of 0 and 1."""
    texts = [name for name, column in data.features.items() if is_text(column)]
    rows = pd.get_dummies(data.features, columns=texts, dtype=float).to_numpy()
    target = data.target.to_numpy()
    maker: Any = getattr(ensemble, kind.sklearn + ("Classifier" if data.is_classes else "Regressor"))
    found = []
    for seed, folds in enumerate(splits):
        forest = maker(
            N_TREES,
            max_features=kind.n_drawn(data, rows.shape[1]),
            min_samples_split=min_split(data),
            random_state=seed,
        )
        found.append(forest.fit(rows[folds > 0], target[folds > 0]).predict(rows[folds == 0]))
    return {"scikit-learn": found}


def ranger_forests(data: DataSet, splits: Sequence[np.ndarray], kind: Kind) -> Predictions:
    """By a script in R that reads and writes CSV. ranger 0.14 takes no missing values."""
    if data.features.isna().to_numpy().any():
        return {}
    with tempfile.TemporaryDirectory(prefix="madtree-accuracy-") as name:
        directory = Path(name)
        data.features.assign(y=data.target).to_csv(directory / "data.csv", index=False, float_format="%.17g")
        pd.DataFrame({f"s{i}": folds for i, folds in enumerate(splits)}).to_csv(directory / "folds.csv", index=False)
        # A node is a leaf with at most `min.node.size` rows.
        limits = (N_TREES, kind.n_drawn(data, data.features.shape[1]), min_split(data) - 1)
        script = Path(__file__).with_name("ranger_forests.R")
        method = "class" if data.is_classes else "anova"
        subprocess.run(["Rscript", str(script), str(directory), method, kind.ranger, *map(str, limits)], check=True)
        predictions = pd.read_csv(directory / "predicted.csv", dtype=str if data.is_classes else float)
    pairs = zip(predictions.columns, splits, strict=True)
    return {"ranger": [predictions[column].to_numpy()[folds == 0] for column, folds in pairs]}
