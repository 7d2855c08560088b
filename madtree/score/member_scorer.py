"""What all trees of a group together say of a block's rows: votes, means or leaves, tree by tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from madtree.learn.data import Array, Coroutine, Floats, Ints
from madtree.learn.walk import MOST_ROWS
from madtree.model.arrays import quantiles
from madtree.score.boosted_scorer import boosted_outcomes
from madtree.score.routed_rows import NUMBER_BYTES, RoutedRows, as_floats, class_type, count_type
from madtree.score.votes import Votes

# What a row comes to, and the bytes that say it. A class and a count take as few as hold them all: in SQL each byte is
# a function call.
# classes: the number of the class with most votes, from 1, the first of several; 0 without trees.
# votes: how many trees vote for each class; one more than there are trees where a row has none.
# means: of what the trees predict, one number or one for each class. 10 bytes each, see `split_float`.
# sums: as `means`, of what the trees say together.
# leaves: of each tree a position from 1 among all leaves; 0 without trees. 4 bytes each.
# judged: as `classes`, and behind it, as `means`, the classes' mean shares in the leaves: what evaluation needs.
# oob_votes: as `classes`, `votes`, and how many trees lack the row, as votes are; by the votes of these alone.
# oob_means: that number of trees, and, as `means`, what these predict.
# oob_judged: as `judged`, by these trees alone.
# interval: as `means`, the mean of what the trees predict, and two quantiles of the outcomes that the leaves keep
# (`_interval`).
# leaf_outcomes: of all rows of a block together, for each leaf that of one that comes to it (`score.leaf_draws`).
# leaf_sums: of all rows of a block together, what they say of each leaf (`score.leaf_sums`).
# Of boosted models (`score.boosted_scorer`):
# raw: the scores, as `means`; expected: the number that they say; shares: the probabilities of the classes, as `means`;
# likeliest: the number of the class that is most probable, as `classes`; likely: as `judged`, by these two.
# staged: of all rows of a block together, what is lost by each number of rounds (`score.staged_scorer`).
# Of all models:
# shap: what the features contribute (`score.shap_scorer`).
OUT_OF_BAG = ("oob_votes", "oob_means", "oob_judged")
STAGED, INTERVAL, LEAF_OUTCOMES, LEAF_SUMS, SHAP = "staged", "interval", "leaf_outcomes", "leaf_sums", "shap"
OF_SCORES = ("raw", "expected", "shares", "likeliest", "likely", STAGED)
OF_KEPT = (INTERVAL, LEAF_OUTCOMES, LEAF_SUMS)
WHATS = ("classes", "votes", "means", "sums", "leaves", "judged", *OF_KEPT, *OUT_OF_BAG, *OF_SCORES, SHAP)
NUMBERS_ALONE = ("means", "sums", "oob_means")  # which ask for no votes
EVALUATED = ("judged", "oob_judged")  # which say a class and numbers
SAYS_NUMBERS = (*NUMBERS_ALONE, *EVALUATED)
# Whose bytes do not depend on how many trees there are.
OF_ANY_NUMBER = ("classes", "means", "sums", "judged", "leaves", *OF_SCORES, SHAP)
VOTES = ("classes", "votes", "oob_votes")  # which count leaves' classes alone

INTERVAL_NUMBERS = 3  # of a row
LEAF_OUTCOME_BYTES = 20  # the leaf's number, the key of the row that was drawn, and that row's outcome

_CACHED_NUMBERS = 2**17  # of an interval's, that are put in order at once
# Of the trees, that are counted between one look at which rows' classes are settled and the next.
_LOOKS = 1 / 24
_FEWER = 0.75  # of the rows: so few, and they are worth being put together


def row_bytes(what: str, members: int, n_values: int) -> int:
    """Bytes of a row's outcome; `n_values`: classes, or, without any, numbers of a leaf."""
    numbers, class_, count = NUMBER_BYTES * n_values, class_type(n_values).itemsize, count_type(members).itemsize
    return {
        "classes": class_,
        "votes": count * n_values,
        "means": numbers,
        "sums": numbers,
        "leaves": 4 * members,
        "interval": numbers,
        "judged": class_ + numbers,
        "oob_votes": class_ + count * n_values + count,
        "oob_means": count + numbers,
        "oob_judged": class_ + numbers,
        "raw": numbers,
        "expected": numbers,
        "shares": numbers,
        "likeliest": class_,
        "likely": class_ + numbers,
    }[what]


def counted_bytes(model: dict[str, Any]) -> int:
    """Bytes that a row's votes and sums take while the trees are asked, or its leaves.

    Args:
        model: the plan, checked.
    """
    what, members = model["what"], model["members"]
    if what == "leaves":
        return 4 * int(members)
    if what == SHAP:
        from madtree.score.shap_scorer import shap_bytes  # takes long to load, and most predictions do without

        return shap_bytes(model)
    if what == INTERVAL:
        return 8 * (int(members) + INTERVAL_NUMBERS)
    if what == LEAF_SUMS:  # of one tree at a time
        return 8
    if what == LEAF_OUTCOMES:
        return LEAF_OUTCOME_BYTES * (int(model["last"]) - int(model["first"]))
    if what in OF_SCORES:
        n_scores = int(model["base"].shape[1])
        # The sums of a group for each number of rounds, where each row may be of another group.
        staged = 2 * (members // n_scores) * len(model["walk"].groups) // MOST_ROWS if what == "staged" else 0
        return 8 * (n_scores + int(model["n_classes"]) + int(staged))
    votes: int = 0 if what in NUMBERS_ALONE else model["n_classes"] * count_type(members).itemsize
    sums: int = 8 * model["values"].shape[1] if what in SAYS_NUMBERS else 0
    return votes + sums


def member_outcomes(routed: RoutedRows) -> Coroutine[bytes]:
    """The outcomes of some rows."""
    outcomes = _outcomes_of_as_many if routed.model["walk"].counts is None else _outcomes_by_count
    return (yield from outcomes(routed))


def _outcomes_by_count(routed: RoutedRows) -> Coroutine[bytes]:
    """Of groups that have different numbers of trees: the rows of those that have as many, after one another."""
    model = routed.model
    counts = model["walk"].counts.take(routed.place)
    parts, order = [], []
    width = model["members"] if model["what"] == "leaves" else None
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        said = yield from _outcomes_of_as_many(replace(routed.of(rows), model={**model, "members": count}))
        part = np.frombuffer(said, np.uint8).reshape(len(rows), -1)
        if width is not None:  # none in the places of trees that a group does not have
            part = np.pad(part, ((0, 0), (0, 4 * width - part.shape[1])))
        parts.append(part)
        order.append(rows)
    if not parts:
        return b""
    found: Array = np.concatenate(parts)[np.argsort(np.concatenate(order))]
    return found.tobytes()


def _outcomes_of_as_many(routed: RoutedRows) -> Coroutine[bytes]:
    """Of rows whose groups have `members` trees."""
    model, n_rows = routed.model, routed.n_rows
    what, members = model["what"], model["members"]
    if what in OF_SCORES:
        return (yield from boosted_outcomes(routed))
    if what == INTERVAL:
        return (yield from _interval(routed))
    if what == "classes":
        classes = (yield from _majority(routed)).astype(class_type(model["n_classes"]))
        return routed.where_known(classes, 0).tobytes()
    leaves = routed.leaves()
    if what == "leaves":
        found = np.zeros((n_rows, members), "<i4")
        for member in range(members):
            found[:, member] = model["values"].take((yield from leaves(member)))
        return routed.where_known(found, 0).tobytes()
    votes = None if what in NUMBERS_ALONE else Votes.none(model["class_of"], model["n_classes"], n_rows, members)
    sums = _Sums(model["values"], n_rows) if what in SAYS_NUMBERS else None
    for member in range(members):
        leaf = yield from leaves(member)
        for counted in (votes, sums):
            if counted is not None:
                counted.add(leaf)
    if votes is None:
        assert sums is not None
        return routed.as_floats(sums.total if what == "sums" else sums.total / members).tobytes()
    if sums is None:
        return routed.where_known(votes.by_row().astype(count_type(members)), members + 1).tobytes()
    classes = routed.where_known(votes.first_of_most().astype(class_type(model["n_classes"])), 0)
    parts = classes[:, None], routed.as_floats(sums.total / members)
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1).tobytes()


def out_of_bag_outcomes(routed: RoutedRows, identity: Array) -> Coroutine[bytes]:
    """What the trees say whose samples lack a row, of some rows; `identity` (n_rows,) of these, by which they were
    drawn.
    """
    model, place, known = routed.model, routed.place, routed.known
    what, samples, leaves = model["what"], model["samples"], routed.leaves()
    n_rows, members, n_classes, none = routed.n_rows, model["members"], model["n_classes"], model["members"] + 1
    n_trees = np.zeros((n_rows, 1), count_type(members))
    votes = np.zeros((n_rows, n_classes if what != "oob_means" else 0), count_type(members))
    total = np.zeros((n_rows, model["values"].shape[1] if what in SAYS_NUMBERS else 0))
    for member in range(members):
        out = samples.out_of_bag(identity, member)
        out = out[model["is_tested"].take(place.take(out) * members + member)]
        leaf = (yield from leaves(member)).take(out)
        n_trees[out] += 1
        if votes.shape[1]:
            votes[out, model["class_of"].take(leaf).astype(np.int64) - 1] += 1
        if total.shape[1]:
            total[out] += model["values"].take(leaf, axis=0)
    has_trees = n_trees[:, 0] > 0
    means = as_floats(total / np.maximum(n_trees, 1), has_trees if known is None else has_trees & known)
    counted = routed.where_known(n_trees, none)
    if what == "oob_means":
        parts = [counted, means]
    else:
        classes = np.where(has_trees, votes.argmax(axis=1) + 1, 0).astype(class_type(n_classes))[:, None]
        said = [routed.where_known(votes, none), counted] if what == "oob_votes" else [means]
        parts = [routed.where_known(classes, 0), *said]
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1).tobytes()


def _interval(routed: RoutedRows) -> Coroutine[bytes]:
    """The mean of what the trees predict, and the interval between two quantiles of what their leaves keep: the outcome
    of one of the training rows that come to a leaf, drawn at random (Meinshausen 2006).
    """
    model, n_rows, leaves = routed.model, routed.n_rows, routed.leaves()
    members, level = model["members"], model["level"]
    kept = np.empty((members, n_rows))
    total = np.zeros(n_rows)
    for member in range(members):
        leaf = yield from leaves(member)
        total += model["means"].take(leaf)
        model["outcomes"].take(leaf, out=kept[member], mode="clip")
    found = np.empty((n_rows, INTERVAL_NUMBERS))
    found[:, 0] = total / members
    below = (1 - level) / 2
    size = max(1, _CACHED_NUMBERS // members)
    for first in range(0, n_rows, size):
        yield
        rows = slice(first, first + size)
        found[rows, 1:] = quantiles(np.ascontiguousarray(kept[:, rows].T), (below, 1 - below)).T
    return routed.as_floats(found).tobytes()


def _majority(routed: RoutedRows) -> Coroutine[Ints]:
    """(n_rows,) the class that most trees vote for, from 1.

    Once more than half of the trees have voted, rows drop out whose class the others cannot change.
    """
    model, n_rows = routed.model, routed.n_rows
    members = model["members"]
    votes = Votes.none(model["class_of"], model["n_classes"], n_rows, members)
    leaves = routed.leaves()
    found, rows = np.zeros(n_rows, np.int64), np.arange(n_rows)
    look = members // 2 + 1
    for done in range(1, members):
        votes.add((yield from leaves(done - 1)))
        if done < look:
            continue
        look = done + max(1, round(members * _LOOKS))
        still = np.flatnonzero(votes.open(members - done))
        if len(still) < _FEWER * len(rows):
            found[rows] = votes.first_of_most()
            if len(still) == 0:
                return found
            votes, rows = votes.of(still), rows.take(still)
            routed = routed.of(still)
            leaves = routed.leaves()
    votes.add((yield from leaves(members - 1)))
    found[rows] = votes.first_of_most()
    return found


class _Sums:
    """(n_rows, n_values) what the trees say, added up in their order."""

    def __init__(self, values: Floats, n_rows: int) -> None:
        self._values, self.total = values, np.zeros((n_rows, values.shape[1]))

    def add(self, leaf: Ints) -> None:
        self.total += self._values.take(leaf, axis=0)
