"""The page on model tables lists every column of every table, with its type."""

from __future__ import annotations

import re

import pytest
from pages import DOCS

from madtree.sqltext import boost_tables, tables
from madtree.trees import NodeLayout

PAGE = (DOCS / "reference" / "model-tables.md").read_text()
COLUMNS = {
    "m": tables.TREE_COLUMNS,
    "m_nodes": tables.NODE_COLUMNS,
    "m_surrogates": tables.SURROGATE_COLUMNS,
    "m_cv": tables.CV_COLUMNS,
    "m_packed": tables.PACKED_COLUMNS,
    "m_outcomes": tables.OUTCOME_COLUMNS,
    "m_group of boosted models": (("gid", "int4"), *boost_tables.GROUP_COLUMNS),
    "m_group of calibrated models": boost_tables.isotonic_columns(2),
    "m_rounds": boost_tables.ROUND_COLUMNS,
    "m_summary": tables.SUMMARY_COLUMNS,
}
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.+) \|$", re.MULTILINE)


@pytest.mark.parametrize("table", COLUMNS)
def test_the_columns_are_the_tables_own(table: str) -> None:
    (section,) = re.findall(rf"^## {table}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    told = [(name, type_) for name, type_, _ in ROW.findall(section)]
    assert told == [(name, type_ or "the dependent's, or float8") for name, type_ in COLUMNS[table]]


def test_the_record_of_a_node_is_told_field_by_field() -> None:
    (section,) = re.findall(r"^## m_packed\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    told = re.findall(r"^\| [48].*? \| (`.+?`) \|", section, re.MULTILINE)
    layout = NodeLayout(True, 2, weighted=True, has_categories=True)
    assert re.findall(r"`(\w+)`", " ".join(told)) == [name for name, _ in layout.fields] + ["class_weights"]
