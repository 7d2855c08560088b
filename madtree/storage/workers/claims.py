"""The parts of some work that a process takes on, one after the other."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.storage.workers.board import Board

# Its number, the query of its images, the one for rows with NULLs, its first tid and the one behind it.
Part = tuple[int, str, str, str, str]


class Claims:
    """One process's claims on parts 0 to `n_parts` - 1, which all processes share."""

    def __init__(self, board: Board, n_parts: int) -> None:
        self._board, self._n_parts = board, n_parts
        self._claimed: int | None = None

    def next(self) -> int | None:
        """A part that nobody has claimed; None if none is left. Raises MadtreeError where the last one is not done."""
        if self._claimed is not None:
            raise MadtreeError(f"part {self._claimed} has to be kept first", sqlstate="55000")
        number = self._board.claim()
        if number >= self._n_parts:
            return None
        self._claimed = number
        return number

    def require(self, part: int) -> None:
        """Raises MadtreeError where that is not the part that was claimed."""
        if part != self._claimed:
            raise MadtreeError(f"part {part} is not the one that this process has claimed", sqlstate="55000")

    def done(self) -> None:
        """The part that was claimed is done."""
        self._claimed = None
