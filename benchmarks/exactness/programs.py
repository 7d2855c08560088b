"""The trees of madtree, LightGBM and scikit-learn on a problem, as sets of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
import psycopg
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from exactness.definition import Node, Round, Rows, Tree, base_scores, derivatives, middle_quantile
from exactness.problems import CLASS_LOSSES, LEVELS, N_ROUNDS, Floats, Problem


@dataclass(frozen=True)
class Grown:
    """A model: the trees of each score in each round, and the rows' scores (n_rows, n_scores) to begin with."""

    rounds: list[list[Tree]]
    base: Floats

    def before(self, number: int) -> Floats:
        """(n_rows, n_scores) the scores before a round."""
        scores = self.base.copy()
        for trees in self.rounds[:number]:
            for score, tree in enumerate(trees):
                for node in tree.values():
                    if node.left is None:
                        scores[node.rows, score] += node.value
        return scores

    def given(self, problem: Problem, number: int, score: int) -> Round:
        scores = self.before(number)
        residual = problem.outcome - scores[:, 0]
        threshold = 0.0
        if problem.loss == "huber":
            threshold = middle_quantile(np.abs(residual), problem.weights, LEVELS["huber"])
        return Round(*derivatives(problem, scores, score, threshold), residual, threshold)


def _tree(
    leaf: Any, inner: dict[int, tuple[int, int, int]], values: dict[int, float], names: Callable[[int], int]
) -> Tree:
    """Of the leaf (n_rows,) of each row; `inner`: children and feature by number; `names`: a leaf's number."""
    found: Tree = {}

    def enter(number: int) -> Rows:
        if number in inner:
            left, right, feature = inner[number]
            rows_left, rows_right = enter(left), enter(right)
            found[number] = Node(rows_left | rows_right, np.nan, rows_left, (left, right), feature)
        else:
            found[number] = Node(leaf == names(number), values[number])
        return found[number].rows

    enter(0)
    return found


def madtree_trees(db: psycopg.Connection, problem: Problem, **more: Any) -> Grown:
    loss = problem.loss.split()[0]
    n_features = problem.features.shape[1]
    kinds = ["text" if is_category else "float8" for is_category in problem.has_categories]
    columns = [f"x{i}" for i in range(n_features)]
    made = ", ".join(f"{name} {kind}" for name, kind in zip(columns, kinds, strict=True))
    outcome = "text" if problem.loss in CLASS_LOSSES else "float8"
    db.execute(f"DROP TABLE IF EXISTS given; CREATE TEMP TABLE given (id int, y {outcome}, w float8, {made})")
    with db.cursor().copy("COPY given FROM STDIN") as copy:
        for i, row in enumerate(problem.features):
            cells = [
                None if np.isnan(x) else f"c{int(x):02}" if c else float(x)
                for x, c in zip(row, problem.has_categories, strict=True)
            ]
            y = problem.outcome[i]
            copy.write_row(
                [i, f"k{int(y)}" if problem.loss in CLASS_LOSSES else float(y), float(problem.weights[i]), *cells]
            )
    params = [f"l2_regularization={problem.l2!r}", f"min_gain={problem.min_gain!r}"]
    if loss in ("quantile", "huber"):
        params.append(f"quantile={LEVELS[loss]}")
    groups = ["[" + ", ".join(f"x{i}" for i in group) + "]" for group in problem.interactions]
    arguments: dict[str, Any] = {
        "loss": loss, "num_trees": N_ROUNDS, "learning_rate": problem.learning_rate,
        "max_leaf_nodes": problem.max_leaf_nodes, "max_depth": problem.max_depth, "min_bucket": problem.min_bucket,
        "replace": True,
        "boost_params": ", ".join(params),
        "weights": None if problem.weight is None else "w",
        "monotone": ", ".join(f"x{i}={way}" for i, way in enumerate(problem.monotone) if way) or None,
        "interaction_constraints": ", ".join(groups) or None,
        **more,
    }  # fmt: skip
    call = ", ".join(f"{name} => %s" for name in arguments)
    db.execute(
        f"SELECT madtree.boost_train('given', 'm', 'id', 'y', %s, {call})", [", ".join(columns), *arguments.values()]
    )
    db.execute("DROP TABLE IF EXISTS scored; SELECT madtree.boost_predict('m', 'given', 'scored', 'leaf')")
    leaves = np.array([row[0] for row in db.execute("SELECT node_ids FROM scored ORDER BY id").fetchall()])
    (base,) = db.execute("SELECT base_score FROM m_group").fetchone()
    by_tree: dict[int, list[Any]] = {}
    for row in db.execute("SELECT tree_id, node_id, feature, prediction FROM m_nodes").fetchall():
        by_tree.setdefault(row[0], []).append(row[1:])
    trees = []
    for number, nodes in sorted(by_tree.items()):
        inner = {node: (2 * node + 1, 2 * node + 2, int(feature[1:])) for node, feature, _ in nodes if feature}
        values = {node: value for node, _, value in nodes}
        trees.append(_tree(leaves[:, number - 1], inner, values, int))
    k = problem.n_scores
    scores = np.repeat(np.array(base, float)[None], len(leaves), axis=0)
    return Grown([trees[i : i + k] for i in range(0, len(trees), k)], scores)


def lightgbm_trees(problem: Problem) -> Grown:
    """With gradients and hessians in single precision, of the losses as they are written here: its own are others of
    more than two classes and of counts.
    """
    data = lightgbm.Dataset(
        problem.features, problem.outcome, weight=problem.weight,
        categorical_feature=np.flatnonzero(problem.has_categories).tolist(), free_raw_data=False,
    )  # fmt: skip
    base = np.repeat(base_scores(problem)[None], len(problem.outcome), axis=0)
    data.set_init_score(base if problem.n_scores > 1 else base[:, 0])

    def objective(scores: Floats, _: Any) -> tuple[Floats, Floats]:
        both = [derivatives(problem, scores.reshape(base.shape), k, 0.0) for k in range(problem.n_scores)]
        g, h = (np.stack(each, axis=1) for each in zip(*both, strict=True))
        return (g, h) if problem.n_scores > 1 else (g[:, 0], h[:, 0])

    params: dict[str, Any] = {
        "objective": objective, "num_class": problem.n_scores, "learning_rate": problem.learning_rate, "verbose": -1,
        "num_leaves": problem.max_leaf_nodes, "max_depth": problem.max_depth, "min_data_in_leaf": problem.min_bucket,
        "lambda_l2": problem.l2, "min_gain_to_split": problem.min_gain, "min_data_in_bin": 1, "max_bin": 255,
        "feature_pre_filter": False, "num_threads": 1, "deterministic": True, "force_row_wise": True,
        "enable_bundle": False,
    }  # fmt: skip
    if any(problem.monotone):
        params["monotone_constraints"] = list(problem.monotone)
    if problem.interactions:
        params["interaction_constraints"] = [list(group) for group in problem.interactions]
    model = lightgbm.train(params, data, N_ROUNDS)
    leaves = np.asarray(model.predict(problem.features, pred_leaf=True)).reshape(len(base), -1)
    trees = []
    for number, info in enumerate(model.dump_model()["tree_info"]):
        inner, values, names = {}, {}, {}
        n_inner = info["num_leaves"] - 1

        def enter(
            node: dict[str, Any], n_inner: int = n_inner, inner: Any = inner, values: Any = values, names: Any = names
        ) -> int:
            if "split_index" in node:
                own = int(node["split_index"])
                inner[own] = (enter(node["left_child"]), enter(node["right_child"]), int(node["split_feature"]))
                return own
            own = n_inner + int(node.get("leaf_index", 0))
            values[own], names[own] = float(node["leaf_value"]), int(node.get("leaf_index", 0))
            return own

        enter(info["tree_structure"])
        trees.append(_tree(leaves[:, number], inner, values, names.__getitem__))
    k = problem.n_scores
    return Grown([trees[i : i + k] for i in range(0, len(trees), k)], base)


def scikit_learn_trees(problem: Problem) -> Grown:
    is_classes = problem.loss in CLASS_LOSSES
    kind = HistGradientBoostingClassifier if is_classes else HistGradientBoostingRegressor
    loss: dict[str, Any] = {"loss": problem.loss.split()[0]}
    if problem.loss == "quantile":
        loss["quantile"] = LEVELS["quantile"]
    model = kind(
        **loss, max_iter=N_ROUNDS, early_stopping=False, learning_rate=problem.learning_rate, max_bins=255,
        max_leaf_nodes=problem.max_leaf_nodes, max_depth=problem.max_depth, min_samples_leaf=problem.min_bucket,
        l2_regularization=problem.l2, monotonic_cst=list(problem.monotone) if any(problem.monotone) else None,
        interaction_cst=[set(group) for group in problem.interactions] or None,
    ).fit(problem.features, problem.outcome, sample_weight=problem.weight)  # fmt: skip
    rounds = []
    for of_round in model._predictors:
        rounds.append([_walked(predictor.nodes, problem.features) for predictor in of_round])
    base = np.repeat(np.asarray(model._baseline_prediction).reshape(1, -1), len(problem.outcome), axis=0)
    return Grown(rounds, base)


def _walked(nodes: Any, features: Floats) -> Tree:
    leaf = np.zeros(len(features), int)
    while not nodes["is_leaf"][leaf].all():
        own = nodes[leaf]
        value = features[np.arange(len(features)), own["feature_idx"]]
        left = np.where(np.isnan(value), own["missing_go_to_left"] == 1, value <= own["num_threshold"])
        leaf = np.where(own["is_leaf"], leaf, np.where(left, own["left"], own["right"]))
    inner = {
        i: (int(n["left"]), int(n["right"]), int(n["feature_idx"])) for i, n in enumerate(nodes) if not n["is_leaf"]
    }
    return _tree(leaf, inner, {i: float(n["value"]) for i, n in enumerate(nodes)}, int)
