"""Blocks whose codes are mapped: the same as those in memory, and a cancel need not wait for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import pytest

from madtree.host.protocol import Host
from madtree.ingest.row_reader import Packed, Packing, RowPacker
from madtree.learn.data.block import Block
from madtree.learn.data.parameters import Parameters
from madtree.learn.grow.grow import grow
from madtree.learn.problem.packing import RowFormat
from madtree.learn.prune.outcome import conclude
from madtree.storage.mapped import MappedBlocks
from tests.unit.core.data import cut, problem_of, sample_rows, train
from tests.unit.core.test_regimes import assert_identical


class _Rows:
    """Blocks that are there already, in place of rows to be packed."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks

    def blocks(self, packing: Packing, block_rows: int) -> Iterator[tuple[Block, Packed]]:
        for block in self._blocks:
            yield block, Packed(block.codes.n_rows, 1, 0)


class _Host:
    """Counts the statements, at each of which PostgreSQL looks for a cancel."""

    n_statements = 0

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[dict[str, Any]]:
        self.n_statements += 1
        return []


def _mapped(host: _Host, blocks: Sequence[Block]) -> MappedBlocks:
    return MappedBlocks(cast(Host, host), cast(RowPacker, _Rows(blocks)), 1_000)


@pytest.mark.parametrize("n_bins", [30, 400], ids=["one byte", "one and two bytes"])
@pytest.mark.parametrize(("n_classes", "weighted"), [(3, False), (0, True)])
def test_trees_are_those_of_blocks_in_memory(n_bins: int, n_classes: int, weighted: bool) -> None:
    parameters = Parameters("gini" if n_classes else "mse", 6, min_split=4, min_bucket=2, n_bins=n_bins)
    problem, block = problem_of(sample_rows(2_500, n_classes, weighted=weighted), n_classes, parameters)
    order, host = np.arange(block.codes.n_rows), _Host()
    store = _mapped(host, [*cut(block, order, 3), *cut(block, order[:0], 1)])
    row_format = RowFormat(False, weighted, None, [None] * 5)
    for _ in range(2):  # the second time it forgets what it held
        packed = store.fill(Packing(problem, row_format, None, [True] * 6), lambda packed: packed)
        assert packed == Packed(block.codes.n_rows, 4, 0)
    source = store.source(problem)
    before = host.n_statements
    assert before == 2 * 4
    assert_identical(train(problem, block), conclude(problem, grow(problem, source), source))
    assert host.n_statements > before
    store.close()


def test_no_rows_are_no_file() -> None:
    problem, _ = problem_of(sample_rows(50, 2), 2, Parameters("gini", 2, min_split=4, min_bucket=2, n_bins=5))
    store = _mapped(_Host(), [])
    row_format = RowFormat(False, False, None, [None] * 5)
    assert store.fill(Packing(problem, row_format, None, [True] * 6), lambda packed: packed) == Packed(0, 0, 0)
    assert store.source(problem).in_hand
