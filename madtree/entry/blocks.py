"""What the internal SQL functions call: packing, counting, growing and scoring blocks, and resident workers.

Anybody may call them with bytes of their own.

Long work of one SQL call is the rows of a query (`in_rows`): between two of them the server looks for cancels and
timeouts, in parallel workers, too, where Python may run no statement. PL/Python keeps the generator of a function's
rows with the query that asks for them. So nobody but that query can go on with the work or take its result, and
half-done work goes with the query, whether that ends, fails or is cancelled. Nothing of it stays in the session.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import wraps
from typing import Any, ParamSpec

from madtree.entry.mistakes import Mistake, in_query, mistake_or_defect

P = ParamSpec("P")
# Whether all is done, the result, and the mistake in its place: `done`, `result` and `mistake` of the SQL functions.
WorkRow = tuple[bool, Any, Mistake | None]


def in_rows(function: Callable[P, Generator[None, None, Any]]) -> Callable[P, Iterator[WorkRow | None]]:
    """Hand out a row of NULL for each short while of the work, then one with the result.

    An error is in that row as a value, for PL/pgSQL to raise: of an exception in a function's rows PL/Python would make
    one of another message.
    """

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Iterator[WorkRow | None]:
        try:
            from madtree.learn.data import advanced  # only here: numpy comes with it

            work = function(*args, **kwargs)
            while (done := advanced(work)) is None:
                yield None
        except Exception as error:
            yield True, None, mistake_or_defect(error)
        else:
            yield True, done[0], None

    return wrapper


Work = Generator[None, None, Any]


@in_rows
def score_block(plan: bytes, images: bytes) -> Work:
    """What the rows of one block end in."""
    from madtree.score import score_block

    return score_block(plan, images)


@in_rows
def node_statistics_transition(
    state: bytes | None,
    n_rows: int | None,
    columns: Sequence[bytes | None],
    nodes: bytes | None,
    request: bytes | None,
) -> Work:
    """Count a block."""
    from madtree.storage import aggregate_functions

    return aggregate_functions.node_statistics_transition(state, n_rows or 0, columns, nodes, request or b"")


@in_query
def node_statistics_merge(left: bytes | None, right: bytes | None) -> bytes | bytearray | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.node_statistics_merge(left, right)


@in_query
def node_statistics_final(state: bytes | None) -> bytes | bytearray | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.node_statistics_final(state)


@in_query
def new_column(
    plan: bytes | None,
    column: str | None,
    n_rows: int | None,
    columns: Sequence[bytes | None],
    nodes: bytes | None,
) -> bytes | None:
    from madtree.storage import aggregate_functions

    return aggregate_functions.new_column(plan or b"", column or "", n_rows or 0, columns, nodes)


@in_query
def row_sums(
    plan: bytes | None,
    n_rows: int | None,
    columns: Sequence[bytes | None],
    nodes: bytes | None,
) -> bytes | bytearray:
    from madtree.storage import aggregate_functions

    return aggregate_functions.row_sums(plan or b"", n_rows or 0, columns, nodes)


@in_rows
def moved_nodes(plan: bytes | None, n_rows: int | None, columns: Sequence[bytes | None], nodes: bytes | None) -> Work:
    """Move the rows of a block on."""
    from madtree.storage import aggregate_functions

    return aggregate_functions.moved_nodes(plan or b"", n_rows or 0, columns, nodes)


@in_rows
def grow_block(plan: bytes | None, images: bytes | None) -> Work:
    """Train all trees whose rows are in one block."""
    from madtree.storage import whole_trees

    return whole_trees.grow_block(plan or b"", images)


@in_rows
def pack_images(images: bytes | None, plan: bytes | None) -> Work:
    """Bin the rows of a part."""
    from madtree.learn.packing import pack_images

    return pack_images(images, plan or b"")


@in_query
def workers_join(key: str | None) -> bool:
    from madtree.storage.workers import taking_part

    return taking_part.join(key or "")


@in_query
def workers_claim(key: str | None) -> tuple[int, str, str, str, str] | None:
    from madtree.storage.workers import taking_part

    return taking_part.claim(key or "")


@in_query
def workers_keep(key: str | None, part: int | None, images: bytes | None) -> bool:
    from madtree.storage.workers import taking_part

    return taking_part.keep(key or "", -1 if part is None else part, images)


@in_query
def workers_grow(key: str | None) -> bool:
    from madtree.storage.workers import taking_part

    return taking_part.grow(key or "")


@in_query
def workers_step(key: str | None) -> bool:
    from madtree.storage.workers import taking_part

    return taking_part.step(key or "")
