"""Small groups grown by resident workers, as the orchestrator sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from madtree.host import Host, TemporaryPlace
from madtree.learn.data import codec, finished
from madtree.learn.requests import Progress
from madtree.storage.whole_trees import grow_block
from madtree.storage.workers.growers import GrowBlocks, LeadingGrower
from madtree.storage.workers.leading import published, work_together


def grown_together(
    host: Host, query: str, n_blocks: int, grow_plan: bytes, n_workers: int, tell: Callable[[Progress], None]
) -> Iterator[bytes]:
    """The trees of each block that has usable rows, as the bytes of a `TrainedTrees`, once all are grown.

    Args:
        host: in the server, where resident workers are possible.
        query: of the images of a block, but for the block's number, from 0, with which it ends.
        grow_plan: a dumped `GrowPlan`.
        n_workers: that help this process, at most.
        tell: how many blocks are done, while they are grown, and who has grown them.
    """
    place = TemporaryPlace.of(host)
    plan = GrowBlocks(grow_plan, query, n_blocks, place)
    with published(codec.dump(plan.to_values()), n_workers, place) as board:
        leader = LeadingGrower(board, plan, tell)
        work_together(host, board, leader)
        n = board.n_seated
        tell(Progress(note=f"small groups grown by this process and {n} resident worker{'s' * (n != 1)}"))
        trees = leader.trees()
        for number in range(n_blocks):
            found = trees.pop(number, None)
            if found is None:  # where nobody got a branch of the query
                images = host.query(f"{query} {number}")
                steps = grow_block(grow_plan, images[0]["images"] if images else b"")
                found = finished(steps, host.let_in) or b""
            if len(found):
                yield bytes(found)
