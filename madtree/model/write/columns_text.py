"""Columns as array literals: how a model's rows go to the server, in chunks.

PL/Python turns a list into an array at some 300 ns an element; PostgreSQL reads a literal in about half of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from madtree.learn.data import Floats, Ints
from madtree.learn.prune import CategorySets
from madtree.sqltext import array_text as text
from madtree.sqltext.tables import NULL_PROXY
from madtree.trees import Categories

CHUNK_ROWS = 16_384
CHUNK_BYTES = 2 * 2**20  # of a chunk's widest parameter, about
NO_VALUES = "{}"  # a shorter array than the other columns': `unnest` makes NULLs of what it lacks
Encoder = Callable[[slice], str]  # some of a column's rows as an array literal


def nothing(part: slice) -> str:
    """NULL in each row."""
    return NO_VALUES


def integers(values: Any) -> Encoder:
    array = np.asarray(values, dtype=np.int64)
    return lambda part: text.integers(array[part].tolist())


def floats(values: Any) -> Encoder:
    array = np.asarray(values, dtype=float)
    return lambda part: text.floats(numbers(array[part]))


def repeated_floats(values: Any) -> Encoder:
    """Floats of which many are the same ones, and are written once."""
    array = np.asarray(values, dtype=float)

    def encoded(part: slice) -> str:
        bits, place = np.unique(array[part].view(np.int64), return_inverse=True)  # -0.0 is not 0.0
        texts = np.array([*map(repr, numbers(bits.view(float)))], dtype=object)
        return text.joined_floats(texts.take(place).tolist())

    return encoded


def rows_of_floats(values: Floats, width: int) -> Encoder:
    rows = values.reshape(-1, width)
    return lambda part: text.rows_of_floats(numbers(rows[part].ravel()), width)


def picked(elements: Sequence[str], index: Any) -> Encoder:
    """Elements that are text already, by their index."""
    choice = np.array(elements, dtype=object)
    array = np.asarray(index).astype(np.int64)
    return lambda part: text.joined(choice[array[part]].tolist())


def texts_or_null(rows: Sequence[str]) -> Encoder:
    """Rows that are text already."""
    known = np.array([row != "NULL" for row in rows], dtype=bool)
    return lambda part: text.joined(rows[part]) if known[part].any() else NO_VALUES


def labels_or_null(labels: Sequence[str], index: Ints) -> Encoder:
    """Labels by their index; NULL where there are no labels."""
    return picked([text.quoted(label) for label in labels], index) if labels else nothing


def numbers(values: Any) -> list[float] | list[int]:
    """Floats; as integers, whose text is shorter and made in half of the time, where all of them are whole."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    # A negative zero would lose its sign, and what does not fit an int64 comes out negative.
    if np.array_equal(whole, values) and not np.signbit(values).any() and not (whole < 0).any():
        return list(whole.tolist())
    return list(values.tolist())


def chunks(sizes: Ints) -> Iterator[slice]:
    """Slices of the rows such that no parameter grows far beyond `CHUNK_BYTES`; `sizes` are bytes a row."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        limit = CHUNK_BYTES + (ends[begin - 1] if begin else 0)
        end = min(begin + CHUNK_ROWS, max(begin + 1, int(np.searchsorted(ends, limit, side="right"))))
        yield slice(begin, min(end, len(sizes)))
        begin = end


def level_texts(categories: Mapping[str, Any], trees: Ints) -> tuple[list[str], list[str]]:
    """For each tree the categories of all features one after the other, and how many each feature has.

    Both as elements of array literals, NULL where there are none to tell of. `trees` are their ids, (n_trees,).
    """
    if not categories:
        return ["NULL"] * len(trees), ["NULL"] * len(trees)
    written: dict[tuple[tuple[str | None, ...], ...], tuple[str, str]] = {}  # most groups have the same categories
    rows = []
    for tree in map(str, trees.tolist()):
        each = tuple(
            tuple(known.get(tree, ()) if isinstance(known, Mapping) else known) for known in categories.values()
        )
        if each not in written:
            texts = [NULL_PROXY if level is None else level for known in each for level in known]
            sizes = '"' + text.integers([len(known) for known in each]) + '"' if texts else "NULL"
            written[each] = text.text_rows([texts or None])[0], sizes
        rows.append(written[each])
    return [levels for levels, _ in rows], [sizes for _, sizes in rows]


def category_texts(categories: Sequence[Categories | None], feature: Ints, side: CategorySets) -> list[str]:
    """For each split its categories on one side as an element of an array literal, NULL where it is not by category."""
    rows: list[list[str | None] | None] = [None] * len(feature)
    ends = np.cumsum(side.sizes)
    is_unordered = np.array([known is not None for known in categories])
    for split in np.flatnonzero((feature >= 0) & is_unordered[feature]).tolist():
        known = categories[int(feature[split])] or ()
        rows[split] = [known[i] for i in side.indices[ends[split] - side.sizes[split] : ends[split]].tolist()]
    return text.text_rows(rows)


def longer(left: Sequence[str], right: Sequence[str]) -> Ints:
    """(n,) length of the longer of two texts."""
    return np.array([*map(max, map(len, left), map(len, right))], dtype=int)
