"""The boosted models that are compared: each program is given a data set and the folds of every split, with its own
defaults, and tells the probabilities of held-out rows' classes, or their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import psycopg

from accuracy.data_sets import DataSet, is_text
from accuracy.learners import load, make_split

Predictions = list[np.ndarray]  # for each split those of the held-out rows: (n, n_classes) or (n,)
Estimator = Callable[[DataSet, int], Any]


def labels(data: DataSet) -> list[str]:
    """The classes, in the order of their probabilities."""
    return sorted(data.target.unique())


def madtree_boosting(db: psycopg.Connection, data: DataSet, splits: Sequence[np.ndarray]) -> Predictions:
    load(db, data)
    features = ", ".join(f'"{name}"' for name in data.features)
    found = []
    for seed, folds in enumerate(splits):
        make_split(db, folds)
        db.execute(
            "SELECT madtree.boost_train('train', 'model', 'id', 'y', %s, seed => %s, replace => true)", [features, seed]
        )
        db.execute("DROP TABLE IF EXISTS scored")
        type_ = "prob" if data.is_classes else "response"
        db.execute("SELECT madtree.boost_predict('model', 'test', 'scored', %s)", [type_])
        rows = db.execute("SELECT * FROM scored ORDER BY id").fetchall()
        said = np.array([row[1:] for row in rows], float)
        if not data.is_classes:
            found.append(said[:, 0])
            continue
        ((levels,),) = db.execute("SELECT dependent_var_levels FROM model_summary").fetchall()
        found.append(said[:, [levels.index(label) for label in labels(data)]])
    return found


def others(data: DataSet, splits: Sequence[np.ndarray]) -> dict[str, Predictions]:
    """What those say that are not in the database, by name."""
    return {name: outside(data, splits, rows_for, made) for name, (rows_for, made) in OTHERS.items()}


def outside(
    data: DataSet, splits: Sequence[np.ndarray], rows_for: Callable[[DataSet], pd.DataFrame], made: Estimator
) -> Predictions:
    rows, found = rows_for(data), []
    target = data.target.map({label: i for i, label in enumerate(labels(data))}) if data.is_classes else data.target
    for seed, folds in enumerate(splits):
        model = made(data, seed)
        model.fit(rows[folds > 0], target[folds > 0])
        held_out = rows[folds == 0]
        found.append(np.asarray(model.predict_proba(held_out) if data.is_classes else model.predict(held_out)))
    return found


def with_categories(data: DataSet) -> pd.DataFrame:
    texts = [name for name, column in data.features.items() if is_text(column)]
    return data.features.astype(dict.fromkeys(texts, "category"))


def with_texts(data: DataSet) -> pd.DataFrame:
    """For CatBoost, which takes no missing category."""
    texts = [name for name, column in data.features.items() if is_text(column)]
    return data.features.assign(**{name: data.features[name].fillna("").astype(object) for name in texts})


def lightgbm(data: DataSet, seed: int) -> Any:
    import lightgbm

    made = lightgbm.LGBMClassifier if data.is_classes else lightgbm.LGBMRegressor
    return made(random_state=seed, verbose=-1, n_jobs=1)


def xgboost(data: DataSet, seed: int) -> Any:
    import xgboost

    made = xgboost.XGBClassifier if data.is_classes else xgboost.XGBRegressor
    return made(random_state=seed, enable_categorical=True, n_jobs=1)


def catboost(data: DataSet, seed: int) -> Any:
    import catboost

    made = catboost.CatBoostClassifier if data.is_classes else catboost.CatBoostRegressor
    texts = [name for name, column in data.features.items() if is_text(column)]
    return made(random_seed=seed, cat_features=texts, verbose=False, allow_writing_files=False, thread_count=1)


OTHERS: dict[str, tuple[Callable[[DataSet], pd.DataFrame], Estimator]] = {
    "LightGBM": (with_categories, lightgbm),
    "XGBoost": (with_categories, xgboost),
    "CatBoost": (with_texts, catboost),
}
