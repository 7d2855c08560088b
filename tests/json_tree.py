"""A reader of tree_to_json's documents as anybody could write it: it knows docs/json.md and nothing of madtree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Document = dict[str, Any]


def find_tree(document: Document, group: Sequence[str | None] = ()) -> Document | None:
    """The tree of a row's group, whose values are given as text; None if there is none, or it could not be trained."""
    for tree in document["trees"]:
        if tree["group"] == list(group) and tree["nodes"]:
            return tree
    return None


def find_leaf(document: Document, tree: Document, row: Mapping[str, float | str | None]) -> Document:
    """The leaf of a row, whose values are given by feature, encoded as the document says."""
    node = tree["nodes"][0]
    while "split" in node:
        node = tree["nodes"][node[way_at(document, tree, node, row)]]
    return node


def way_at(document: Document, tree: Document, node: Document, row: Mapping[str, float | str | None]) -> str:
    """Where an inner node sends a row."""
    for split in [node["split"], *node["surrogates"]]:
        feature = document["features"][split["feature"]]
        value = row[feature["name"]]
        if feature["null_last"] and (value is None or math.isnan(float(value))):
            value = math.inf
        answer = _ask(split, value, tree["levels"].get(feature["name"]))
        if answer is not None:
            return answer
    way: str = node["default"]
    return way


def number(value: float | str | None) -> float | None:
    """Texts stand for the numbers that JSON lacks."""
    return None if value is None else float(value)


def probabilities(leaf: Document) -> list[float]:
    total = math.fsum(leaf["class_weights"])
    return [weight / total for weight in leaf["class_weights"]]


def _ask(split: Document, value: float | str | None, seen: Sequence[str] | None) -> str | None:
    if "threshold" in split:
        if value is None or math.isnan(float(value)):
            return None
        is_low = float(value) <= number(split["threshold"])
        return "left" if is_low == split["low_goes_left"] else "right"
    named = split["left_levels"] + split["right_levels"]
    if None in named and value not in named and value not in (seen or []):
        value = None
    if value in split["left_levels"]:
        return "left"
    return "right" if value in split["right_levels"] else None
