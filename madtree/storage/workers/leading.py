"""What the orchestrator does for a parallel query of resident workers, whatever they are for; and how they grow small
groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from madtree.host import Host, TemporaryPlace, local_settings
from madtree.learn.data import codec, finished
from madtree.learn.requests import Progress
from madtree.parallel import sharing
from madtree.sqltext import workers as sql
from madtree.storage.whole_trees import grow_block
from madtree.storage.workers import taking_part
from madtree.storage.workers.board import Board
from madtree.storage.workers.growers import GrowBlocks, LeadingGrower
from madtree.storage.workers.taking_part import Participant
from madtree.wording import count_text


@contextmanager
def published(plan: bytes, n_workers: int, place: TemporaryPlace) -> Iterator[Board]:
    """A board with that plan and seats for so many workers, or as many as there can be; it is closed in the end."""
    board = Board.create(min(n_workers, sql.MOST_WORKERS), place)
    try:
        board.publish(plan)
        yield board
    finally:
        taking_part.leave(board.key)
        board.close()


def work_together(host: Host, board: Board, leader: Participant) -> None:
    """Let this process as the leader and the board's workers do all that there is to do."""
    taking_part.lead(board.key, leader)
    with local_settings(host, sharing(board.n_seats)):
        host.command(sql.RUN, ["pg_catalog.text"] * 2, [sql.work(board.n_seats), board.key])


def grown_together(
    host: Host, query: str, n_blocks: int, grow_plan: bytes, n_workers: int, report: Callable[[Progress], None]
) -> Iterator[bytes]:
    """The trees of each block that has usable rows, as the bytes of a `TrainedTrees`, once all are grown.

    Args:
        host: in the server, where resident workers are possible.
        query: of the images of a block, but for the block's number, from 0, with which it ends.
        grow_plan: a dumped `GrowPlan`.
        n_workers: that help this process, at most.
        report: how many blocks are done, while they are grown, and who has grown them.
    """
    place = TemporaryPlace.of(host)
    plan = GrowBlocks(grow_plan, query, n_blocks, place)
    with published(codec.dump(plan.to_values()), n_workers, place) as board:
        leader = LeadingGrower(board, plan, report)
        work_together(host, board, leader)
        n = board.n_seated
        report(Progress(note=f"small groups grown by this process and {count_text(n, 'resident worker')}"))
        trees = leader.trees()
        for number in range(n_blocks):
            found = trees.pop(number, None)
            if found is None:  # where nobody got a branch of the query
                images = host.query(f"{query} {number}")
                work = grow_block(grow_plan, images[0]["images"] if images else b"")
                found = finished(work, host.let_in) or b""
            if len(found):
                yield bytes(found)
