"""The row of a model's summary, whose values are taken out as what they must be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

from madtree.errors import MadtreeError
from madtree.host import ROWS_AT_ONCE, Host, Row, read_json, watched
from madtree.model.find import ModelTables
from madtree.sqltext import models as sql
from madtree.sqltext.sizes import are_small, oversized
from madtree.sqltext.split import check_expression, parse_name, split_alias, split_list
from madtree.sqltext.typenames import is_type

_CAST = re.compile(r"\((?P<of>.+)\)::(?P<type>[^:()]+(?:\([0-9, ]+\))?)", re.DOTALL)
_TEXT = "pg_catalog.text"
_GROUPING = "grouping_cols"


class SummaryRow:
    """The one row of a model's summary.

    Attributes:
        given: the model's name, as errors tell it.
        values: by column; objects of JSON are left out as they are taken.
    """

    def __init__(self, host: Host, tables: ModelTables, values: Row) -> None:
        self.given, self.values = tables.given, values
        self._host, self._tables = host, tables

    @classmethod
    def read(cls, host: Host, tables: ModelTables) -> SummaryRow:
        """Raises MadtreeError where the summary does not have exactly one row, or is larger than training writes it."""
        at = *tables.at, tables.columns("_summary")
        rows = host.query(sql.summary(*at, where=are_small(at[2])))
        if not rows or rows[0]["n_rows"] != 1:
            for row in host.query(oversized(*at)):
                raise tables.damaged(f"its summary is too large: {row['fault']}")
            rows = host.query(sql.summary(*at))
        if len(rows) != 1:
            raise tables.damaged(f"its summary has {len(rows)} rows, not 1")
        del rows[0]["n_rows"]
        return cls(host, tables, rows[0])

    def fault(self, what: str) -> NoReturn:
        raise self._tables.damaged(what)

    def text(self, column: str) -> str:
        value = self.values[column]
        if not isinstance(value, str) or not value.strip():
            self.fault(f"{column} in its summary is {'NULL' if value is None else 'empty'}")
        return value

    def truth(self, column: str) -> bool:
        value = self.values[column]
        if not isinstance(value, bool):
            self.fault(f"{column} in its summary is NULL")
        return value

    def texts(self, column: str, *, optional: bool = False) -> list[str]:
        value = self.values[column]
        if value is None and optional:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.fault(f"{column} in its summary is no list of texts")
        return value

    def document(self, column: str) -> dict[str, Any]:
        """A JSON object, which is left out of the row."""
        text, is_long = self.values.pop(f"{column}_text"), self.values.pop(f"{column}_is_long")
        if is_long:
            return self._long_document(column)
        value = None if text is None else self._loaded(column, text)
        if value is not None and not isinstance(value, dict):
            self.fault(f"{column} in its summary is no JSON object")
        return value or {}

    def _long_document(self, column: str) -> dict[str, Any]:
        """Its lists one by one, so that cancels are let in."""
        found: dict[str, Any] = {}
        statement = sql.document_pieces(*self._tables.at, column)
        for row in watched(self._host, self._host.stream(statement, batch=ROWS_AT_ONCE)):
            value = self._loaded(column, row["value"])
            # Of an object of lists there is an empty one, too, somewhere among its lists.
            if row["key_within"] is None:
                found.setdefault(row["key"], value)
            else:
                found.setdefault(row["key"], {})[row["key_within"]] = value
        if not found:
            self.fault(f"{column} in its summary is no JSON object")
        return found

    def _loaded(self, column: str, text: str) -> Any:
        try:
            return read_json(text)
        except MadtreeError:  # PostgreSQL reads what Python will not
            self.fault(f"{column} in its summary is nested too deeply, or has a number that is too long")


def uncast_groups(values: Sequence[str], given: object) -> tuple[str, ...]:
    """The values of grouping columns in a row, as SQL, without the casts around that training has written; `given`: the
    list of the user's that they are of.

    Of a domain's values they were harmless. In another table a column of that name may be of an enum or the like, a
    cast of which is a function that its owner has made: there its value is compared by its own type (`NewData.plain`).
    """
    if not any(map(_CAST.fullmatch, values)):
        return tuple(values)
    try:
        items = [split_alias(item, _GROUPING)[0] for item in split_list(str(given), _GROUPING)]
    except MadtreeError:  # which no training has written
        return tuple(values)
    if len(items) != len(values):
        return tuple(values)
    return tuple(_uncast(value, item) for value, item in zip(values, items, strict=True))


def uncast_class(dependent: str) -> str:
    """SQL of a class, without that cast, too; to be compared, it is made a text once more."""
    found = _CAST.fullmatch(dependent)
    if found is None or found["type"] != _TEXT:
        return dependent
    try:
        check_expression(found["of"], "dependent_variable")
    except MadtreeError:  # brackets of two casts
        return dependent
    return found["of"]


def _uncast(value: str, item: str) -> str:
    found = _CAST.fullmatch(value)
    if found is None or not is_type(found["type"]):
        return value
    of, name = found["of"], parse_name(item)
    return of if of in (item, f"({item})") or (name is not None and parse_name(of) == name) else value
