"""What the trees of a forest say, and which rows they have seen."""

from __future__ import annotations

from dataclasses import dataclass

from madtree.learn.data import Bools, Floats
from madtree.learn.problem import Bootstrap


@dataclass(frozen=True)
class Drawn:
    """Which rows the trees of a forest have seen.

    Attributes:
        samples: that they were grown on.
        is_tested: (n_trees,) false of a tree for which no row was drawn: it has seen all.
        identity: SQL of the number that tells rows apart in samples.
    """

    samples: Bootstrap
    is_tested: Bools
    identity: str


@dataclass(frozen=True)
class FlatForest:
    """What the trees of a forest say.

    Attributes:
        members: trees of each group, whose ids follow each other.
        what: one of `score.forest_scorer.WHATS`.
        n_classes: 0 for numbers.
        values: (n_nodes, n_values) what each node as a leaf says; whole numbers, but for means and judged.
        drawn: the rows that the trees were grown on, for what is said out of bag; else None.
    """

    members: int
    what: str
    n_classes: int
    values: Floats
    drawn: Drawn | None = None
