"""Packing: from the images of a range of rows to a block, by bins that are known already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.learn.binning import Bins, EdgeEncoder
from madtree.learn.columns import block_columns
from madtree.learn.data import (
    MOST_BLOCK_ROWS,
    NARROW_LIMIT,
    Array,
    Block,
    CodeLayout,
    Coroutine,
    Floats,
    Ints,
    LastPlan,
    Values,
    ascends,
    finished,
    require,
)
from madtree.learn.packing.raw_rows import RawRows, first_scores, on_grids
from madtree.learn.packing.row_format import RowFormat
from madtree.learn.problem import Problem, rows_of_trees
from madtree.trees import ROW_NUMBERS, WEIGHT

_MOST_ENCODERS = 16_384  # that are kept, each of some 20 kB; large trees have no more by far


class Packer:
    """Turns rows into blocks of a problem whose bins, grids and trees are known."""

    def __init__(self, problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> None:
        """`tree_ids` (n_trees,) ascending: the ids of the problem's trees as rows carry them, or None for one tree.

        Raises:
            MadtreeError: the rows are not those of the problem.
        """
        row_format.require_fit(problem.n_classes, problem.unordered.tolist())
        for keys, widest in zip(row_format.category_keys, problem.bins.sizes.max(axis=0).tolist(), strict=True):
            require(keys is None or len(keys) <= widest, "category_sizes", "the bins that there are")
        require(("tree" in row_format.has) == (tree_ids is not None), "tree_ids", "there where rows tell their trees")
        if tree_ids is not None:
            fits = 0 < len(tree_ids) <= problem.n_trees and ascends(tree_ids)
            require(fits, "tree_ids", "ascending, one for each tree")
        for each in ROW_NUMBERS:
            is_there = each.name in problem.ranges or (each is WEIGHT and problem.weight_grid is not None)
            require((each.name in row_format.has) == is_there, f"has_{each.name}", f"whether there are {each.name}s")
        self.problem = problem
        self.row_format = row_format
        self.tree_ids = tree_ids
        self._layout = CodeLayout.for_widths(problem.bins.widths)
        self._encoders: dict[tuple[int, int], EdgeEncoder] = {}

    def pack(self, images: bytes | Floats) -> tuple[Block, int, int]:
        """The block of the usable rows among `images`, how many were not usable, and how many had an unknown class."""
        return self.pack_rows(self.row_format.read(images))

    def pack_rows(self, rows: RawRows) -> tuple[Block, int, int]:
        """What `pack` makes of rows that the format has read."""
        return finished(self.packing(rows))

    def packing(self, rows: RawRows) -> Coroutine[tuple[Block, int, int]]:
        """What `pack_rows` does, as a coroutine."""
        total, n_unknown = len(rows.target), rows.n_unknown
        keep = rows.usable()
        if self.tree_ids is not None:
            assert rows.tree is not None
            at = np.minimum(np.searchsorted(self.tree_ids, rows.tree), len(self.tree_ids) - 1)
            keep &= self.tree_ids[at] == rows.tree
            rows = replace(rows, tree=at)
        rows = rows.select(keep)
        codes = self._layout.empty(len(rows.target))
        for f in range(len(rows.features)):
            yield
            codes.column(f)[:] = yield from self._codes(f, rows)
        fold = None if rows.fold is None else rows.fold.astype(np.uint8)
        first = first_scores(self.problem, rows)
        block = Block(codes, *on_grids(self.problem, rows), rows.tree, fold, rows.identity, first)
        return block, total - len(rows.target), n_unknown

    def _codes(self, feature: int, rows: RawRows) -> Coroutine[Array]:
        values = rows.features[feature]
        if self.problem.unordered[feature]:
            return np.where(np.isnan(values), 0.0, values + 1)
        # Where there is no bin, no row that bins are made of has a value, and no split asks for it.
        if rows.tree is None and self.problem.bins.sizes[0, feature]:
            return self._encoder(0, feature).codes(values)
        codes = np.zeros(len(values), np.uint16)
        if rows.tree is None:
            return codes
        for tree, mine in rows_of_trees(rows.tree):
            yield
            if not self.problem.bins.sizes[tree, feature]:
                continue
            codes[mine] = self._encoder(tree, feature).codes(values[mine])
        return codes

    def _encoder(self, tree: int, feature: int) -> EdgeEncoder:
        found = self._encoders.get((tree, feature))
        if found is None:
            table = self.problem.bins
            start = int(table.offsets[tree, feature])
            span = slice(start, start + int(table.sizes[tree, feature]))
            edges = Bins(table.lower[span], table.upper[span]).edges
            require((edges[1:] >= edges[:-1]).all(), "bin_lower", "ascending")
            found = EdgeEncoder(edges, np.uint8 if len(edges) + 2 <= NARROW_LIMIT else np.uint16)
            if len(self._encoders) < _MOST_ENCODERS:
                self._encoders[tree, feature] = found
        return found


def pack_values(problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> dict[str, Any]:
    """What whoever packs needs beside the rows."""
    return {**problem.to_values(), **row_format.to_values(), "tree_ids": tree_ids}


def packer_of(values: Mapping[str, Any]) -> Packer:
    """The packer that `pack_values` tell of; raises MadtreeError where they tell of none."""
    given = Values(values)
    tree_ids = given.ints("tree_ids", (None,), -(2**63), 2**63 - 1) if "tree_ids" in given else None
    return Packer(Problem.from_values(values), RowFormat.from_values(values), tree_ids)


_packers = LastPlan(packer_of)


def block_fields(block: Block, n_skipped: int, n_unknown: int) -> tuple[Any, ...]:
    """A block as the fields of the SQL type `block`."""
    scores = None if block.scores is None else block.scores.tobytes()
    return (block.codes.n_rows, n_skipped, n_unknown, *block_columns(block), scores)


def pack_images(images: bytes | None, plan: bytes) -> Coroutine[tuple[Any, ...]]:
    """The block of rows whose missing numbers are NaN, as the fields of the SQL type `block`, as a coroutine.

    Raises:
        MadtreeError: the plan or the images are damaged, or they are too many rows for a block.
    """
    packer = _packers.get(plan)
    require_images(images or b"", packer.row_format)
    packed = yield from packer.packing(packer.row_format.read(images or b""))
    return block_fields(*packed)


def require_images(images: bytes, row_format: RowFormat) -> None:
    """Raises MadtreeError where these are not the images of rows of a block."""
    n_rows = row_format.count(images)
    if n_rows is None:
        raise MadtreeError(f"images must be those of rows of {row_format.n_columns} numbers, none of them NULL")
    if n_rows > MOST_BLOCK_ROWS:
        raise MadtreeError(
            f"a block holds at most {MOST_BLOCK_ROWS:,} rows, not {n_rows:,}",
            hint="A distributed table is cut into parts by id_col_name, which should be unique.",
        )
