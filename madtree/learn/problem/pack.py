"""Packing: from the images of rows to a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from madtree.errors import MadtreeError
from madtree.learn.data import MOST_BLOCK_ROWS, Block, Ints, LastPlan, Steps, Values
from madtree.learn.problem.columns import block_columns
from madtree.learn.problem.packing import Packer, RowFormat
from madtree.learn.problem.problem import Problem


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
    return (block.codes.n_rows, n_skipped, n_unknown, *block_columns(block))


def pack_images(images: bytes | None, plan: bytes) -> Steps[tuple[Any, ...]]:
    """The block of rows whose missing numbers are NaN, as the fields of the SQL type `block`, in steps.

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
