"""The row of a model's summary, whose values are taken out as what they must be."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from madtree.host import ROWS_AT_ONCE, Host, Row, watched
from madtree.model.find import ModelTables
from madtree.sqltext import models as sql
from madtree.sqltext.sizes import are_small, oversized


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
            return json.loads(text)
        except (RecursionError, ValueError):  # PostgreSQL reads what Python will not
            self.fault(f"{column} in its summary is nested too deeply, or has a number that is too long")
