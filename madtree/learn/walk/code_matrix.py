"""Codes of some rows as trees are walked down by them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from madtree.learn.data import Array, Ints

MOST_ROWS = 131_072  # of a matrix: what is done once for all rows pays for many of them, and then the cache is full
_MOST_KEPT = 16 * 2**20  # bytes of bits
_WORD = 64  # bits
MOST_INNER = 255  # nodes of a tree that whole columns are compared with: a byte tells what is below them apart


def most_kept(n_rows: int) -> int:
    """Questions whose answers a matrix of so many rows keeps."""
    return _MOST_KEPT // (8 * max(_words(n_rows), 1))


class Scratch:
    """Memory for the way of `n_rows` rows down a tree.

    Attributes:
        rows: (n_rows,) their numbers.
        place, moved: (n_rows,) int64 and uint64.
        code: (n_rows,) of the codes' type.
        masks: (nodes, words) uint64.
        answers: (inner nodes, words) uint64.
        path: (words,) uint64.
    """

    def __init__(self, n_rows: int, words: int, dtype: np.dtype) -> None:
        self.rows: Ints = np.arange(n_rows)
        self.place: Ints = np.empty(n_rows, np.int64)
        self.moved: Array = np.empty(n_rows, np.uint64)
        self.code: Array = np.empty(n_rows, dtype)
        self.masks: Array = np.empty((2 * MOST_INNER + 1, words), np.uint64)
        self.answers: Array = np.empty((MOST_INNER, words), np.uint64)
        self.path: Array = np.empty(words, np.uint64)


class CodeMatrix:
    """Codes of some rows, column by column.

    Attributes:
        n_rows: at most `MOST_ROWS`.
        has_missing: whether any code is 0. Then there are as many columns again, the same but for the largest number
            in the place of 0: what a split asks that sends missing values right.
        columns: (n_features or 2 * n_features, n_rows).
        stride: from column to column, a little more than the rows need. Places of one row that are a power of two apart
            would push each other out of the cache. There are few strides, since trees keep what depends on them.
        flat: the code of row r in column c at c * stride + r.
        words: of 64 bits, a bit for each row.
    """

    def __init__(self, codes: Array) -> None:
        """`codes`: unsigned integers (n_features, n_rows), 0 where missing."""
        n_features, self.n_rows = codes.shape
        self.has_missing = bool(codes.size) and not codes.all()
        self.words = _words(self.n_rows)
        self.stride = _WORD * ((1 << max(self.words - 1, 1).bit_length()) + 1)
        self._whole: Array = np.empty((n_features * (1 + self.has_missing), self.stride), codes.dtype)
        self.columns: Array = self._whole[:, : self.n_rows]
        self.columns[:n_features] = codes
        if self.has_missing:
            self.columns[n_features:] = np.where(codes, codes, codes.dtype.type(np.iinfo(codes.dtype).max))
        self.flat: Array = self._whole.reshape(-1)
        self._place: dict[int, int] = {}  # of a question's answers among those kept
        # The system gives this memory as it is written to.
        self._kept: Array = np.empty((most_kept(self.n_rows), self.words), np.uint64)

    @cached_property
    def scratch(self) -> Scratch:
        """To be written to while rows go down a tree: getting memory anew for each takes longer than much of that."""
        return Scratch(self.n_rows, self.words, self.flat.dtype)

    def above(self, questions: list[int]) -> Array:
        """(m, words) uint64 a bit for each row, whether its code lies above a cut; behind the last row, anything. They
        hold until this is called again.

        `questions`: (m,) each a column << 32 | the cut.
        """
        found = self.scratch.answers[: len(questions)]
        known = self._place.get
        place = [known(question, -1) for question in questions]
        if min(place) < 0:
            most = most_kept(self.n_rows)
            for number, question in enumerate(questions):
                if place[number] < 0 and len(self._place) < most:
                    place[number] = self._keep(question)
        self._kept.take(place, axis=0, mode="clip", out=found)
        if min(place) < 0:
            for number, question in enumerate(questions):
                if place[number] < 0:
                    found[number] = self._answer(question)
        return found

    def _keep(self, question: int) -> int:
        """The place of a question's answers, which are kept."""
        place = self._place.get(question)
        if place is None:
            place = self._place[question] = len(self._place)
            self._kept[place] = self._answer(question)
        return place

    def _answer(self, question: int) -> Array:
        column = self._whole[question >> 32, : self.words * _WORD]
        bits: Array = np.packbits(column > column.dtype.type(question & (2**32 - 1))).view(np.uint64)
        return bits


def _words(n_rows: int) -> int:
    return -(-n_rows // _WORD)
