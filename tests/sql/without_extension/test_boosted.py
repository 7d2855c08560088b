"""What reads boosted models says the same over a session without the extension, and writes the same tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from both_sides import Both
from training import read_model


@pytest.fixture(scope="module")
def boosted(both: Both) -> Iterator[Both]:
    """The same boosted model at both sides."""
    both.here.execute(
        "SELECT madtree.boost_train('data', 'boosted', 'id', 'class', 'x, n, word, flag, day', "
        "grouping_cols => 'mood', num_trees => 4, max_leaf_nodes => 6, weights => 'weight')"
    )
    both.ask(
        "boost_train",
        "data",
        "boosted",
        "id",
        "class",
        "x, n, word, flag, day",
        None,
        None,
        "mood",
        "weight",
        4,
        0.1,
        6,
    )
    yield both
    both.here.execute("SELECT madtree.tree_drop('boosted')")
    both.ask("tree_drop", "boosted")


def test_models_are_cut_alike(boosted: Both) -> None:
    both = boosted
    (line,) = both.here.execute("SELECT madtree.boost_cut('boosted', 'short', 2)").fetchone()  # type: ignore[misc]
    assert both.ask("boost_cut", "boosted", "short", 2) == line
    assert read_model(both.there, "short") == read_model(both.here, "short")
    both.here.execute("SELECT madtree.tree_drop('short')")
    both.ask("tree_drop", "short")


@pytest.mark.parametrize("source", ["fresh", "seen"])
def test_rounds_are_measured_alike(boosted: Both, source: str) -> None:
    both = boosted
    names = ("tree_id", "group_values", "num_trees", "n", "loss", "metric", "value")
    here = both.here.execute(f"SELECT {', '.join(names)} FROM madtree.boost_staged('boosted', '{source}')").fetchall()
    there = [tuple(row[name] for name in names) for row in both.ask("boost_staged", "boosted", source)]
    assert len(here) == 4 * 5
    for row, other in zip(here, there, strict=True):
        assert row[:4] == other[:4]
        assert row[5] == other[5]
        for measured, elsewhere in ((row[4], other[4]), (row[6], other[6])):
            assert measured == (None if elsewhere is None else pytest.approx(elsewhere, rel=1e-12))
            assert (measured is None) == (row[3] == 0)


def test_expressions_are_alike(boosted: Both) -> None:
    both = boosted
    for type_ in ("response", "prob", "raw"):
        (text,) = both.here.execute("SELECT madtree.boost_sql('boosted', %s)", [type_]).fetchone()  # type: ignore[misc]
        assert both.ask("boost_sql", "boosted", type_) == text
