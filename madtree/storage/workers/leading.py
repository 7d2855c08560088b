"""What the orchestrator does for a parallel query of resident workers, whatever they are for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from madtree.host import Host, TemporaryPlace, local_settings
from madtree.parallel import sharing
from madtree.sqltext import workers as sql
from madtree.storage.workers import taking_part
from madtree.storage.workers.board import Board
from madtree.storage.workers.taking_part import Participant


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
