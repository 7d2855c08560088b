"""Which way a training takes, by what is asked for, what the session offers, and how much there is to learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.parallel import Workers
from madtree.request import Tuning
from madtree.train.kinds import Size, TrainingKind
from madtree.train.of_forests import Forests
from madtree.train.of_trees import SingleTrees
from madtree.train.strategy import (
    Able,
    Access,
    BlockSizes,
    Keeping,
    Strategy,
    Wanted,
    Way,
    choose_access,
    choose_blocks,
    choose_strategy,
)
from madtree.trees import ForestParameters, Parameters

BLOCK = 65_536
TREES = SingleTrees()
FOREST = Forests(ForestParameters(100, 3))
ALONE = Able(Workers(0))
FOUR_CORES = Able(Workers(3))
NO_PROC = replace(FOUR_CORES, obstacle="the system has no /proc")
CLIENT = Able(Workers(3), has_extension=False, obstacle="driven from outside")
IN_MEMORY = (Keeping(Way.MEMORY),)


def asked_for(n: int) -> Able:
    return Able(Workers(n, requested=True))


def single(n_rows: int, *, estimated: bool = False) -> Size:
    """A table of ten features and two classes."""
    return Size(11, 10, 2, np.array([n_rows]), is_estimated=estimated)


def grouped(*large: int, n_blocks: int = 0, rows_in_blocks: int = 0) -> Size:
    return Size(12, 10, 2, np.array(large, np.int64), False, True, n_blocks, rows_in_blocks)


def chosen(
    size: Size,
    able: Able,
    kind: TrainingKind = TREES,
    requested: str = "auto",
    access: Access = Access.IN_PLACE,
    parameters: Parameters | None = None,
) -> Strategy:
    parameters, tuning = parameters or Parameters(), Tuning()
    whole = choose_blocks(requested, access, kind, size.n_columns, size.n_channels, tuning).whole
    return choose_strategy(Wanted(requested, kind, parameters, tuning), able, access, size, whole)


def workers(n: int, *, reads_here: bool = False, is_asked_for: bool = False) -> tuple[Keeping, ...]:
    """Resident workers; where they turn out to be impossible, this process alone."""
    return Keeping(Way.WORKERS, n, reads_here, is_asked_for), *IN_MEMORY


@pytest.mark.parametrize("able", [ALONE, FOUR_CORES, CLIENT, asked_for(2), NO_PROC])
@pytest.mark.parametrize("requested", ["auto", "memory"])
@pytest.mark.parametrize(("kind", "n_rows"), [(TREES, 1), (TREES, BLOCK), (FOREST, 1_000)])
def test_what_fits_a_block_is_grown_whole(able: Able, requested: str, kind: TrainingKind, n_rows: int) -> None:
    assert chosen(single(n_rows), able, kind, requested) == Strategy(is_whole=True)


@pytest.mark.parametrize("requested", ["workers", "aggregate"])
def test_whoever_names_a_way_of_keeping_blocks_gets_it_for_small_tables(requested: str) -> None:
    assert not chosen(single(100), FOUR_CORES, requested=requested).is_whole
    assert choose_blocks(requested, Access.IN_PLACE, TREES, 11, 2, Tuning()).whole == 0


def test_a_size_that_is_estimated_is_none_to_rely_on() -> None:
    assert not chosen(single(BLOCK, estimated=True), ALONE).is_whole


# Of a large table of single trees: rows, what the session offers, what is asked for, who keeps the blocks, and whether
# its rows are read once.
LARGE_TREES = [
    (10_000_000, ALONE, "auto", IN_MEMORY, False),
    (10_000_000, Able(Workers(1)), "auto", workers(1), False),
    (10_000_000, FOUR_CORES, "auto", workers(3), False),
    (10_000_000, FOUR_CORES, "memory", IN_MEMORY, False),
    (300_000, FOUR_CORES, "auto", IN_MEMORY, False),  # they would save less than a tenth
    (300_000, FOUR_CORES, "workers", workers(1, is_asked_for=True), False),
    (300_000, asked_for(2), "auto", workers(2), False),
    (10_000_000, asked_for(0), "auto", IN_MEMORY, False),
    # Bins are found in all rows, which are then here: nobody else reads them again, unless it is asked for.
    (100_000, FOUR_CORES, "auto", IN_MEMORY, True),
    (100_000, asked_for(2), "auto", workers(2), True),
    (100_000, FOUR_CORES, "workers", workers(1, is_asked_for=True), True),
    # Where no worker may stay, or rows are in the session's own tables.
    (10_000_000, NO_PROC, "auto", IN_MEMORY, False),
    (10_000_000, replace(FOUR_CORES, is_private=True), "auto", IN_MEMORY, False),
    (10_000_000, replace(asked_for(2), is_private=True), "auto", IN_MEMORY, False),
    # Rows that come over a connection are read once, and kept by the client's process.
    (10_000_000, CLIENT, "auto", IN_MEMORY, True),
    (10_000_000, CLIENT, "memory", IN_MEMORY, True),
    (10_000_000, ALONE, "aggregate", (Keeping(Way.TABLE),), False),
    (100_000_000, FOUR_CORES, "aggregate", (Keeping(Way.TABLE, 3),), False),
    (300_000, asked_for(2), "aggregate", (Keeping(Way.TABLE, 2),), False),
]


@pytest.mark.parametrize(("n_rows", "able", "requested", "keepings", "once"), LARGE_TREES)
def test_who_keeps_the_blocks_of_a_large_table(
    n_rows: int, able: Able, requested: str, keepings: tuple[Keeping, ...], once: bool
) -> None:
    found = chosen(single(n_rows, estimated=True), able, requested=requested)
    assert found == Strategy(reads_once=once, keepings=keepings)


@pytest.mark.parametrize(
    ("n_rows", "able", "requested", "keepings", "once"),
    [
        # Rows that fit a block are shared all the same, where the trees are work enough.
        (50_000, FOUR_CORES, "auto", workers(3, reads_here=True), True),
        (100_000, FOUR_CORES, "auto", workers(3, reads_here=True), True),
        (100_000, FOUR_CORES, "memory", IN_MEMORY, True),
        (100_000, NO_PROC, "auto", IN_MEMORY, True),
        (100_000, ALONE, "auto", IN_MEMORY, True),
        (1_000_000, FOUR_CORES, "auto", workers(3), False),
        (1_000_000, FOUR_CORES, "aggregate", (Keeping(Way.TABLE),), False),
    ],
)
def test_who_keeps_the_rows_of_a_forest(
    n_rows: int, able: Able, requested: str, keepings: tuple[Keeping, ...], once: bool
) -> None:
    assert chosen(single(n_rows), able, FOREST, requested) == Strategy(reads_once=once, keepings=keepings)


def test_a_forest_of_a_block_is_not_shared_where_a_number_of_workers_is_asked_for() -> None:
    assert chosen(single(50_000), asked_for(3), FOREST).is_whole


@pytest.mark.parametrize(
    ("able", "requested", "n"),
    [
        (FOUR_CORES, "auto", 3),
        (FOUR_CORES, "memory", 0),
        (ALONE, "auto", 0),
        (CLIENT, "auto", 0),
        (NO_PROC, "auto", 0),
        (asked_for(5), "auto", 5),
        (asked_for(5), "memory", 0),
    ],
)
def test_who_grows_small_groups(able: Able, requested: str, n: int) -> None:
    """10,000 groups of 100 rows, in blocks."""
    found = chosen(grouped(n_blocks=16, rows_in_blocks=1_000_000), able, requested=requested)
    assert found == Strategy(n_growers=n)


def test_large_groups_are_kept_beside_small_ones() -> None:
    """They are sampled group by group, so that nobody has read all rows before they are packed."""
    found = chosen(grouped(100_000, 90_000, n_blocks=1, rows_in_blocks=500), asked_for(2))
    assert found == Strategy(n_growers=2, keepings=workers(2))
    assert chosen(grouped(100_000), CLIENT) == Strategy(keepings=IN_MEMORY)


def test_more_folds_are_more_work() -> None:
    size = grouped(n_blocks=4, rows_in_blocks=60_000)
    assert chosen(size, FOUR_CORES, parameters=Parameters()).n_growers == 0
    assert chosen(size, FOUR_CORES, parameters=Parameters(n_folds=10)).n_growers > 0


@pytest.mark.parametrize("able", [ALONE, FOUR_CORES, asked_for(4)])
@pytest.mark.parametrize("requested", ["auto", "aggregate"])
def test_rows_that_are_spread_over_servers_are_counted_there(able: Able, requested: str) -> None:
    size = single(10_000_000)
    assert chosen(size, able, requested=requested, access=Access.SPREAD) == Strategy(keepings=(Keeping(Way.PARTS),))
    groups = grouped(100_000, n_blocks=16, rows_in_blocks=1_000_000)
    assert chosen(groups, able, requested=requested, access=Access.SPREAD) == Strategy(keepings=(Keeping(Way.PARTS),))


@pytest.mark.parametrize("requested", ["workers", "aggregate"])
def test_ways_that_need_the_extension_are_refused_without_it(requested: str) -> None:
    with pytest.raises(MadtreeError, match=f"strategy: {requested} needs the extension madtree in the server"):
        chosen(single(100), CLIENT, requested=requested)


@pytest.mark.parametrize("able", [NO_PROC, replace(asked_for(2), obstacle="the system has no /proc")])
def test_workers_that_are_asked_for_and_cannot_be_had_are_an_error(able: Able) -> None:
    with pytest.raises(MadtreeError, match="resident workers are not possible here: the system has no /proc"):
        chosen(single(100), able, requested="workers")


def test_groups_without_a_usable_row_need_nobody() -> None:
    assert chosen(grouped(), FOUR_CORES) == Strategy()
    assert chosen(grouped(), CLIENT, requested="workers") == Strategy()


@pytest.mark.parametrize(
    ("able", "is_spread", "may_stay", "has_pages", "is_elsewhere", "access"),
    [
        (FOUR_CORES, False, True, True, False, Access.IN_PLACE),
        (FOUR_CORES, False, True, False, False, Access.COPIED),  # a view
        (CLIENT, False, True, False, True, Access.IN_PLACE),  # nothing is written at another server
        (FOUR_CORES, True, True, False, False, Access.SPREAD),
        (FOUR_CORES, True, False, False, False, Access.COPIED),
        (CLIENT, True, True, False, False, Access.COPIED),
        (replace(FOUR_CORES, is_private=True), True, True, False, False, Access.COPIED),
    ],
)
def test_how_rows_are_come_by(
    able: Able, is_spread: bool, may_stay: bool, has_pages: bool, is_elsewhere: bool, access: Access
) -> None:
    found = choose_access(
        able, is_spread=is_spread, may_stay_spread=may_stay, has_pages=has_pages, is_elsewhere=is_elsewhere
    )
    assert found is access


@pytest.mark.parametrize(
    ("kind", "requested", "stays"),
    [(TREES, "auto", True), (TREES, "aggregate", True), (FOREST, "auto", False), (FOREST, "aggregate", True)],
)
def test_what_grows_where_rows_of_a_distributed_table_are(kind: TrainingKind, requested: str, stays: bool) -> None:
    assert kind.may_stay_spread(requested) is stays


def test_how_much_fits_a_block() -> None:
    tuning = Tuning()
    sizes = choose_blocks("auto", Access.IN_PLACE, TREES, 11, 2, tuning)
    assert sizes == BlockSizes(BLOCK, BLOCK, BLOCK)
    assert choose_blocks("auto", Access.IN_PLACE, TREES, 1_000, 2, tuning).rows == tuning.raw_bytes // 8_000
    assert choose_blocks("auto", Access.IN_PLACE, TREES, 10_000_000, 2, tuning).rows == 1_024
    # Servers have more nearly as much to do where there are more blocks.
    assert choose_blocks("auto", Access.SPREAD, TREES, 11, 2, tuning).together == BLOCK // tuning.distributed_share
    # All trees of a block's forests grow in one wave.
    of_forests = choose_blocks("auto", Access.IN_PLACE, FOREST, 11, 2, tuning)
    assert of_forests.together < BLOCK == of_forests.whole
    many = Forests(ForestParameters(1_000_000, 3))
    assert choose_blocks("auto", Access.IN_PLACE, many, 11, 2, tuning).together == 1
