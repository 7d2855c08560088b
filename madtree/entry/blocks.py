"""What the internal SQL functions call: packing, counting, growing and scoring blocks, and resident workers.

Anybody may call them with bytes of their own. Each takes `plpy` first, for its errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.entry import stepwise
from madtree.entry.errors import entry


@entry
def go_on(plpy: Any) -> bool:
    return stepwise.go_on()


@entry
def take_result(plpy: Any) -> Any:
    return stepwise.take_result()


@entry
def score_block(plpy: Any, plan: bytes, images: bytes) -> bool:
    """Begin to find what the rows of one block end in."""
    from madtree.score import score_block

    return stepwise.begin(score_block(plan, images))


@entry
def node_statistics_transition(
    plpy: Any,
    state: bytes | None,
    block_id: int | None,
    n_rows: int | None,
    columns: Sequence[bytes | None],
    request: bytes | None,
) -> bool:
    """Begin to count a block."""
    from madtree.storage import aggregate_functions

    counted = aggregate_functions.node_statistics_transition(state, block_id or 0, n_rows or 0, columns, request or b"")
    return stepwise.begin(counted)


@entry
def node_statistics_merge(plpy: Any, left: bytes | None, right: bytes | None) -> bytes | bytearray | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.node_statistics_merge(left, right)


@entry
def node_statistics_final(plpy: Any, state: bytes | None) -> bytes | bytearray | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.node_statistics_final(state)


@entry
def new_column(
    plpy: Any, plan: bytes | None, block_id: int | None, n_rows: int | None, columns: Sequence[bytes | None]
) -> bytes | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.new_column(plan or b"", block_id or 0, n_rows or 0, columns)


@entry
def grow_block(plpy: Any, plan: bytes | None, images: bytes | None) -> bool:
    """Begin to train all trees whose rows are in one block."""
    from madtree.storage import whole_trees

    return stepwise.begin(whole_trees.grow_block(plan or b"", images))


@entry
def pack_images(plpy: Any, images: bytes | None, plan: bytes | None) -> bool:
    """Begin to bin the rows of a part."""
    from madtree.learn.problem import pack_images

    return stepwise.begin(pack_images(images, plan or b""))


@entry
def workers_join(plpy: Any, key: str | None) -> bool:
    from madtree.storage.workers import member

    return member.join(key or "")


@entry
def workers_claim(plpy: Any, key: str | None) -> tuple[int, str, str, str, str] | None:
    from madtree.storage.workers import member

    return member.claim(key or "")


@entry
def workers_keep(plpy: Any, key: str | None, part: int | None, images: bytes | None) -> bool:
    from madtree.storage.workers import member

    return member.keep(key or "", -1 if part is None else part, images)


@entry
def workers_step(plpy: Any, key: str | None) -> bool:
    from madtree.storage.workers import member

    return member.step(key or "")
