"""What a training asks of those who keep its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from madtree.ingest import Packed, Packing
from madtree.learn.requests import Program, Progress, T


class NotPossibleError(Exception):
    """Rows cannot be kept in this way here, after all; nothing has been left behind."""


class BlockKeeper(Protocol):
    """Packs a table's rows into blocks, keeps them somewhere, and drives programs that ask for what they hold.

    Attributes:
        may_run_statements: whether a program may run statements while it is driven.
        n_processes: that grow whole trees.
    """

    may_run_statements: bool
    n_processes: int

    def train(
        self, packing: Packing, program: Callable[[Packed, bool], Program[T]], tell: Callable[[Progress], None]
    ) -> T:
        """Pack all rows, and drive a program over them.

        Args:
            program: made once all is packed, of what was packed and whether rows are at hand.
            tell: of the program's progress.

        Raises:
            NotPossibleError: another keeper has to do it.
        """
        ...
