"""Refusing what is too large in the rows for trees and groups, before any of them is fetched: their values' texts.

How long lists of numbers are, each of which has a length of its own, is asked where they are fetched.
"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.errors import MadtreeError
from madtree.host import Host, Row, listed
from madtree.model.find import ModelTables
from madtree.sqltext.models import n_rows
from madtree.sqltext.quote import ident
from madtree.sqltext.sent_models import count_categories
from madtree.sqltext.sizes import sizes_of_rows
from madtree.sqltext.tables import suffixed
from madtree.sqltext.values import text_of
from madtree.trees import MOST_EXPRESSION_BYTES, MOST_STORED

MOST_BYTES = 2**30  # of texts in all rows of a table, or of a column of nodes
_MOST_ROWS = 2_000_000  # of an answer, which is in memory as a whole
# Tables that have a text beside the groups' values, and which.
_WITH_TEXTS = {"": ["message"], "_group": ["message"], "_cv": []}


def check_texts(host: Host, tables: ModelTables, grouping: Sequence[str]) -> None:
    """Measure the values of groups, given by their columns' unquoted names, and what is told of trees and groups.

    Raises:
        MadtreeError: one of them, or all of them together, are larger than training writes them.
    """
    texts = {}
    for suffix, columns in _WITH_TEXTS.items():
        if (table := tables.facts.tables.get(suffix)) and (columns or grouping):
            values = [text_of(f"t.{ident(column)}", table.columns[column].writer) for column in grouping]
            texts[suffix] = [*(f"t.{column}" for column in columns), *values]
    for row in host.query(sizes_of_rows(*tables.at, texts)):
        table_name = ident(suffixed(tables.name, row["suffix"]))
        if row["largest"] > MOST_EXPRESSION_BYTES:
            raise tables.damaged(f"its table {table_name} has a text of more than {MOST_EXPRESSION_BYTES:,} bytes")
        if row["total"] > MOST_BYTES:
            raise too_large(tables, f"texts of its table {table_name}", row["total"])


def check_categories(tables: ModelTables, n: int) -> None:
    """Refuse lists of categories of splits that are longer together than training writes them: whoever scores needs
    some 90 bytes for each.

    Raises:
        MadtreeError: they are.
    """
    if n > MOST_STORED:
        raise MadtreeError(
            f"{tables.given} is too large to be read: its splits name {n:,} categories; at most {MOST_STORED:,} may be",
            sqlstate="54000",
        )


def check_listed(host: Host, tables: ModelTables) -> None:
    """`check_categories` of the lists in rows: of surrogates, and of nodes unless these are packed."""
    of_nodes, of_surrogates = not tables.is_packed, tables.has("_surrogates")
    if of_nodes or of_surrogates:
        counted = count_categories(*tables.at, nodes=of_nodes, surrogates=of_surrogates)
        check_categories(tables, host.query(counted)[0]["n"])


def check_answer(of: str, n: int, hint: str | None = None, most: int = _MOST_ROWS) -> None:
    """Refuse an answer of too many rows; `of` is what asks.

    Raises:
        MadtreeError: there are more than `most`.
    """
    if n > most:
        raise MadtreeError(f"{of}: the answer would have {n:,} rows, more than {most:,}", hint, sqlstate="54000")


def few_rows(host: Host, of: str, statement: str) -> list[Row]:
    """The rows of a query, which are counted first; `of` and errors as of `check_answer`."""
    check_answer(of, host.query(n_rows(f"({statement})"))[0]["n"])
    return listed(host, statement)


def too_large(tables: ModelTables, what: str, n_bytes: int) -> MadtreeError:
    """The error for what is too much to be held together."""
    return MadtreeError(
        f"{tables.given} is too large to be read: the {what} have {n_bytes:,} bytes",
        hint="At most 1 GB of a table's texts is read.",
        sqlstate="54000",
    )
