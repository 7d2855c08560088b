"""Rows of which a boosted tree is grown by the size of their gradients (gradient-based one-side sampling, Ke et al.
2017): rows with large ones are kept, some of the others are drawn and count for all of these.

Sizes are counted in bins, so that the number of rows above one is exact wherever rows are. Gradients are whole numbers
on their grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from madtree.learn.columns.changing import ChangingRows
from madtree.learn.data import (
    CACHED_ROWS,
    N_SIZES,
    Array,
    Values,
    bins_of_sizes,
    flat_nonzero,
    keyed,
    least_sizes,
    mixed,
    pieces_of,
    require,
    required,
)
from madtree.learn.problem import Problem, Sampled

_MOST_EXPONENT = 1_000
_DRAWN = 7  # purpose of a hash

_LIMBS = ("target", "weight")
SAMPLED = (*_LIMBS, "fold")  # columns that change together


def size_counts(rows: ChangingRows, values: Mapping[str, Any]) -> Array:
    """(n_groups, N_SIZES) rows in training by the size of their gradient. `values`: top (n_groups,)."""
    top, total = values["top"], np.zeros(len(values["top"]) * N_SIZES)
    for piece in pieces_of(rows.block.codes.n_rows, CACHED_ROWS):
        some = rows.piece(piece)
        gradient, tree = some.block.target[0], some.block.tree
        if (is_held_out := some.held_out) is not None:
            in_training = flat_nonzero(~is_held_out)
            gradient, tree = gradient.take(in_training), None if tree is None else tree.take(in_training)
        place = bins_of_sizes(gradient, int(top[0]) if tree is None else top.take(tree))
        if tree is not None:
            place += tree.astype(np.int64) * N_SIZES
        total += np.bincount(place, minlength=len(total))
    return total.reshape(len(top), N_SIZES)


def no_sizes(values: Mapping[str, Any]) -> Array:
    """`size_counts` of no rows."""
    return np.zeros((len(values["top"]), N_SIZES))


def gradient_sample(rows: ChangingRows, values: Mapping[str, Any]) -> dict[str, Array]:
    """The fold that says which rows a tree is grown on, and their gradients and hessians, times what they count for;
    those of other rows stay.

    `values`: top (n_groups,) as of `size_counts`; least (n_groups,) the first bin all rows of which are kept; share
    (n_groups,) of the others that is drawn; seed, and tree, by which they are.
    """
    block = rows.block
    identity = required(block.identity, "identity")
    assert block.weight is not None
    key = keyed(_DRAWN, values["seed"], np.array([values["tree"]]))[0]
    fold, columns = np.empty(block.codes.n_rows, np.uint8), {name: getattr(block, name) for name in _LIMBS}
    limbs = {name: own if rows.is_free(name) else own.copy() for name, own in columns.items()}
    least_size = least_sizes(values["top"], values["least"])
    for piece in pieces_of(len(fold), CACHED_ROWS):
        tree = None if block.tree is None else block.tree[piece]
        least, share = (each[0] if tree is None else each.take(tree) for each in (least_size, values["share"]))
        is_large = np.abs(block.target[0, piece]) >= least
        is_drawn = mixed(identity[piece] ^ key) < share * 2.0**32
        fold[piece] = ~(is_large | is_drawn)
        others = flat_nonzero(is_drawn & ~is_large)
        times = 1.0 / (share if tree is None else share.take(others))
        for limb in limbs.values():
            own = limb[:, piece]
            own[:, others] = np.rint(own.take(others, axis=1) * times)
    fold *= Sampled.LEFT_OUT  # of others it is 0, IN_SAMPLE
    if block.fold is not None:
        fold[block.fold == Sampled.HELD_OUT] = Sampled.HELD_OUT
    return {"fold": fold, **limbs}


def values_of_sizes(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `size_counts` as they have come."""
    require(problem is not None and problem.n_classes == 0, "problem", "one of gradients")
    assert problem is not None
    require(8 * N_SIZES * problem.n_groups < 2**30, "rows", f"so few that counts take less than {2**30} bytes")
    return {"top": given.ints("top", (problem.n_groups,), -_MOST_EXPONENT, _MOST_EXPONENT)}


def values_of_sample(given: Values, problem: Problem | None, n_nodes: int) -> dict[str, Any]:
    """The values of `gradient_sample` as they have come."""
    found = values_of_sizes(given, problem, n_nodes)
    assert problem is not None
    require(problem.weight_grid is not None, "weight_exponents", "there")
    share = given.floats("share", (problem.n_groups,))
    require((share > 0).all() and (share <= 1).all(), "share", "above 0 and at most 1")
    return {
        **found,
        "least": given.ints("least", (problem.n_groups,), 0, N_SIZES - 1),
        "share": share,
        "seed": given.integer("seed", -(2**63), 2**63 - 1),
        "tree": given.integer("tree", 0, 2**32 - 1),
    }
