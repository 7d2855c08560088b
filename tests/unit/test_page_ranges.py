"""Page ranges cut finer: the same pages, each once, in order."""

from __future__ import annotations

import pytest

from madtree.ingest.page_ranges import PageRange, PageRanges

_END = "(4294967295,0)"


@pytest.mark.parametrize("n_rows", [1, 10, 33, 70, 100, 149])
def test_finer_ranges_follow_each_other(n_rows: int) -> None:
    whole = (
        PageRange(0, "(0,0)", "(7,0)"),
        PageRange(0, "(7,0)", "(14,0)"),
        PageRange(0, "(14,0)", _END),
        PageRange(1, "(0,0)", _END),
    )
    pages = PageRanges(("t", "u"), whole, pages=7, rows=100)
    finer = pages.finer(n_rows)
    assert len(finer.ranges) % len(whole) == 0
    assert finer.rows >= min(n_rows, 100) // 2
    for relation, n in ((0, 3), (1, 1)):
        mine = [r for r in finer.ranges if r.relation == relation]
        assert mine[0].low == "(0,0)"
        assert mine[-1].high == _END
        assert [r.high for r in mine[:-1]] == [r.low for r in mine[1:]]
        assert len({r.low for r in mine}) == len(mine) == n * len(finer.ranges) // len(whole)


def test_ranges_that_are_small_or_not_of_pages_stay() -> None:
    pages = PageRanges(("t",), (PageRange(0, "(0,0)", _END),), pages=7, rows=100)
    assert pages.finer(100) is pages
    parts = PageRanges(("t",), (PageRange(0, "3", "5"),))
    assert parts.finer(1) is parts
