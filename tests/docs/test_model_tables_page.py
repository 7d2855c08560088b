"""The page on model tables lists every column of every table, with its type."""

from __future__ import annotations

import re

import pytest
from pages import DOCS

from madtree.sqltext import tables

PAGE = (DOCS / "reference" / "model-tables.md").read_text()
COLUMNS = {
    "m": tables.TREE_COLUMNS,
    "m_nodes": tables.NODE_COLUMNS,
    "m_surrogates": tables.SURROGATE_COLUMNS,
    "m_cv": tables.CV_COLUMNS,
    "m_packed": tables.PACKED_COLUMNS,
    "m_summary": tables.SUMMARY_COLUMNS,
}
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.+) \|$", re.MULTILINE)


@pytest.mark.parametrize("table", COLUMNS)
def test_the_columns_are_the_tables_own(table: str) -> None:
    (section,) = re.findall(rf"^## {table}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    told = [(name, type_) for name, type_, _ in ROW.findall(section)]
    assert told == [(name, type_ or "the dependent's, or float8") for name, type_ in COLUMNS[table]]
