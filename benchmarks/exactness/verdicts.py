"""What is to be said of two models of one problem: where their trees part first, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from exactness.definition import Tree
from exactness.judge import Judge, differences
from exactness.problems import Problem
from exactness.programs import Grown
from exactness.rules import DIFFERENCES, MADTREE, Rules

SAME = "the same trees"
TIE = "two splits, or their order, whose gains differ by less than gradients of single precision tell"
QUANTILES = "leaves: another definition of quantiles"
OURS, THEIRS = (
    "a tree of madtree's that is not by its definition",
    "a tree of the other's that is not by its definition",
)


@dataclass(frozen=True)
class Verdict:
    """Why two models part, by one word; `n_rounds` are the same before, and `details` what is wrong with a tree."""

    why: str
    n_rounds: int
    details: list[str]


def faults(problem: Problem, grown: Grown, rules: Rules) -> list[str]:
    """What is wrong with a model's trees by its own rules, each on the scores that those before it have made."""
    found = []
    for number, trees in enumerate(grown.rounds):
        for score, tree in enumerate(trees):
            wrong = Judge(problem, rules, grown.given(problem, number, score), tree).faults()
            found += [f"round {number}, score {score}: {each}" for each in wrong]
    return found


def compared(problem: Problem, own: Grown, other: Grown, rules: Rules) -> Verdict:
    """`rules`: the other's."""
    for number, both in enumerate(zip(own.rounds, other.rounds, strict=False)):
        for score, (tree, its) in enumerate(zip(*both, strict=True)):
            if not are_alike(problem, tree, its):
                return _parted(problem, own, other, rules, number, score)
    if len(own.rounds) != len(other.rounds):
        return _parted(problem, own, other, rules, min(len(own.rounds), len(other.rounds)), 0)
    return Verdict(SAME, len(own.rounds), [])


def are_alike(problem: Problem, tree: Tree, other: Tree) -> bool:
    """Whether leaves have the same rows, and add the same where they have one definition."""
    own, its = values_of_leaves(tree), values_of_leaves(other)
    if own.keys() != its.keys() or problem.is_of_quantiles:
        return own.keys() == its.keys()
    return all(abs(value - its[rows]) <= 1e-4 * max(1.0, abs(value)) for rows, value in own.items())


def _parted(problem: Problem, own: Grown, other: Grown, rules: Rules, number: int, score: int) -> Verdict:
    if wrong := _wrong(problem, own, MADTREE, number, score):
        return Verdict(OURS, number, wrong)
    if number == len(other.rounds):  # growth ends with a tree that cannot be split
        if any(len(tree) > 1 for tree in own.rounds[number]):
            return Verdict(THEIRS, number, ["no further round"])
        return Verdict(DIFFERENCES["quiet_roots"], number, [])
    if wrong := _wrong(problem, other, rules, number, score):
        return Verdict(THEIRS, number, wrong)
    if problem.is_of_quantiles and not np.allclose(own.before(number), other.before(number)):
        return Verdict(QUANTILES, number, [])
    # By the rules of the other one, which knows gradients less exactly, both may be right.
    its = other.rounds[number][score]
    given = other.given(problem, number, score)
    if not Judge(problem, replace(MADTREE, digits=rules.digits), given, its).faults():
        return Verdict(TIE, number, [])
    why = differences(problem, rules, given, its)
    return Verdict("; ".join(DIFFERENCES[name] for name in why), number, [])


def _wrong(problem: Problem, grown: Grown, rules: Rules, number: int, score: int) -> list[str]:
    return Judge(problem, rules, grown.given(problem, number, score), grown.rounds[number][score]).faults()


def values_of_leaves(tree: Tree) -> dict[bytes, float]:
    """By whose rows they are."""
    return {np.packbits(node.rows).tobytes(): node.value for node in tree.values() if node.left is None}
