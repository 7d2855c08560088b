"""Packing: from the images of rows to a block."""

from __future__ import annotations

from typing import Any

from madtree.learn.data import Block, Ints, LastPlan
from madtree.learn.problem.columns import block_columns
from madtree.learn.problem.packing import Packer, RowFormat
from madtree.learn.problem.problem import Problem


def pack_values(problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> dict[str, Any]:
    """What whoever packs needs beside the rows."""
    return {**problem.to_values(), **row_format.to_values(), "tree_ids": tree_ids}


def packer_of(values: dict[str, Any]) -> Packer:
    """The packer that `pack_values` tell of."""
    return Packer(Problem.from_values(values), RowFormat.from_values(values), values["tree_ids"])


_packers = LastPlan(packer_of)


def block_fields(block: Block, n_skipped: int, n_unknown: int) -> tuple[Any, ...]:
    """A block as the fields of the SQL type `block`."""
    return (block.codes.n_rows, n_skipped, n_unknown, *block_columns(block))


def pack_images(images: bytes | None, plan: bytes) -> tuple[Any, ...]:
    """The block of rows whose missing numbers are NaN, as the fields of the SQL type `block`."""
    return block_fields(*_packers.get(plan).pack(images or b""))
