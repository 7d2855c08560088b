"""Giving rows their folds, wherever they are."""

from __future__ import annotations

import numpy as np

from madtree.learn.problem import Problem
from madtree.learn.requests import Program, ReplaceRequest, RowsByTreeRequest


def assign_folds(problem: Problem) -> Program[None]:
    """Give every row a fold at random, by its place among the rows of its tree in the table's order."""
    found = yield RowsByTreeRequest(problem.n_trees)
    part, counts = np.hsplit(found[np.argsort(found[:, 0])], [1])
    values = {
        "part": part.reshape(-1),
        "first": np.cumsum(counts, axis=0) - counts,
        "n_rows": counts.sum(axis=0),
        "n_folds": problem.parameters.n_folds,
        "seed": problem.parameters.seed,
    }
    yield ReplaceRequest("random_folds", values)
