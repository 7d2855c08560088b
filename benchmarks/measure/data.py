"""The tables: random float8 columns, and a label that depends on three of them with 10 % noise."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

SCHEMA = "madtree_bench"


@dataclass(frozen=True)
class Table:
    """A benchmark table: columns id, x1 ... x<n_columns>, y."""

    name: str
    n_rows: int
    n_columns: int

    @property
    def features(self) -> list[str]:
        return [f"x{i}" for i in range(1, self.n_columns + 1)]


def make_table(db: psycopg.Connection, name: str, n_rows: int, n_columns: int) -> Table:
    """Create a table, the same at every run, frozen and analyzed, so that no first reader pays for hint bits."""
    table = Table(f"{SCHEMA}.{name}", n_rows, n_columns)
    columns = ", ".join(f"random() AS {feature}" for feature in table.features)
    db.execute("SELECT setseed(0.5)")
    db.execute(
        f"CREATE TABLE {table.name} AS"
        " SELECT *, ((x1 + x2 * x3 > 0.8)::int + (random() < 0.1)::int) % 2 AS y"
        f" FROM (SELECT i AS id, {columns} FROM generate_series(1, {n_rows}) i) s"
    )
    db.execute(f"VACUUM (FREEZE, ANALYZE) {table.name}")
    return table


def make_iris(db: psycopg.Connection) -> Table:
    """Fisher's 150 irises, for what a call costs when there is nothing to compute."""
    from sklearn.datasets import load_iris

    table = Table(f"{SCHEMA}.iris", 150, 4)
    bunch = load_iris()
    columns = ", ".join(f"{feature} float8" for feature in table.features)
    db.execute(f"CREATE TABLE {table.name} (id int, {columns}, y text)")
    with db.cursor().copy(f"COPY {table.name} FROM STDIN") as copy:
        for number, (row, label) in enumerate(zip(bunch.data, bunch.target, strict=True)):
            copy.write_row([number, *row.tolist(), str(bunch.target_names[label])])
    db.execute(f"VACUUM (FREEZE, ANALYZE) {table.name}")
    return table
