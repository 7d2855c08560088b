"""Split criteria: by what splits and nodes are judged, and all that follows from it.

Every `Criterion` in a module of this room is known by its name, which `madtree.trees.CRITERIA` declares.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from madtree.learn.criteria.criterion import Criterion, RoughBinGains, gains, rough_type
from madtree.learn.criteria.judging import KnownNodes, Nodes, NodeValues, add_upwards, pairs_upwards
from madtree.learn.criteria.leaf_terms import has_guards
from madtree.learn.problem import Problem

# By name.
KNOWN: dict[str, Criterion] = {
    value.name: value
    for module in iter_modules(__path__)
    for value in vars(import_module(f"{__name__}.{module.name}")).values()
    if isinstance(value, Criterion)
}


def criterion_of(problem: Problem) -> Criterion:
    """The criterion that a problem's parameters name, as it is for that problem."""
    kept = problem.found  # it is asked for many times a round of growth
    if "criterion" not in kept:
        parameters, n_classes = problem.parameters, problem.n_classes
        if parameters.outcome.of_classes != (n_classes > 0):
            raise ValueError(f"the criterion {parameters.criterion} does not fit a target with {n_classes} classes")
        own = KNOWN[parameters.criterion]
        kept["criterion"] = own if own.for_problem is None else own.for_problem(own, problem)
    criterion: Criterion = kept["criterion"]
    return criterion
