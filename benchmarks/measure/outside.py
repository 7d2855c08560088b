"""The other way: take the rows out of the database and train there."""

from __future__ import annotations

import io

import adbc_driver_postgresql.dbapi
import lightgbm
import numpy as np
import pandas as pd
import psycopg
from sklearn.tree import DecisionTreeClassifier

from measure.data import Table
from measure.timing import Action, Parts, Stopwatch

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


def query(table: Table) -> str:
    return f"SELECT {', '.join(table.features)}, y FROM {table.name}"


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


EXTRACTORS = {"ADBC": by_adbc, "binary COPY": by_copy}


def extract(dsn: str, table: Table, route: str) -> Action:
    def run() -> None:
        EXTRACTORS[route](dsn, table)

    return Action(run)


def lightgbm_tree(dsn: str, table: Table, route: str, threads: int = 0) -> Action:
    """Extract, bin, grow one tree of the same shape. `threads` 0 lets LightGBM take all cores."""
    parameters = {**LIGHTGBM, "num_threads": threads}

    def run() -> Parts:
        watch = Stopwatch()
        x, y = EXTRACTORS[route](dsn, table)
        watch.lap("extract")
        dataset = lightgbm.Dataset(x, y, params=parameters).construct()
        watch.lap("dataset")
        lightgbm.train(parameters, dataset, num_boost_round=1)
        watch.lap("train")
        return watch.parts

    return Action(run)


def scikit_learn_tree(dsn: str, table: Table) -> Action:
    """Rows through psycopg into a DataFrame, then an exact tree of the same shape."""

    def run() -> Parts:
        watch = Stopwatch()
        with psycopg.connect(dsn) as connection:
            frame = pd.DataFrame(connection.execute(query(table)).fetchall(), columns=[*table.features, "y"])
        watch.lap("extract")
        tree = DecisionTreeClassifier(max_depth=10, min_samples_split=20, min_samples_leaf=7)
        tree.fit(frame[table.features], frame["y"])
        watch.lap("train")
        return watch.parts

    return Action(run)
