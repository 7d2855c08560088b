"""Packing: from the images of rows to a block."""

from __future__ import annotations

from typing import Any

from madtree.blocks.plans import LastPlan
from madtree.core import codec
from madtree.core.block import Block
from madtree.core.packing import NullNumberError, Packer, RowFormat
from madtree.core.problem import Problem
from madtree.core.types import Ints


def pack_plan(problem: Problem, row_format: RowFormat, tree_ids: Ints | None) -> bytes:
    """The plan of `encode_part`."""
    return codec.dump({**problem.to_values(), **row_format.to_values(), "tree_ids": tree_ids})


def _packer(values: dict[str, Any]) -> Packer:
    return Packer(Problem.from_values(values), RowFormat.from_values(values), values["tree_ids"])


_packers = LastPlan(_packer)


_parts: list[tuple[Block, int, int]] = []


def encode_part(plan: bytes, images: bytes | None, is_first: bool) -> bool:
    """Bin a part of a block's rows and keep it for `encoded_block`; False where a number is NULL instead of NaN."""
    if is_first:
        _parts.clear()
    try:
        _parts.append(_packers.get(plan).pack(images or b""))
    except NullNumberError:
        return False
    return True


def encoded_block() -> tuple[Any, ...]:
    """The parts since the first one as the fields of the SQL type `block`."""
    found, skipped, unknown = zip(*_parts, strict=True)
    _parts.clear()
    return block_fields(Block.join(found), sum(skipped), sum(unknown))


def block_fields(block: Block, n_skipped: int, n_unknown: int) -> tuple[Any, ...]:
    """A block as the fields of the SQL type `block`."""
    return (
        block.codes.n_rows,
        n_skipped,
        n_unknown,
        block.codes.tobytes(),
        block.target.tobytes(),
        None if block.weight is None else block.weight.tobytes(),
        None if block.tree is None else block.tree.astype("<i4").tobytes(),
        None if block.fold is None else block.fold.tobytes(),
    )


def pack_images(images: bytes | None, plan: bytes) -> tuple[Any, ...]:
    """The block of rows whose missing numbers are NaN, as the fields of the SQL type `block`."""
    if not encode_part(plan, images, True):
        raise ValueError("a row of a distributed table has NULL in place of NaN")
    return encoded_block()
