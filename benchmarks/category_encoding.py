"""What `category_encoding => 'ordered'` does on tables with categories by the thousand, beside categories that are
split as they are, and beside LightGBM and CatBoost: loss of rows held out, seconds, and bytes of the model.

Needs a server with madtree (`--dsn`), and of the benchmarks' packages those that are to be compared. It prints the
table of `docs/boosting.md`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import psycopg

N_SPLITS = 5
N_ROUNDS = 100
SETS = (  # name, rows, categories, whether outcomes are classes
    ("postcodes", 20_000, 2_000, True),
    ("shops", 20_000, 1_000, False),
    ("customers", 50_000, 5_000, True),
    ("goods", 50_000, 5_000, False),
)
ENCODINGS = ("none", "ordered")


def made(n_rows: int, n_categories: int, is_classes: bool) -> pd.DataFrame:
    """Categories of uneven sizes, each with an effect of its own, beside four numbers."""
    rng = np.random.default_rng(1)
    share = rng.gamma(1.0, size=n_categories)
    category = rng.choice(n_categories, n_rows, p=share / share.sum())
    numbers = rng.normal(size=(n_rows, 4))
    score = rng.normal(size=n_categories)[category] + numbers[:, 0] + numbers[:, 1] * numbers[:, 2]
    score += rng.logistic(size=n_rows)
    columns: dict[str, Any] = {f"x{i + 1}": numbers[:, i] for i in range(4)}
    columns["place"] = np.array([f"p{number}" for number in category], dtype=object)
    return pd.DataFrame({**columns, "y": (score > 0).astype(int) if is_classes else score})


def loss(truth: np.ndarray, said: np.ndarray, is_classes: bool) -> float:
    """The log loss, or the mean squared error as a share of the variance."""
    if is_classes:
        own = np.where(truth == 1, said, 1 - said)
        return float(-np.log(np.maximum(own, 1e-15)).mean())
    return float(np.sum((truth - said) ** 2) / np.sum((truth - truth.mean()) ** 2))


def load(db: psycopg.Connection, data: pd.DataFrame) -> None:
    names = [name for name in data.columns if name not in ("place", "y")]
    columns = ", ".join(f"{name} float8" for name in names)
    db.execute(f"DROP TABLE IF EXISTS rows_; CREATE TABLE rows_ (id int, {columns}, place text, y float8)")  # type: ignore[arg-type]
    with db.cursor() as cursor, cursor.copy("COPY rows_ FROM STDIN") as copy:
        for i, row in enumerate(data.itertuples(index=False)):
            copy.write_row((i, *row))


def by_madtree(
    db: psycopg.Connection, train: np.ndarray, is_classes: bool, encoding: str, seed: int
) -> tuple[np.ndarray, float, int]:
    """What is said of the rows that are not in training, seconds of training, and the trees' bytes."""
    db.execute(
        "DROP TABLE IF EXISTS in_training; CREATE TEMP TABLE in_training (id int); "
        "DROP TABLE IF EXISTS train, test, scored"
    )
    with db.cursor() as cursor, cursor.copy("COPY in_training FROM STDIN") as copy:
        for i in np.flatnonzero(train).tolist():
            copy.write_row((i,))
    db.execute(
        "CREATE TABLE train AS SELECT * FROM rows_ JOIN in_training USING (id); ANALYZE train; "
        "CREATE TABLE test AS SELECT * FROM rows_ WHERE id NOT IN (SELECT id FROM in_training)"
    )
    start = time.perf_counter()
    db.execute(
        "SELECT madtree.boost_train('train', 'model', 'id', %s, 'x1, x2, x3, x4, place', num_trees => %s, seed => %s, "
        "boost_params => %s, replace => true)",
        ["y::int" if is_classes else "y", N_ROUNDS, seed, f"category_encoding={encoding}"],
    )
    seconds = time.perf_counter() - start
    db.execute("SELECT madtree.boost_predict('model', 'test', 'scored', %s)", ["prob" if is_classes else "response"])
    said = np.array([row[-1] for row in db.execute("SELECT * FROM scored ORDER BY id").fetchall()])
    ((size,),) = db.execute("SELECT pg_total_relation_size('model_packed')").fetchall()
    return said, seconds, size


def outside(data: pd.DataFrame, train: np.ndarray, is_classes: bool, seed: int) -> dict[str, np.ndarray]:
    """What the other programs say, as far as they are installed."""
    features, y, found = data.drop(columns="y"), data["y"], {}
    for name, make in (("LightGBM", lightgbm), ("CatBoost", catboost)):
        try:
            model, rows = make(features, is_classes, seed)
        except ImportError:
            continue
        model.fit(rows[train], y[train])
        held_out = rows[~train]
        found[name] = model.predict_proba(held_out)[:, 1] if is_classes else model.predict(held_out)
    return found


def lightgbm(features: pd.DataFrame, is_classes: bool, seed: int) -> tuple[Any, pd.DataFrame]:
    import lightgbm

    model = lightgbm.LGBMClassifier if is_classes else lightgbm.LGBMRegressor
    return model(random_state=seed, verbose=-1, n_jobs=1), features.astype({"place": "category"})


def catboost(features: pd.DataFrame, is_classes: bool, seed: int) -> tuple[Any, pd.DataFrame]:
    import catboost

    model = catboost.CatBoostClassifier if is_classes else catboost.CatBoostRegressor
    more = {"cat_features": ["place"], "verbose": False, "allow_writing_files": False, "thread_count": 1}
    return model(random_seed=seed, **more), features


def measured(db: psycopg.Connection, n_rows: int, n_categories: int, is_classes: bool) -> dict[str, list[float]]:
    data = made(n_rows, n_categories, is_classes)
    load(db, data)
    found: dict[str, list[float]] = {}
    for seed in range(N_SPLITS):
        train = np.random.default_rng(seed).random(n_rows) >= 0.25
        truth = data["y"].to_numpy()[~train]
        for encoding in ENCODINGS:
            said, seconds, size = by_madtree(db, train, is_classes, encoding, seed)
            found.setdefault(encoding, []).append(loss(truth, said, is_classes))
            found.setdefault(f"{encoding}: seconds", []).append(seconds)
            found.setdefault(f"{encoding}: MB", []).append(size / 2**20)
        for name, said in outside(data, train, is_classes, seed).items():
            found.setdefault(name, []).append(loss(truth, said, is_classes))
    return found


def mean_and_error(values: list[float], digits: int = 4) -> str:
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1) / len(values) ** 0.5:.{digits}f}"


def report(results: dict[str, dict[str, list[float]]], row: Callable[[list[str]], None]) -> None:
    for name, n_rows, n_categories, _ in SETS:
        if name not in results:
            continue
        found = results[name]
        difference = (np.array(found["ordered"]) / np.array(found["none"]) - 1) * 100
        cells = [mean_and_error(found[each]) for each in (*ENCODINGS, "LightGBM", "CatBoost") if each in found]
        of_two = [
            " and ".join(f"{np.mean(found[f'{each}: {what}']):.1f}" for each in ENCODINGS) for what in ("seconds", "MB")
        ]
        row([name, f"{n_rows:,}", f"{n_categories:,}", *cells, f"{mean_and_error(difference.tolist(), 1)} %", *of_two])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="DATA", help="data sets; default: all")
    parser.add_argument("--dsn", default="", help="a server with madtree in it")
    options = parser.parse_args()
    with psycopg.connect(options.dsn, autocommit=True, prepare_threshold=None) as db:
        db.execute("SET client_min_messages = error")
        for name, *data in SETS:
            if not options.wanted or name in options.wanted:
                report({name: measured(db, *data)}, lambda cells: print("|", " | ".join(cells), "|", flush=True))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
