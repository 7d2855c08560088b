"""Rows that are scored by blocks: whether their ids come with them."""

from __future__ import annotations

import pytest

from madtree.sqltext.predict import Scan
from madtree.sqltext.scoreblocks import BlockScan


@pytest.mark.parametrize("id_sql", ["id", "NULL::pg_catalog.int4"])
def test_ids_come_back_whatever_they_are(id_sql: str) -> None:
    scan = Scan("made", "data", id_sql, "id", {}, None)
    assert "array_agg(r.id)" in BlockScan(scan, ["x"], [], [], 1, "pg_catalog.int4", array_id=False).by_number(10)
    assert "array_agg(r.id)" not in BlockScan.without_ids(scan, ["x"], 1).by_number(10)
