"""Which way rows are scored, by leaves, rows, features, columns and workers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from memory_host import Catalogue, MemoryHost, Table

from madtree.model import ModelTables, NewData, UsableModel
from madtree.model.facts import Facts
from madtree.request import COSTS, find_relation
from madtree.score.case_or_blocks import EXPRESSION_LEAVES, Work, work_of
from madtree.score.new_rows import NewRows
from madtree.sqltext.predict import read_estimate
from madtree.trees import Feature, FeatureKind, Model

MILLION = Work(rows=1e6, leaves=500, features=10, columns=1)


@pytest.mark.parametrize("leaves", [1, 16, 500, 1_000])
def test_a_tree_of_usual_size_is_an_expression(leaves: int) -> None:
    assert not replace(MILLION, leaves=leaves).in_blocks


@pytest.mark.parametrize("leaves", [8_192, 41_606, 1_000_000])
def test_thousands_of_leaves_are_scored_by_blocks(leaves: int) -> None:
    assert replace(MILLION, leaves=leaves).in_blocks


def test_there_is_one_crossing() -> None:
    ways = [replace(MILLION, leaves=leaves).in_blocks for leaves in range(1, 20_000, 100)]
    assert ways == sorted(ways)
    assert len(set(ways)) == 2


def test_every_column_of_predictions_costs_an_expression_but_no_further_block() -> None:
    assert not replace(MILLION, leaves=500, columns=1).in_blocks
    assert replace(MILLION, leaves=500, columns=6).in_blocks


def test_workers_share_an_expression() -> None:
    crossing = next(n for n in range(1, 20_000, 10) if replace(MILLION, leaves=n).in_blocks)
    assert not replace(MILLION, leaves=crossing, workers=2).in_blocks


def test_workers_share_blocks_where_they_pay() -> None:
    many = replace(MILLION, leaves=41_606, workers=2, sharable=True)
    assert many.block_workers == 2
    assert many.block_seconds < replace(many, sharable=False).block_seconds
    assert replace(many, workers=0).block_workers == 0
    assert replace(many, rows=100_000).block_workers == 0


def test_the_trees_of_a_forest_speak_for_workers() -> None:
    forest = replace(MILLION, rows=100_000, leaves=100 * 1_000, workers=2, sharable=True, members=100)
    by_codes = replace(forest, coded=True)
    assert forest.block_workers == by_codes.block_workers == 2
    assert by_codes.block_seconds < forest.block_seconds
    assert replace(by_codes, rows=10_000).block_workers == 0


def test_columns_that_have_to_be_copied_speak_for_an_expression() -> None:
    crossing = next(n for n in range(1, 20_000, 10) if replace(MILLION, leaves=n).in_blocks)
    assert not replace(MILLION, leaves=crossing, features=100).in_blocks


def test_few_rows_are_not_worth_a_long_expression() -> None:
    assert replace(MILLION, rows=10, leaves=1_000).in_blocks
    assert not replace(MILLION, rows=10, leaves=20).in_blocks


def test_an_expression_that_would_not_fit_the_memory_is_never_made() -> None:
    assert replace(MILLION, rows=1e9, leaves=EXPRESSION_LEAVES + 1, features=1_600, workers=64).in_blocks


ROWS = {"rows": Table({"x": "real"}, n_rows=2_000_000), "a_view": Table({"x": "real"}, kind="v", n_rows=70)}
LIMITS = {"per_gather": 4, "parallel": 3, "processes": 8, "resident": True}


TEN_NUMBERS = Model(
    name="m",
    source_table="rows",
    id_column="id",
    dependent="y",
    dependent_type="text",
    is_classification=True,
    classes=("a", "b"),
    features=tuple(Feature(f"x{i}", "real", FeatureKind.CONTINUOUS) for i in range(10)),
)


def measured(name: str, has_extension: bool = True, **limits: int) -> Work:
    host = MemoryHost(Catalogue(ROWS, limits={**LIMITS, **limits}), has_extension=has_extension)
    before = dict(host.settings)
    source = find_relation(host, name, "new_data_table")
    tables = ModelTables("m", "model", "public", "m", Facts({}, False, False, "owner", 1))
    rows = NewRows(UsableModel(host, tables, TEN_NUMBERS), source, NewData({}, {}), name, "new_data_table")
    work = work_of(rows, 500, 2, COSTS)
    assert {name: value for name, value in host.settings.items() if value} == before  # as they were
    return work


def test_what_is_to_be_done_is_what_the_planner_expects() -> None:
    expected = Work(rows=2e6, leaves=500, features=10, columns=2, workers=3, sharable=True)
    assert measured("rows") == expected
    assert measured("rows", processes=1) == replace(expected, workers=1)
    assert measured("rows", per_gather=0) == replace(expected, workers=0)
    assert measured("rows", has_extension=False) == replace(expected, moved=True)
    assert measured("a_view") == replace(expected, rows=70, workers=0, sharable=False)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("Seq Scan on t  (cost=0.00..1637.00 rows=14 width=0)", (0, 14.0)),
        (
            "Gather  (cost=0.00..9.00 rows=1000000 width=0)\n  Workers Planned: 2\n"
            "  ->  Parallel Seq Scan on t  (cost=0.00..9.00 rows=416667 width=0)",
            (2, 1e6),
        ),
    ],
)
def test_the_planners_estimate_is_read(plan: str, expected: tuple[int, float]) -> None:
    assert read_estimate(plan) == expected
