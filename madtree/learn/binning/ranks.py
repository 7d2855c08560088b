"""The ranks of values within trees, many trees at once: of whole trees each distinct value may be a bin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from madtree.learn.data import Array, Bools, Floats, Ints, Runs, flat_nonzero, heads

_LEAST_WIDTH = 32  # of lines that integers put in order sooner than numpy's argsort does
_MOST_PLACE_BITS = 12  # of a key: with fewer bits for the value, too many values would share a key
_KEY_BITS = 31


class TreeRows:
    """The rows of several trees, tree by tree, made ready for ordering the values of one feature after another.

    Trees of about the same size are ordered together, as the lines of a matrix, which is quicker than ordering all rows
    at once: a row is compared with those of its own tree only.

    Attributes:
        sizes: (n_trees,) rows of each tree.
    """

    def __init__(self, tree: Ints | None, n_trees: int, n_rows: int) -> None:
        """`tree` (n_rows,): the tree of each row, or None for a single tree."""
        self._rows: Ints | None = None  # tree by tree; None where they come so
        if tree is None:
            self.sizes: Ints = np.array([n_rows])
        else:
            self.sizes = np.bincount(tree, minlength=n_trees)
            if (tree[1:] < tree[:-1]).any():
                self._rows = np.argsort(tree.astype(np.uint16 if n_trees <= 65_536 else np.int64), kind="stable")
        runs = Runs(self.sizes)
        self.owner: Ints = runs.spread(np.arange(n_trees))
        self.heads: Ints = runs.firsts[self.sizes > 0]
        width = np.ceil(np.log(np.maximum(self.sizes, 1)) / np.log(1.25)).astype(np.int64)
        # Of each bucket of trees: where its matrix's elements stand among the rows, and which elements there are.
        self._buckets: list[tuple[Ints, Bools]] = []
        for w in np.unique(width[self.sizes > 0]).tolist():
            mine = flat_nonzero((width == w) & (self.sizes > 0))
            column = np.arange(int(self.sizes[mine].max()))
            self._buckets.append((runs.firsts[mine, None] + column, column < self.sizes[mine, None]))

    def order(self, values: Floats) -> tuple[Ints, Floats]:
        """(n_rows,) the rows, tree by tree and by value within each, NaN last, equal values as they stand; and their
        values.
        """
        value = values if self._rows is None else values.take(self._rows)
        order = np.empty(len(value), np.int64)
        for place, there in self._buckets:
            if there.all():
                order[place] = _places_in_order(value.take(place)) + place[:, :1]
                continue
            matrix = np.full(place.shape, np.nan)
            matrix[there] = value.take(place[there])
            # What is not there comes last.
            order[place[there]] = (_places_in_order(matrix) + place[:, :1])[there]
        ordered = value.take(order)
        return order if self._rows is None else self._rows.take(order), ordered


def _places_in_order(lines: Floats) -> Ints:
    """(n_lines, width) of each line the places of its values in ascending order: NaN last, equal values as they stand.

    A key of 32 bits tells where between the least and the largest value of its line a value lies, and, by its lowest
    bits, the place. Such keys are put in order in a fraction of the time that numpy's argsort takes. Where different
    values share a key, they may come out of order: such lines, and those whose values have no finite span, are sorted.
    """
    width = lines.shape[1]
    place_bits = (width - 1).bit_length()
    if width < _LEAST_WIDTH or place_bits > _MOST_PLACE_BITS:
        return np.argsort(lines, axis=1, kind="stable")
    n_keys = 2.0 ** (_KEY_BITS - place_bits) - 1
    least = np.fmin.reduce(lines, axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        span = np.fmax.reduce(lines, axis=1, keepdims=True) - least
        scale = np.where(span == 0, 0.0, (n_keys - 1) / span)
        position = lines - least
        position *= scale
    keys = np.fmin(position, n_keys, out=position).astype(np.int32).view(np.uint32)  # NaN becomes the last
    keys <<= np.uint32(place_bits)
    keys |= np.arange(width, dtype=np.uint32)
    keys.sort(axis=1)
    keys &= np.uint32(2**place_bits - 1)
    places: Ints = keys.astype(np.int64)
    ordered = lines.ravel().take(places + np.arange(0, lines.size, width)[:, None])
    wrong = (ordered[:, 1:] < ordered[:, :-1]).any(axis=1) | ~np.isfinite(span + scale).ravel()
    if wrong.any():
        places[wrong] = np.argsort(lines[wrong], axis=1, kind="stable")
    return places


class Ranks(NamedTuple):
    """Dense ranks of values among the distinct values of the same tree.

    Attributes:
        ranks: (n,) int64, 1 for a tree's smallest value, 0 where missing.
        distinct: (total,) the distinct values, tree by tree, ascending.
        counts: (total,) rows of each.
        sizes: (n_trees,) distinct values of each tree.
    """

    ranks: Array
    distinct: Floats
    counts: Ints
    sizes: Ints


def rank_within(values: Floats, rows: TreeRows) -> Ranks:
    """The ranks of `values` (n,), NaN where missing, in trees of these rows."""
    n_trees = len(rows.sizes)
    ranks = np.zeros(len(values), np.int64)
    order, ordered = rows.order(values)
    owner, begins = rows.owner, rows.heads
    ordered += 0.0  # -0.0 and 0.0 are one value
    known = ordered == ordered
    if not known.all():
        order, owner, ordered = order[known], owner[known], ordered[known]
        begins = heads(owner)
    if len(order) == 0:
        return Ranks(ranks, np.zeros(0), np.zeros(0, np.int64), np.zeros(n_trees, np.int64))
    first = np.ones(len(order), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    first[begins] = True
    starts = flat_nonzero(first)
    sizes = np.zeros(n_trees, np.int64)
    of_some = np.add.reduceat(first, begins, dtype=np.int64)  # trees with values; `dtype` makes integers of them
    sizes[owner.take(begins)] = of_some
    # Running sums that begin anew with each tree.
    steps = first.astype(np.int64)
    steps[begins[1:]] -= of_some[:-1]
    ranks[order] = np.cumsum(steps, out=steps)
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = len(order) - starts[-1]
    return Ranks(ranks, ordered.take(starts), counts, sizes)
