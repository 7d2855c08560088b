"""Trained trees on their way to the model tables: plain arrays, from one block or from a run of big trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from madtree.learn.data import codec
from madtree.learn.data.types import Array, Floats, Ints
from madtree.learn.problem.problem import Problem
from madtree.learn.prune.outcome import Outcome


@dataclass(frozen=True)
class Batch:
    """Some trained trees; n nodes ordered by tree and node id, T trees.

    Attributes:
        tree_id: (n,) id of each node's tree in the run.
        left_sizes, right_sizes: (n,) number of levels on either side, 0 where the split is not unordered.
        left_levels, right_levels: the levels' indices, node after node.
        class_weights: (n, K); (n, 0) for regression.
        cv_tree_id: one entry for each row of each tree's cp table (core.validation), where there is one; cv_chosen:
            bool. surrogate_*: one entry for each surrogate; levels as above.
        trees: (T,) ids of the trees.
        importance: (T, n_features).
        root_risk: (T,).
        The others as in `core.outcome.Outcome`.
    """

    tree_id: Ints
    node_id: Ints
    depth: Ints
    n_rows: Ints
    majority_left: Array
    feature: Ints
    threshold: Floats
    left_sizes: Ints
    right_sizes: Ints
    left_levels: Ints
    right_levels: Ints
    weight: Floats
    impurity: Floats
    risk: Floats
    complexity: Floats
    improvement: Floats
    class_weights: Floats
    prediction: Array
    trees: Ints
    importance: Floats
    root_risk: Floats
    pruning_cp: Floats
    cv_tree_id: Ints
    cv_cp: Floats
    cv_n_splits: Ints
    cv_rel_error: Floats
    cv_error_avg: Floats
    cv_error_stddev: Floats
    cv_xerror: Floats
    cv_xstd: Floats
    cv_chosen: Array
    surrogate_tree_id: Ints
    surrogate_node_id: Ints
    surrogate_rank: Ints
    surrogate_feature: Ints
    surrogate_threshold: Floats
    surrogate_low_goes_left: Array
    surrogate_agreement: Floats
    surrogate_adjusted: Floats
    surrogate_left_sizes: Ints
    surrogate_right_sizes: Ints
    surrogate_left_levels: Ints
    surrogate_right_levels: Ints

    @classmethod
    def of(cls, outcome: Outcome, problem: Problem, tree_ids: Ints) -> Batch:
        """From the outcome of a problem whose tree t is `tree_ids[t]` of the run."""
        left_sizes, left_levels = _levels(outcome.left_codes, outcome, problem)
        right_sizes, right_levels = _levels(outcome.right_codes, outcome, problem)
        n = len(outcome.tree)
        weights = outcome.class_weights
        return cls(
            tree_id=tree_ids[outcome.tree],
            left_sizes=left_sizes,
            right_sizes=right_sizes,
            left_levels=left_levels,
            right_levels=right_levels,
            class_weights=np.zeros((n, 0)) if weights is None else weights,
            trees=tree_ids,
            **{name: getattr(outcome, name) for name in _AS_THEY_ARE},
            **_surrogates(outcome, problem, tree_ids),
            **_cp_tables(outcome, problem, tree_ids),
        )

    @classmethod
    def join(cls, batches: Sequence[Batch]) -> Batch:
        """Several batches as one; at least one."""
        if len(batches) == 1:
            return batches[0]
        return cls(**{f.name: np.concatenate([getattr(b, f.name) for b in batches]) for f in fields(cls)})

    def dump(self) -> bytes:
        return codec.dump({f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, data: bytes) -> Batch:
        return cls(**codec.load(data))


_AS_THEY_ARE = (
    "node_id",
    "depth",
    "n_rows",
    "majority_left",
    "feature",
    "threshold",
    "weight",
    "impurity",
    "risk",
    "complexity",
    "improvement",
    "prediction",
    "importance",
    "root_risk",
)


def _levels(codes: dict[int, Ints], outcome: Outcome, problem: Problem) -> tuple[Ints, Ints]:
    """Number of levels of each node, and their indices."""
    sizes = np.zeros(len(outcome.tree), np.int32)
    parts: list[Ints] = []
    for node in sorted(codes):
        sizes[node] = len(codes[node])
        parts.append(_level_indices(problem, int(outcome.tree[node]), int(outcome.feature[node]), codes[node]))
    return sizes, _joined(parts)


def _surrogates(outcome: Outcome, problem: Problem, tree_ids: Ints) -> dict[str, Array]:
    """The `surrogate_*` arrays."""
    flat = [
        (node, rank, s) for node in sorted(outcome.surrogates) for rank, s in enumerate(outcome.surrogates[node], 1)
    ]
    nodes = np.array([node for node, _, _ in flat], np.int64)
    columns: dict[str, Array] = {
        "tree_id": tree_ids[outcome.tree[nodes]],
        "node_id": outcome.node_id[nodes],
        "rank": np.array([rank for _, rank, _ in flat], np.int32),
        "feature": np.array([s.feature for _, _, s in flat], np.int32),
        "threshold": np.array([s.threshold for _, _, s in flat], np.float64),
        "low_goes_left": np.array([s.low_goes_left for _, _, s in flat], np.bool_),
        "agreement": np.array([s.agreement for _, _, s in flat], np.float64),
        "adjusted": np.array([s.adjusted for _, _, s in flat], np.float64),
    }
    for side in ("left", "right"):
        codes = [(int(outcome.tree[node]), s.feature, getattr(s, f"{side}_codes")) for node, _, s in flat]
        columns[f"{side}_sizes"] = np.array([0 if own is None else len(own) for _, _, own in codes], np.int32)
        columns[f"{side}_levels"] = _joined(
            [_level_indices(problem, tree, feature, own) for tree, feature, own in codes if own is not None]
        )
    return {f"surrogate_{name}": values for name, values in columns.items()}


def _cp_tables(outcome: Outcome, problem: Problem, tree_ids: Ints) -> dict[str, Array]:
    """The cp that each tree was pruned at, and the `cv_*` arrays."""
    tables = outcome.cp_tables
    sizes = [len(table.cp) for table in tables]

    def column(name: str) -> Array:
        return np.concatenate([getattr(table, name) for table in tables]) if tables else np.zeros(0)

    is_chosen = [np.arange(len(table.cp)) == table.chosen for table in tables]
    chosen = [table.cp[table.chosen] for table in tables] or [problem.parameters.cp] * len(tree_ids)
    return {
        "pruning_cp": np.array(chosen, np.float64),
        "cv_tree_id": np.repeat(tree_ids, sizes) if tables else np.zeros(0, np.int64),
        "cv_n_splits": column("n_splits").astype(np.int64),
        "cv_error_avg": column("cv_error_avg"),
        "cv_error_stddev": column("cv_error_stddev"),
        **{f"cv_{name}": column(name) for name in ("cp", "rel_error", "xerror", "xstd")},
        "cv_chosen": np.concatenate(is_chosen) if tables else np.zeros(0, np.bool_),
    }


def _level_indices(problem: Problem, tree: int, feature: int, codes: Ints) -> Ints:
    """Indices of the levels that codes stand for: a code's bin holds its level's index."""
    start = int(problem.bins.offsets[tree, feature])
    indices: Ints = problem.bins.lower[start + codes - 1].astype(np.int32)
    return indices


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)
