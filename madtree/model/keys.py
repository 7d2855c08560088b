"""Refusing a model in whose tables a key is there twice."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model.facts import Facts
from madtree.model.trust import NOT_ALLOWED
from madtree.sqltext.check import faulty_key
from madtree.sqltext.quote import ident
from madtree.sqltext.tables import KEYS


def check_keys(host: Host, given: str, schema: str, name: str, facts: Facts) -> None:
    """Look at the keys of a model's tables, but of those whose primary key keeps them: a table that was copied without
    it, or made to deceive, has none.

    Raises:
        MadtreeError: rows of a table have the same key, or a row has none.
    """
    for suffix, columns in KEYS.items():
        table = facts.tables.get(suffix)
        if table is None or table.kind != "r" or (table.primary_key and table.primary_key <= {*columns}):
            continue
        for row in _faulty(host, faulty_key(schema, name, suffix)):
            key = ", ".join(
                f"{column} {'NULL' if number is None else number}"
                for column, number in zip(columns, row["numbers"], strict=True)
            )
            what = "a row without a whole key" if None in row["numbers"] else "several rows with the key"
            raise MadtreeError(f"{given} is damaged: its table {ident(table.name)} has {what}, {key}")


def _faulty(host: Host, statement: str) -> list[Row]:
    try:
        return host.query(statement)
    except Exception as error:  # who may not read a table finds out when it is read
        if str(getattr(error, "sqlstate", "")) != NOT_ALLOWED:
            raise
        return []
