"""What users call, said once: each function with its arguments, their types and defaults, its columns and its help.

The extension's SQL (`install`), what answers a call (`calls`), the usage texts and the pages of the documentation are
made from it. Knows nothing of the rest of the package.
"""

from __future__ import annotations

from collections.abc import Mapping

from madtree.interface import explanation, management, prediction
from madtree.interface.forest_train import FOREST_TRAIN
from madtree.interface.function import Argument, Column, Function, columns
from madtree.interface.settings import FOREST_SETTINGS, FOREST_TOLD, LATER_SETTINGS, SETTINGS, TOLD, labels
from madtree.interface.shared import TEXTS
from madtree.interface.tree_train import TREE_TRAIN
from madtree.interface.usage import as_sql, example, usage
from madtree.interface.valid import Named, OneOf, Range

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

__all__ = [
    "FOREST_SETTINGS",
    "FOREST_TOLD",
    "FUNCTIONS",
    "LATER_SETTINGS",
    "SETTINGS",
    "TEXTS",
    "TOLD",
    "Argument",
    "Column",
    "Function",
    "Named",
    "OneOf",
    "Range",
    "as_sql",
    "columns",
    "example",
    "labels",
    "usage",
]
