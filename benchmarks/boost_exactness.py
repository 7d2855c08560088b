"""Boosted trees of random small problems, split by split: madtree's against its definition, written down here once
more, and against LightGBM's and scikit-learn's. Where two models part, the first split says why.

    benchmarks/boost_exactness.py postgresql:///madtree 60

Writes a line for each pair that parts, and at the end the table of `docs/boosting.md`.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from dataclasses import replace

import psycopg
from exactness.problems import LOSSES, random_problem
from exactness.programs import lightgbm_trees, madtree_trees, scikit_learn_trees
from exactness.rules import LIGHTGBM, MADTREE, SCIKIT_LEARN
from exactness.verdicts import OURS, SAME, compared, faults

# LightGBM's leaves of these are other quantiles, and its gradients of rows that are on their score others.
OF_LIGHTGBM = tuple(loss for loss in LOSSES if loss not in ("absolute_error", "quantile", "huber"))
OF_SCIKIT_LEARN = tuple(loss for loss in LOSSES if loss not in ("exponential", "huber"))  # it has neither


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dsn")
    parser.add_argument("n_problems", type=int, help="of each loss")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    counts: dict[str, Counter[str]] = {"definition": Counter(), "LightGBM": Counter(), "scikit-learn": Counter()}
    with psycopg.connect(given.dsn, autocommit=True) as db:
        db.execute(
            "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS exactness; SET search_path = exactness"
        )
        for loss in LOSSES:
            for number in range(given.n_problems):
                for program, verdict in verdicts(db, number, loss):
                    counts[program].update(verdict.split("; ") if program != "definition" else [verdict])
                    if verdict != SAME:
                        print(f"{loss}, problem {number}, {program}: {verdict}", flush=True)
        db.execute("DROP SCHEMA exactness CASCADE")
    print("\n| why models part | LightGBM | scikit-learn |\n| --- | --- | --- |")
    whole = counts["LightGBM"] + counts["scikit-learn"]
    for why, _ in sorted(whole.items(), key=lambda item: (item[0] != SAME, -item[1])):
        print(f"| {why} | {counts['LightGBM'][why]} | {counts['scikit-learn'][why]} |")
    print(f"\nAgainst the definition: {dict(counts['definition'])}")


def verdicts(db: psycopg.Connection, number: int, loss: str) -> list[tuple[str, str]]:
    """Programs, and what is to be said of a problem's model and theirs."""
    problem = random_problem(number, loss)
    own = madtree_trees(db, problem)
    found = [("definition", "; ".join(faults(problem, own, MADTREE)[:1]) or SAME)]
    if loss in OF_LIGHTGBM:
        verdict = compared(problem, own, lightgbm_trees(problem), LIGHTGBM)
        found.append(("LightGBM", verdict.why))
        if verdict.why == OURS or verdict.details:
            print(verdict)
    if loss in OF_SCIKIT_LEARN:
        problem = replace(random_problem(number, loss, categories=False), min_gain=0.0)
        own = madtree_trees(db, problem)
        verdict = compared(problem, own, scikit_learn_trees(problem), SCIKIT_LEARN)
        found.append(("scikit-learn", verdict.why))
        if verdict.details:
            print(verdict)
    return found


if __name__ == "__main__":
    main()
