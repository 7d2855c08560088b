"""The programs that are compared: each is given a data set and the folds of every split, and predicts held-out rows.

All grow to the same limits. "Grown" is the tree as it stands then; "pruned" is cut back by cross-validation on the same
folds.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import psycopg
from psycopg import sql
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from accuracy.data_sets import DataSet, is_text

MAX_DEPTH, MIN_SPLIT, MIN_BUCKET, N_FOLDS = 10, 20, 7, 5
MOST_ALPHAS = 30  # of scikit-learn's pruning path that are tried; the others lie between these
SCHEMA = "madtree_accuracy"


@dataclass(frozen=True)
class Outcome:
    """A tree's predictions for the held-out rows, in the order of the data set, and its number of leaves."""

    predicted: np.ndarray
    leaves: int


Outcomes = dict[str, list[Outcome]]  # by learner, an outcome for each split


def madtree_trees(db: psycopg.Connection, data: DataSet, splits: Sequence[np.ndarray]) -> Outcomes:
    """madtree's, with its default bins and with every threshold as a candidate (`n_bins => 0`)."""
    load(db, data)
    found: Outcomes = {}
    for folds in splits:
        make_split(db, folds)
        for bins, called in ((100, "madtree"), (0, "madtree, every threshold")):
            for pruned in (False, True):
                name = f"{called}, pruned" if pruned else called
                found.setdefault(name, []).append(madtree_tree(db, data, bins, pruned=pruned))
    return found


def load(db: psycopg.Connection, data: DataSet) -> None:
    """The table `data`: id, the features, and the target as `y`."""
    db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    db.execute(f"CREATE SCHEMA {SCHEMA}")
    db.execute(f"SET search_path = {SCHEMA}")
    types = [(name, "text" if is_text(column) else "float8") for name, column in data.features.items()]
    columns = [*types, ("y", "text" if data.is_classes else "float8")]
    listed = sql.SQL(", ").join(sql.SQL("{} {}").format(sql.Identifier(n), sql.SQL(t)) for n, t in columns)
    db.execute(sql.SQL("CREATE TABLE data (id integer, {})").format(listed))
    db.execute("CREATE TABLE part (id integer, fold integer)")
    rows = data.features.astype(object).where(data.features.notna(), None)
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for number, (row, target) in enumerate(zip(rows.itertuples(index=False), data.target, strict=True)):
            copy.write_row((number, *row, target))


def make_split(db: psycopg.Connection, folds: np.ndarray) -> None:
    """The tables `train` and `test`: the rows of `data` whose fold is not 0, and those whose fold is 0."""
    db.execute("TRUNCATE part")
    with db.cursor().copy("COPY part (id, fold) FROM STDIN") as copy:
        for number, fold in enumerate(folds.tolist()):
            copy.write_row((number, fold))
    db.execute("DROP TABLE IF EXISTS train, test")
    db.execute("CREATE TABLE train AS SELECT data.*, fold FROM data JOIN part USING (id) WHERE fold > 0")
    db.execute("CREATE TABLE test AS SELECT data.*, fold FROM data JOIN part USING (id) WHERE fold = 0")


def madtree_tree(db: psycopg.Connection, data: DataSet, bins: int, *, pruned: bool) -> Outcome:
    db.execute(
        "SELECT madtree.tree_train('train', 'model', 'id', 'y', %s, max_depth => %s, min_split => %s, min_bucket => %s,"
        " n_bins => %s, surrogate_params => 'max_surrogates=5', pruning_params => %s, replace => true)",
        [
            ", ".join(f'"{name}"' for name in data.features),
            *(MAX_DEPTH, MIN_SPLIT, MIN_BUCKET, bins),
            "fold_col=fold" if pruned else "cp=0",
        ],
    )
    db.execute("DROP TABLE IF EXISTS scored")
    db.execute("SELECT madtree.tree_predict('model', 'test', 'scored')")
    predicted = [value for (value,) in db.execute("SELECT estimated_y FROM scored ORDER BY id").fetchall()]
    ((leaves,),) = db.execute("SELECT n_leaves FROM model").fetchall()
    return Outcome(np.array(predicted, dtype=object if data.is_classes else float), leaves)


def rpart_trees(data: DataSet, splits: Sequence[np.ndarray]) -> Outcomes:
    """rpart's, by a script in R that reads and writes CSV."""
    with tempfile.TemporaryDirectory(prefix="madtree-accuracy-") as name:
        directory = Path(name)
        data.features.assign(y=data.target).to_csv(directory / "data.csv", index=False, float_format="%.17g")
        pd.DataFrame({f"s{i}": folds for i, folds in enumerate(splits)}).to_csv(directory / "folds.csv", index=False)
        method = "class" if data.is_classes else "anova"
        limits = [str(limit) for limit in (MAX_DEPTH, MIN_SPLIT, MIN_BUCKET)]
        script = Path(__file__).with_name("rpart_trees.R")
        subprocess.run(["Rscript", str(script), str(directory), method, *limits], check=True)
        found: Outcomes = {}
        for called, file in (("rpart", "grown"), ("rpart, pruned", "pruned")):
            predictions = pd.read_csv(directory / f"{file}.csv", dtype=str if data.is_classes else float)
            leaves = pd.read_csv(directory / f"{file}_leaves.csv")
            found[called] = [
                Outcome(predictions[column].to_numpy()[folds == 0], int(leaves[column].iloc[0]))
                for column, folds in zip(predictions.columns, splits, strict=True)
            ]
    return found


def sklearn_trees(data: DataSet, splits: Sequence[np.ndarray]) -> Outcomes:
    """scikit-learn's DecisionTree*; categories are given to it as columns of 0 and 1."""
    texts = [name for name, column in data.features.items() if is_text(column)]
    rows = pd.get_dummies(data.features, columns=texts, dtype=float).to_numpy()
    target = data.target.to_numpy()
    found: Outcomes = {"scikit-learn": [], "scikit-learn, pruned": []}
    for seed, folds in enumerate(splits):
        train, test = folds > 0, folds == 0
        for called, alpha in (
            ("scikit-learn", 0.0),
            ("scikit-learn, pruned", best_alpha(data, rows[train], target[train], folds[train], seed)),
        ):
            tree = estimator(data, alpha, seed).fit(rows[train], target[train])
            found[called].append(Outcome(tree.predict(rows[test]), int(tree.get_n_leaves())))
    return found


def estimator(data: DataSet, alpha: float, seed: int) -> DecisionTreeClassifier | DecisionTreeRegressor:
    maker = DecisionTreeClassifier if data.is_classes else DecisionTreeRegressor
    return maker(
        max_depth=MAX_DEPTH,
        min_samples_split=MIN_SPLIT,
        min_samples_leaf=MIN_BUCKET,
        ccp_alpha=alpha,
        random_state=seed,
    )


def best_alpha(data: DataSet, rows: np.ndarray, target: np.ndarray, folds: np.ndarray, seed: int) -> float:
    """The largest `ccp_alpha` with the best mean score over the held-out folds.

    As in rpart's table, those tried are the geometric middles between the alphas of the pruning path.
    """
    path = estimator(data, 0.0, seed).cost_complexity_pruning_path(rows, target).ccp_alphas
    path = np.maximum(np.unique(path), 0.0)
    tried = np.append(np.sqrt(path[:-1] * path[1:]), path[-1])
    if len(tried) > MOST_ALPHAS:
        tried = tried[np.linspace(0, len(tried) - 1, MOST_ALPHAS).round().astype(int)]

    def held_out(alpha: float, fold: int) -> float:
        inside, outside = folds != fold, folds == fold
        tree = estimator(data, alpha, seed).fit(rows[inside], target[inside])
        return float(tree.score(rows[outside], target[outside]))

    scores = np.array([np.mean([held_out(alpha, fold) for fold in np.unique(folds)]) for alpha in tried])
    return float(tried[np.flatnonzero(scores >= scores.max() - 1e-12)[-1]])
