"""Random small problems of every loss: each tree has the splits that gain most, in their order, and each leaf what the
definition says, which `benchmarks/exactness` has once more; and where LightGBM's and scikit-learn's trees are others,
the definition says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from exactness.problems import LOSSES, random_problem
from exactness.programs import lightgbm_trees, madtree_trees, scikit_learn_trees
from exactness.rules import LIGHTGBM, MADTREE, SCIKIT_LEARN
from exactness.verdicts import OURS, SAME, THEIRS, compared, faults
from shares import share

NUMBERS = range(100, 104)


@pytest.fixture
def notices(db: psycopg.Connection) -> Iterator[psycopg.Connection]:
    db.execute("SET client_min_messages = error")
    yield db
    db.execute("RESET client_min_messages")


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("strategy", ["auto", "aggregate"])
def test_trees_are_those_of_the_definition(notices: psycopg.Connection, loss: str, strategy: str) -> None:
    for number in share(NUMBERS, 2 if strategy == "auto" else 3, len(loss)):
        problem = random_problem(number, loss)
        assert faults(problem, madtree_trees(notices, problem, strategy=strategy), MADTREE) == [], number


def test_leaves_of_little_hessian_are_as_exact_as_the_grid(notices: psycopg.Connection) -> None:
    problem = random_problem(58, "log_loss of 3")
    assert faults(problem, madtree_trees(notices, problem), MADTREE) == []


def test_a_tree_that_is_not_best_is_found_out(notices: psycopg.Connection) -> None:
    problem = random_problem(100, "squared_error")
    grown = madtree_trees(notices, problem)
    assert faults(replace(problem, outcome=problem.outcome[::-1].copy()), grown, MADTREE)
    assert faults(replace(problem, l2=problem.l2 + 3), grown, MADTREE)
    assert faults(replace(problem, min_bucket=150), grown, MADTREE)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "poisson", "log_loss of 3"])
def test_where_others_differ_the_definition_does(notices: psycopg.Connection, loss: str) -> None:
    said = []
    for number in NUMBERS[::2]:
        problem = random_problem(number, loss)
        said.append(compared(problem, madtree_trees(notices, problem), lightgbm_trees(problem), LIGHTGBM).why)
        plain = replace(random_problem(number, loss, categories=False), min_gain=0.0)
        said.append(compared(plain, madtree_trees(notices, plain), scikit_learn_trees(plain), SCIKIT_LEARN).why)
    assert OURS not in said
    assert THEIRS not in said
    assert SAME in said
