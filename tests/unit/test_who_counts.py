"""Who sums by rows: the modules that call numpy's functions for it are listed here, each with what it sums.

What trees are grown by, the sums of nodes and bins, is summed in three rooms alone, on behalf of `transition`. Whoever
adds a module to the other list says what else it sums.
"""

from __future__ import annotations

import ast
from pathlib import Path

import madtree

PACKAGE = Path(madtree.__file__).parent
SUMMING = {"bincount", "reduceat", "at"}  # np.bincount, np.add.reduceat, np.add.at and those of other operators
COUNTING = {
    "learn/histogram/histogram.py",
    "learn/leaf_sums/sums.py",
    "learn/counting/rows_by_node.py",
    "learn/counting/joint_tables.py",
}
OTHERS = {
    "ingest/bin_finder.py": "rows of each tree in the sample for bins",
    "learn/at_hand/bagged_block.py": "rows of each group in a bag, as places to put them",
    "learn/binning/bins.py": "sizes of bins, before there are blocks",
    "learn/binning/encode.py": "edges by cell of a look-up table",
    "learn/binning/ranks.py": "distinct values by tree, before there are blocks",
    "learn/columns/boosted.py": "losses by group, after each round",
    "learn/columns/residuals.py": "rows and weights by leaf and digit, for quantiles",
    "learn/columns/gradient_samples.py": "rows by the size of their gradients, before some are drawn",
    "learn/data/exact_sums.py": "numbers of rows by leaf, of trees that have been grown already",
    "learn/data/runs.py": "chosen rows of a run, as places to put them",
    "learn/data/hashes.py": "numbers to be put in order, by digit",
    "learn/ensemble/known_categories.py": "categories by group and feature",
    "learn/ensemble/leaf_values.py": "mistakes and weights of leaves, by tree",
    "learn/ensemble/row_targets.py": "errors of out-of-bag rows by group",
    "learn/ensemble/out_of_bag.py": "out-of-bag rows by group",
    "learn/ensemble/random_cuts.py": "bins by segment",
    "learn/grow/policy.py": "splits by tree",
    "learn/problem/folds.py": "rows by tree and hash, before there are folds",
    "learn/losses/quantiles.py": "rows by leaf, of trees that have been grown already",
    "learn/packing/prepare.py": "rows and ranges of each tree, before there are blocks",
    "learn/prune/explained.py": "nodes and gains by tree",
    "learn/prune/outcome.py": "gains by feature",
    "learn/prune/trained.py": "nodes by tree",
    "learn/prune/validation.py": "nodes' errors by complexity",
    "learn/split/category_order.py": "rare categories by segment",
    "learn/split/coarse.py": "bins by segment",
    "learn/split/every_bin.py": "gains by segment",
    "learn/split/occupied_bins.py": "bins by segment",
    "learn/split/screen.py": "rows of nodes, as places of them",
    "learn/split/shortlist.py": "gains by segment",
    "learn/split/sorted_rows.py": "rows of nodes, as places of them",
    "learn/shap/background.py": "patterns of conditions, by leaf",
    "learn/shap/contributions.py": "terms of leaves by feature",
    "learn/tune/leaf_scores.py": "weights of leaves that say the same",
    "learn/walk/by_bits.py": "leaves that splits take away, by code and tree",
}


def summing(path: Path) -> bool:
    """Whether a module calls one of these functions of numpy's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SUMMING:
            owner = ast.unparse(node.func.value)
            if owner.split(".")[0] == "np":
                return True
    return False


def test_rows_become_the_sums_of_nodes_for_transition_alone() -> None:
    rooms = [PACKAGE / "learn", PACKAGE / "storage", PACKAGE / "ingest"]
    found = {path.relative_to(PACKAGE).as_posix() for room in rooms for path in room.rglob("*.py") if summing(path)}
    assert found >= COUNTING
    assert found - COUNTING == OTHERS.keys()
