"""What the features contribute to what trees say of a block's rows, as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from madtree.learn.data import Bools, Coroutine, Ints, unsigned
from madtree.learn.shap import Explained, contributions
from madtree.learn.walk import RouteByNodes

_TERM_BYTES = 8

Entry = list[tuple[str, str, tuple[int, ...]]]


def shap_bytes(model: dict[str, Any]) -> int:
    """Bytes that a row's contributions take while they are added up.

    Args:
        model: the plan, checked.
    """
    explained: Explained = model["explained"]
    top: int = model["top"]
    return 3 * _TERM_BYTES * explained.n_outputs * max(explained.n_terms + top, 1)


def shap_outcomes(model: dict[str, Any], place: Ints, known: Bools | None, route: RouteByNodes) -> Coroutine[bytes]:
    """The outcomes of some rows: for each output the position of the row's group from 1, 0 without one, and behind it
    either all terms that are told, or the `top` ones, each behind the term's place from 1. They are whole numbers, in
    units of the grid.

    Args:
        model: the plan, checked.
        place: (n_rows,) of each row's group; `known`: whether it has one, None where all have.
        route: of the rows.
    """
    explained, walk, n_rows = model["explained"], model["walk"], len(place)
    terms = np.zeros((explained.n_outputs, explained.n_terms, n_rows), np.int64)
    order = np.argsort(place, kind="stable") if known is None else np.flatnonzero(known)
    order = order.take(np.argsort(place.take(order), kind="stable"))
    for rows in np.split(order, np.flatnonzero(np.diff(place.take(order))) + 1):
        if len(rows):
            trees = range(len(walk.roots))[walk.trees_of(model["members"], int(place[rows[0]]))]
            own = route if len(rows) == n_rows else route.of(rows)
            said = yield from contributions(explained, trees, own, len(rows))
            terms[:, :, slice(None) if len(rows) == n_rows else rows] = said
    if len(model["kept"]) < explained.n_terms:
        terms = terms[:, model["kept"]]
    record = np.dtype(entry(len(walk.groups), len(model["kept"]), model["n_places"], model["top"]))
    found = np.zeros((n_rows, explained.n_outputs, max(model["top"], 1)), record)
    position = place + 1 if known is None else np.where(known, place + 1, 0)
    found["outcome"] = position[:, None, None]
    if model["top"]:
        found["place"], found["term"] = _strongest(model, terms)
        found["place"][position == 0] = 0
    else:
        found["terms"][:, :, 0] = terms.transpose(2, 0, 1)
    return found.tobytes()


def entry(n_groups: int, n_terms: int, n_places: int, top: int) -> Entry:
    """What is said of a row and an output at once, as numpy describes a dtype.

    Args:
        n_terms: of the trees' terms those that are told; `n_places`: all that are told.
    """
    outcome = ("outcome", unsigned(n_groups).str, ())
    if top:
        return [outcome, ("place", unsigned(n_places).str, ()), ("term", "<i8", ())]
    return [outcome, ("terms", "<i8", (n_terms,))]


def _strongest(model: dict[str, Any], terms: Ints) -> tuple[Ints, Ints]:
    """The places (n_rows, n_outputs, top) of the terms that contribute most, from 1, and what they contribute; of
    those that contribute as much, the first ones.

    Args:
        terms: (n_outputs, n_kept, n_rows)
    """
    places, top = model["places"], model["top"]
    # Terms of which no tree tells contribute nothing: the first of them are all that may be among the strongest.
    others = np.setdiff1d(np.arange(min(model["n_places"], len(places) + top)), places)[:top]
    ranked = np.union1d(places, others)
    whole = np.zeros((terms.shape[0], len(ranked), terms.shape[2]), np.int64)
    whole[:, np.searchsorted(ranked, places)] = terms
    whole = whole.transpose(2, 0, 1)
    found = np.argsort(-np.abs(whole), axis=2, kind="stable")[:, :, :top]
    return ranked.take(found) + 1, np.take_along_axis(whole, found, axis=2)
