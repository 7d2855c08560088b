"""What a process of a crew does: it packs the parts of the table that it claims, keeps their rows, and counts them
whenever it is asked.

The functions below the class are what the SQL functions call: they find the member that this process is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from madtree.host.interrupts import InterruptedByServerError, Interrupts
from madtree.learn.data import codec
from madtree.learn.data.block import Block
from madtree.learn.data.types import Array, Ints
from madtree.learn.histogram.count import CountPlan, count_blocks
from madtree.learn.problem.folds import folds_of_rows
from madtree.learn.problem.pack import packer_of
from madtree.learn.problem.packing import NullNumberError
from madtree.storage.exchange import Exchange, waited_for
from madtree.storage.kept import KeptBlocks

# Seconds to wait for a file before the server is given the chance to look for cancels.
PATIENCE = 0.01

Part = tuple[int, int, str, str]


class Member:
    """One process's share of a crew's work."""

    def __init__(self, exchange: Exchange, plan: bytes) -> None:
        """`plan`: of `crew_plan`."""
        values = codec.load(plan)
        self.exchange = exchange
        self.interrupts = Interrupts()
        self.n_packed = np.zeros(4, np.int64)  # parts, rows, rows that were not usable, those of an unknown class
        self.n_requests = 0
        self._packer = packer_of(values)
        self._n_trees: int = values["n_trees"]
        self._ranges: list[tuple[int, str, str]] = values["ranges"]
        self.kept = KeptBlocks(exchange.open(f"blocks-{os.getpid()}", "w+b"), values["block_rows"])
        self._finished = False

    @property
    def n_parts(self) -> int:
        """Of the whole table."""
        return len(self._ranges)

    def claim(self) -> Part | None:
        """The next part to pack: its number, the number of its query from 1, its first tid and the one behind it."""
        number = self.exchange.claim()
        if number >= len(self._ranges):
            return None
        relation, low, high = self._ranges[number]
        return number, relation + 1, low, high

    def keep(self, part: int, images: bytes | None) -> bool:
        """Pack the rows of a part; False where a number is NULL instead of NaN."""
        try:
            block, n_skipped, n_unknown = self._packer.pack(images or b"")
        except NullNumberError:
            return False
        self.kept.add(part, block)
        self.n_packed += (1, block.codes.n_rows, n_skipped, n_unknown)
        return True

    def step(self) -> bool:
        """Go on for a short while; True when there is nothing left to do."""
        if not self._finished:
            self.finish()
            report = {"n_packed": self.n_packed, "index": self.kept.index()}
            self.exchange.put(f"packed-{os.getpid()}", codec.dump(report))
        if not self.n_packed[0]:
            return True  # the leader does not count on who has nothing
        request = waited_for(lambda: self.exchange.get(f"request-{self.n_requests}"), PATIENCE)
        if request is None:
            return not self.exchange.exists
        values = codec.load(request)
        if values["what"] == "end":
            return True
        answer = self.answer(values)
        self.exchange.put(f"answer-{self.n_requests}-{os.getpid()}", answer.tobytes())
        self.n_requests += 1
        return False

    def finish(self) -> None:
        """No more parts will come."""
        self.kept.finish()
        self._finished = True

    def answer(self, request: dict[str, Any]) -> Array:
        """What this process has to say to the values of a request; raises InterruptedByServerError."""
        if request["what"] == "trees":
            return self._rows_by_tree()
        if request["what"] == "folds":
            return self._set_folds(request["first"], request["n_rows"], request["n_folds"], request["seed"])
        todo = CountPlan(request)
        return count_blocks(todo, self._checked(self.kept.blocks(todo.reader)))

    def _checked(self, blocks: Iterator[tuple[int, Block]]) -> Iterator[tuple[int, Block]]:
        for numbered in blocks:
            self.interrupts.check()
            yield numbered

    def _rows_by_tree(self) -> Ints:
        """(n_parts, 1 + n_trees) of each part of this process: its number, and its rows of each tree."""
        counts = [[part, *np.bincount(tree, minlength=self._n_trees)] for part, tree in self.kept.parts()]
        return np.array(counts, np.int64)

    def _set_folds(self, first: Ints, n_rows: Ints, n_folds: int, seed: int) -> Ints:
        """`first` (parts of the table, n_trees) as in `folds_of_rows`; returns where the folds are."""
        folds = [folds_of_rows(tree, first[part], n_rows, n_folds, seed) for part, tree in self.kept.parts()]
        return self.kept.set_folds(folds)


_members: dict[str, Member] = {}
_joined: set[str] = set()


def lead(member: Member) -> None:
    """Let this process be that member of its crew."""
    _members[member.exchange.name] = member


def leave(name: str) -> None:
    _members.pop(name, None)
    _joined.discard(name)


def join(name: str) -> bool:
    """Take part in a crew, once: False in a process that has done so before, or where all is over."""
    if name in _joined:
        return False
    if name not in _members:
        exchange = Exchange(name)
        plan = exchange.get("plan")
        if plan is None:
            return False
        _members[name] = Member(exchange, plan)
    _joined.add(name)
    return True


def claim(name: str) -> Part | None:
    return _members[name].claim()


def keep(name: str, part: int, images: bytes | None) -> bool:
    return _members[name].keep(part, images)


def step(name: str) -> bool:
    """As `Member.step`; the caller lets the server look for cancels after each."""
    return _told(_members[name], _members[name].step)


def _told(member: Member, step_: Callable[[], bool]) -> bool:
    try:
        return step_()
    except InterruptedByServerError:
        return False
    except Exception as error:
        member.exchange.put(f"failed-{os.getpid()}", str(error).encode())
        raise
