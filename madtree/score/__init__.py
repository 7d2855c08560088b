"""Prediction: which route is taken, the CASE expression, the block scorer, and how good
predictions are.

A name's module is loaded when the name is first asked for: a parallel worker only scores blocks, and the other modules
would take it longer to load than numpy does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from madtree.late import attributes_of

if TYPE_CHECKING:
    from madtree.score.block_scorer import score_block
    from madtree.score.calibration import calibration_maps
    from madtree.score.conformal import conformal_train
    from madtree.score.former_table import FormerTable, TableSignature, find_former
    from madtree.score.kept_statistics import tree_statistics
    from madtree.score.leaf_outcomes import draw_leaf_outcomes
    from madtree.score.new_rows import NewRows, only_row
    from madtree.score.out_of_bag import predict_out_of_bag
    from madtree.score.predict import score_table
    from madtree.score.predictor import PredictedNumbers
    from madtree.score.refreshed_leaves import refreshed_nodes
    from madtree.score.refreshed_stages import check_stages, refreshed_boosted
    from madtree.score.rows_at_hand import RowsAtHand, check_number_type, feature_places
    from madtree.score.shap import explain_table
    from madtree.score.shap_row import ExplainedRows, explain_row, explain_some
    from madtree.score.training_statistics import keep_statistics


_MODULES = {
    "block_scorer": "score_block",
    "calibration": "calibration_maps",
    "conformal": "conformal_train",
    "former_table": "FormerTable TableSignature find_former",
    "kept_statistics": "tree_statistics",
    "leaf_outcomes": "draw_leaf_outcomes",
    "new_rows": "NewRows only_row",
    "out_of_bag": "predict_out_of_bag",
    "predict": "score_table",
    "predictor": "PredictedNumbers",
    "refreshed_leaves": "refreshed_nodes",
    "refreshed_stages": "check_stages refreshed_boosted",
    "rows_at_hand": "RowsAtHand check_number_type feature_places",
    "shap": "explain_table",
    "shap_row": "ExplainedRows explain_row explain_some",
    "training_statistics": "keep_statistics",
}

__getattr__ = attributes_of(globals(), _MODULES)
