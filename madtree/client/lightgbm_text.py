"""A boosted model as the text of a model of LightGBM's, whose scores are the same but for the last digits.

Numbers are compared as float64 there, too, and each split knows where missing values go. LightGBM knows no score to
begin with, so that is added to the trees of the first round, as its own `boost_from_average` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from madtree.client.boosted_arrays import BoostedArrays
from madtree.client.calls import CallError
from madtree.client.feature_values import NUMERIC, column_name
from madtree.client.frames import Array
from madtree.client.tree_arrays import NodeArrays
from madtree.trees import Feature, FeatureKind, Link, Model

_DEFAULT_LEFT, _NAN_IS_MISSING = 2, 8  # bits of a split's decision_type
_OBJECTIVES = {
    Link.IDENTITY: "regression",
    Link.LOGIT: "binary sigmoid:1",
    Link.HALF_LOGIT: "binary sigmoid:2",
    Link.SOFTMAX: "multiclass num_class:{n_scores}",
}
_UNKNOWN = {
    Link.ISOTONIC: "by isotonic regression, and LightGBM knows no steps",
    Link.ONE_VS_REST: "class by class, and LightGBM does not divide such probabilities by their sum",
}
_NO_NAME = re.compile(r'[\s",:\[\]{}]')  # characters that names of features cannot have there


def booster_of(model: Model, boosted: BoostedArrays) -> Any:
    """A boosted model of one group as a ``lightgbm.Booster``; errors as for `lightgbm_text`."""
    try:
        from lightgbm import Booster
    except ImportError as error:
        raise ImportError("this needs LightGBM: pip install lightgbm") from error
    return Booster(model_str=lightgbm_text(model, boosted))


def lightgbm_text(model: Model, boosted: BoostedArrays) -> str:
    """What LightGBM reads as a model.

    Args:
        model: its own trees are not looked at.

    Raises:
        CallError: a split asks what LightGBM does not compare as madtree does, or there is one class only.
    """
    others = [f"{feature.name} ({feature.type})" for feature in boosted.trees.used if not _is_number(feature)]
    if others:
        raise CallError(
            f"LightGBM cannot hold the splits of {model.name} by {', '.join(others)}: only numbers are compared alike",
            "to_sklearn takes all features.",
        )
    if boosted.n_classes == 1:
        raise CallError(f"{model.name} knows one class only, and LightGBM needs two")
    if boosted.link in _UNKNOWN:
        raise CallError(f"{model.name} was calibrated {_UNKNOWN[boosted.link]}", "to_sklearn takes it.")
    # Of the losses of numbers the name matters where a score is a logarithm.
    objective = model.loss.name if boosted.link is Link.LOG else _OBJECTIVES[boosted.link]
    header = {
        "version": "v4",
        "num_class": boosted.n_scores,
        "num_tree_per_iteration": boosted.n_scores,
        "label_index": 0,
        "max_feature_idx": len(model.features) - 1,
        "objective": objective.format(n_scores=boosted.n_scores),
        "feature_names": " ".join(_names(model.features)),
        "feature_infos": " ".join("[-inf:inf]" for _ in model.features),
    }
    trees = [
        _tree(number, boosted.trees.tree(number), float(boosted.base[number]) if number < boosted.n_scores else 0.0)
        for number in range(boosted.trees.n_trees)
    ]
    sizes = " ".join(str(len(tree.encode())) for tree in trees)
    parameters = "".join(f"{key}={value}\n" for key, value in {**header, "tree_sizes": sizes}.items())
    end = "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:null\n"
    return f"tree\n{parameters}\n{''.join(trees)}{end}"


def _is_number(feature: Feature) -> bool:
    return feature.kind is not FeatureKind.UNORDERED and feature.type in NUMERIC and not feature.null_last


def _names(features: Iterable[Feature]) -> Iterator[str]:
    taken: set[str] = set()
    for number, feature in enumerate(features):
        name = _NO_NAME.sub("_", column_name(feature))
        name = name if name and name not in taken else f"{name}_{number}"
        taken.add(name)
        yield name


def _tree(number: int, nodes: NodeArrays, added: float) -> str:
    """One tree; `added` to what all its nodes say."""
    is_leaf = nodes.left < 0
    inner, leaves = np.flatnonzero(~is_leaf), np.flatnonzero(is_leaf)
    # Inner nodes are counted from 0, leaves from -1 downwards.
    place = np.where(is_leaf, -np.cumsum(is_leaf, dtype=np.int64), np.cumsum(~is_leaf) - 1)
    value = nodes.prediction + added
    columns: dict[str, Array] = {}
    if len(inner):
        columns = {
            "split_feature": nodes.feature[inner],
            "split_gain": nodes.improvement[inner],
            "threshold": nodes.threshold[inner],
            "decision_type": _NAN_IS_MISSING + _DEFAULT_LEFT * nodes.majority_left[inner],
            "left_child": place[nodes.left[inner]],
            "right_child": place[nodes.right[inner]],
            "leaf_value": value[leaves],
            "leaf_weight": nodes.weight[leaves],
            "leaf_count": nodes.n_rows[leaves],
            "internal_value": value[inner],
            "internal_weight": nodes.weight[inner],
            "internal_count": nodes.n_rows[inner],
        }
    else:
        columns = {"leaf_value": value}
    lines = [f"Tree={number}", f"num_leaves={len(leaves)}", "num_cat=0"]
    lines += [f"{name}={' '.join(map(repr, column.tolist()))}" for name, column in columns.items()]
    return "\n".join([*lines, "is_linear=0", "shrinkage=1", "", "", ""])
