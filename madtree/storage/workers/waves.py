"""Waves of an ensemble, grown by the leader and its workers: each takes the next one that nobody has begun.

All of them have all rows at hand, in one file that they map.
"""

from __future__ import annotations

import time
from collections import deque

from madtree.learn.at_hand import BlocksAtHand
from madtree.learn.data import Coroutine, codec
from madtree.learn.ensemble import Wave
from madtree.learn.requests import driven
from madtree.learn.waves import Ensemble
from madtree.storage.workers.board import Board
from madtree.storage.workers.messages import GrowEnsemble, GrowWave

_POLL = 0.0005  # seconds between two looks of a leader that has nothing to grow
_AHEAD = 2  # waves that a worker is asked for at once, so that it need not wait for the leader to look after it


class SharedWaves:
    """The leader's side."""

    def __init__(self, board: Board, ensemble: Ensemble, at_hand: BlocksAtHand, answered: dict[int, int]) -> None:
        """`answered`: of each seat, answers that have been read; kept up to date."""
        self._board, self._ensemble, self._at_hand, self._answered = board, ensemble, at_hand, answered
        self._begun = 0
        self._done: dict[int, Wave] = {}
        self._asked: dict[int, deque[int]] = {}  # of each seat, the waves that it is asked for
        self._own: tuple[int, Coroutine[Wave]] | None = None
        board.publish(codec.dump(GrowEnsemble(ensemble).to_values()))

    def wave(self, number: int) -> Coroutine[Wave]:
        """That wave; they are asked for in order."""
        while number not in self._done:
            self._hand_out(number)
            came = self._collect()
            if self._own is None and self._begun < self._ensemble.n_waves and self._begun <= number + self._most_ahead:
                self._own = self._begun, driven(self._ensemble.grow(self._begun), self._at_hand)
                self._begun += 1
            if self._own is not None:
                own, work = self._own
                try:
                    next(work)
                except StopIteration as stop:
                    self._done[own], self._own = stop.value, None
            elif not came:
                time.sleep(_POLL)
            yield
        return self._done.pop(number)

    @property
    def _most_ahead(self) -> int:
        """Waves that may be begun before the one that is waited for is done: they wait in memory."""
        return (1 + _AHEAD) * (1 + self._board.n_seated)

    @property
    def _ahead(self) -> int:
        """Waves that a worker is asked for: of the last ones nobody is to have two while somebody has none."""
        left = self._ensemble.n_waves - self._begun
        return _AHEAD if left > _AHEAD * (1 + self._board.n_seated) else 1

    def _hand_out(self, number: int) -> None:
        for seat in range(self._board.n_seated):
            if seat not in self._answered:
                if self._board.answer(seat, 0) is None:
                    continue  # it still looks for parts to pack
                self._answered[seat] = 1
            waiting = self._asked.setdefault(seat, deque())
            while len(waiting) < self._ahead and self._begun < self._ensemble.n_waves:
                if self._begun > number + self._most_ahead:
                    return
                self._board.publish(codec.dump(GrowWave(seat, self._begun).to_values()))
                waiting.append(self._begun)
                self._begun += 1

    def _collect(self) -> bool:
        """Whether anything came."""
        came = False
        for seat, waiting in self._asked.items():
            if waiting and (data := self._board.answer(seat, self._answered[seat])) is not None:
                self._answered[seat] += 1
                self._done[waiting.popleft()] = Wave.load(data)
                came = True
        return came
