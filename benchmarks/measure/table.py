"""The tables: described as data, made when a case needs them, dropped when none does any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import psycopg

SCHEMA = "madtree_bench"
LABEL = "((x1 + x2 * x3 > 0.8)::int + (random() < 0.1)::int) % 2"


@dataclass(frozen=True)
class Table:
    """A benchmark table.

    Attributes:
        features: names of the columns to learn from.
        total_bins: numbers to learn from: rows times features, where an array has as many as elements.
        query: what it holds; `{name}` stands for the table of that name among `needs`.
        needs: tables that it is made from.
    """

    name: str
    n_rows: int
    features: tuple[str, ...]
    total_bins: int
    query: str
    needs: tuple[Table, ...] = ()

    @property
    def relation(self) -> str:
        return f"{SCHEMA}.{self.name}"

    @property
    def arguments(self) -> str:
        """The features as `tree_train` takes them."""
        return ", ".join(self.features)


def names(n_columns: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(1, n_columns + 1))


def uniform(n_rows: int, n_columns: int, name: str | None = None, more: str = "") -> Table:
    """Random float8 columns and a label y that depends on three of them, with 10 % noise; `more` SQL columns."""
    features = names(n_columns)
    columns = ", ".join(f"random() AS {feature}" for feature in features)
    query = f"SELECT *, {LABEL} AS y{more} FROM (SELECT i AS id, {columns} FROM generate_series(1, {n_rows}) i) s"
    return Table(name or f"uniform_{n_rows}x{n_columns}", n_rows, features, n_rows * n_columns, query)


def derived(name: str, base: Table, columns: str, features: tuple[str, ...], total_bins: int | None = None) -> Table:
    """A table of `columns` (SQL) of another table's rows."""
    query = f"SELECT {columns} FROM {{{base.name}}}"
    return Table(name, base.n_rows, features, total_bins or base.n_rows * len(features), query, (base,))


def first_rows(base: Table, n_rows: int) -> Table:
    """So many rows of another table."""
    query = f"SELECT * FROM {{{base.name}}} WHERE id <= {n_rows}"
    return Table(f"{base.name}_{n_rows}", n_rows, base.features, n_rows * len(base.features), query, (base,))


def iris() -> Table:
    """Fisher's 150 irises, for what a call costs when there is nothing to compute."""
    from sklearn.datasets import load_iris

    bunch = load_iris()
    rows = ", ".join(
        f"({number}, {', '.join(map(str, row.tolist()))}, '{bunch.target_names[label]}')"
        for number, (row, label) in enumerate(zip(bunch.data, bunch.target, strict=True))
    )
    columns = ", ".join(f"{feature}::float8" for feature in names(4))
    return Table("iris", 150, names(4), 600, f"SELECT id, {columns}, y FROM (VALUES {rows}) v(id, x1, x2, x3, x4, y)")


def make(db: psycopg.Connection, table: Table) -> None:
    """Create a table unless it is there: the same at every run, frozen and analyzed, so that no first reader pays for
    hint bits.
    """
    for needed in table.needs:
        make(db, needed)
    if db.execute("SELECT to_regclass(%s) IS NOT NULL", [table.relation]).fetchone() == (True,):
        return
    db.execute("SELECT setseed(0.5)")
    query = table.query.format(**{needed.name: needed.relation for needed in table.needs})
    db.execute(f"CREATE TABLE {table.relation} AS {query}")
    db.execute(f"VACUUM (FREEZE, ANALYZE) {table.relation}")


def drop_others(db: psycopg.Connection, wanted: Iterable[Table]) -> None:
    """Drop the tables that are not among `wanted`, nor needed by them; with the views of forests that read them."""
    keep = {name for table in wanted for name in (table.name, *(needed.name for needed in table.needs))}
    for (name,) in db.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [SCHEMA]).fetchall():
        if name not in keep:
            db.execute(f'DROP TABLE {SCHEMA}."{name}" CASCADE')
