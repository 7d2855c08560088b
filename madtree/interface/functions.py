"""All functions that users call."""

from __future__ import annotations

from collections.abc import Mapping

from madtree.interface import explanation, management, prediction
from madtree.interface.forest_train import FOREST_TRAIN
from madtree.interface.function import Function
from madtree.interface.tree_train import TREE_TRAIN

# In the order in which they are listed.
FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (
        TREE_TRAIN,
        prediction.TREE_PREDICT,
        prediction.TREE_SQL,
        prediction.TREE_EVALUATE,
        prediction.TREE_CONFUSION,
        explanation.GET_VAR_IMPORTANCE,
        explanation.TREE_DISPLAY,
        explanation.TREE_SURR_DISPLAY,
        explanation.TREE_RULES,
        explanation.TREE_PATH,
        explanation.TREE_CP,
        explanation.TREE_TO_JSON,
        explanation.TREE_TO_PMML,
        management.TREE_PRUNE,
        management.TREE_DROP,
        FOREST_TRAIN,
        prediction.FOREST_PREDICT,
        explanation.GET_TREE,
        explanation.GET_TREE_SURR,
    )
}
