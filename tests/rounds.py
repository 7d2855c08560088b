"""Two rounds of boosting by squared error, in exact fractions and by looking at every split: what all ways of keeping
rows are held against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Limits:
    """Of a tree."""

    max_depth: int
    min_split: int
    min_bucket: int


Nodes = dict[int, tuple[int, float]]  # by node id: its rows, and the mean of what they have left


def boosted(features: Sequence[Sequence[float]], target: Sequence[float], limits: Limits, n_rounds: int) -> list[Nodes]:
    """The nodes of each round's tree; `features`: (n_features, n_rows)."""
    left = [Fraction(value) for value in target]
    rounds = []
    for _ in range(n_rounds):
        nodes: dict[int, list[int]] = {}
        _divide(features, left, list(range(len(left))), 0, 0, limits, nodes)
        means = {node: sum(left[row] for row in rows) / len(rows) for node, rows in nodes.items()}
        rounds.append({node: (len(rows), float(means[node])) for node, rows in nodes.items()})
        for node, rows in nodes.items():
            if 2 * node + 1 not in nodes:
                for row in rows:
                    left[row] -= means[node]
    return rounds


def _divide(
    features: Sequence[Sequence[float]],
    left: list[Fraction],
    rows: list[int],
    node: int,
    depth: int,
    limits: Limits,
    nodes: dict[int, list[int]],
) -> None:
    nodes[node] = rows
    if depth == limits.max_depth or len(rows) < limits.min_split:
        return
    total, best = sum(left[row] for row in rows), (Fraction(0), -1, 0.0)
    for number, values in enumerate(features):
        ordered = sorted(rows, key=lambda row: values[row])
        running = Fraction(0)
        for place, row in enumerate(ordered[:-1], 1):
            running += left[row]
            n_right = len(rows) - place
            if values[row] == values[ordered[place]] or min(place, n_right) < limits.min_bucket:
                continue
            gain = running**2 / place + (total - running) ** 2 / n_right - total**2 / len(rows)
            if gain > best[0]:
                best = gain, number, values[row]
    gain, number, highest = best
    if number < 0:
        return
    low = [row for row in rows if features[number][row] <= highest]
    high = [row for row in rows if features[number][row] > highest]
    _divide(features, left, low, 2 * node + 1, depth + 1, limits, nodes)
    _divide(features, left, high, 2 * node + 2, depth + 1, limits, nodes)
