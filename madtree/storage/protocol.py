"""What a training asks of those who keep its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from madtree.ingest import Packed, Packing
from madtree.learn.data import CodeLayout, Coroutine
from madtree.learn.problem import Problem
from madtree.learn.requests import Program, Progress, T
from madtree.learn.route import POSITION_BYTES


class NotPossibleError(Exception):
    """Rows cannot be kept in this way here, after all; nothing has been left behind."""


class BlockKeeper(Protocol):
    """Packs a table's rows into blocks, keeps them somewhere, and drives programs that ask for what they hold.

    Attributes:
        may_run_statements: whether statements may be run while a program is driven, and so at its pauses.
        n_processes: that grow whole trees.
    """

    may_run_statements: bool
    n_processes: int

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], report: Callable[[Progress], None]
    ) -> Coroutine[T]:
        """Pack all rows, and drive a program over them, as a coroutine: at its pauses whoever goes on with it may run
        statements, and lets cancels in.

        Args:
            program: made once all is packed, of what was packed and whether rows are at hand.
            report: of the program's progress.

        Raises:
            NotPossibleError: another keeper has to do it.
        """
        ...


def row_bytes(problem: Problem) -> int:
    """Bytes of a packed row in memory: codes, target, weight, tree, fold, and its position in every replica."""
    layout = CodeLayout.for_widths(problem.bins.widths)
    channels = problem.channels
    target = 8 * channels.outcome_limbs or (1 if channels.n_classes <= 256 else 2)
    positions = POSITION_BYTES * (1 + problem.parameters.n_folds)
    return layout.row_bytes + target + 8 * channels.weight_limbs + 4 * (problem.n_trees > 1) + 1 + positions
