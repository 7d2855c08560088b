"""The provider whose rows are in this process: blocks in its memory, or in a file that is mapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from madtree.learn.data import Array, Block, Steps
from madtree.learn.histogram.requests import CountRequest, Request, RowsRequest
from madtree.learn.histogram.rows_of_nodes import RowsOfNodes
from madtree.learn.histogram.transition import PlacedBlock, final, transition_steps
from madtree.learn.route import Positions

_COPIED_ROW_BYTES = 32  # slot, class, place in its block, place in the histogram


class BlocksAtHand:
    """Answers requests by the blocks of this process, and remembers their rows' positions."""

    rows_at_hand = True

    def __init__(self, blocks: Sequence[Block], position_bytes: int) -> None:
        """`position_bytes`: that positions may take; those that find no room are worked out anew in each pass."""
        positions = Positions(position_bytes)
        self._blocks = [PlacedBlock(number, block, positions) for number, block in enumerate(blocks)]
        self._block_rows = sum(block.codes.n_rows for block in blocks) // max(len(blocks), 1)  # of an average block

    def answer(self, request: Request) -> Steps[Any]:
        if isinstance(request, CountRequest):
            return (yield from self._count(request))
        if isinstance(request, RowsRequest):
            return (yield from self._rows(request))
        raise NotImplementedError(f"blocks at hand have no answer to {request}")

    def _count(self, request: CountRequest) -> Steps[Array]:
        if self._are_counted_together(request):
            return final((yield from transition_steps(None, self._blocks, request)))
        state: Array = request.zeros()
        for block in self._blocks:
            state = yield from transition_steps(state, [block], request)
        return final(state)

    def _rows(self, request: RowsRequest) -> Steps[RowsOfNodes]:
        parts = []
        for block in self._blocks:
            yield
            parts += [block.part(request, replica) for replica in range(request.problem.n_replicas)]
        return RowsOfNodes.of(request.problem.channels, parts)

    def _are_counted_together(self, request: CountRequest) -> bool:
        """Whether there are more bins than rows of a block, so that adding all bins up for each block takes longer than
        copying the rows out, and there is room for that.
        """
        if request.what != "histograms" or len(self._blocks) < 2:
            return False
        n_features = request.features[1] - request.features[0]
        if request.shape[0] * request.shape[1] <= self._block_rows * n_features:
            return False
        problem = request.problem
        limbs = problem.channels.weight_limbs + problem.channels.outcome_limbs
        n_bytes = request.n_rows * (_COPIED_ROW_BYTES + 8 * limbs)
        return n_bytes <= problem.parameters.memory_bytes // problem.tuning.copied_share
