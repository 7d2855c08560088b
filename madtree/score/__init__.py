"""Prediction: which route is taken, the CASE expression, the block scorer, and how good
predictions are.
"""

from __future__ import annotations

from madtree.score.block_scorer import score_block
from madtree.score.evaluate import tree_confusion, tree_evaluate
from madtree.score.forest_predict import forest_predict
from madtree.score.out_of_bag import predict_out_of_bag
from madtree.score.predict import fit_to_source, groups_of, tree_predict, tree_sql

__all__ = [
    "fit_to_source",
    "forest_predict",
    "groups_of",
    "predict_out_of_bag",
    "score_block",
    "tree_confusion",
    "tree_evaluate",
    "tree_predict",
    "tree_sql",
]
