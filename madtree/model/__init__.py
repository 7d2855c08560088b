"""Models: their tables are created, read, listed and dropped here, and variable importance comes from them; what a
model's predictions look like, and how it fits new data. Knows no numpy, as the client half uses it.
"""

from __future__ import annotations

from madtree.model.aliases import model_alias
from madtree.model.check import check_kind, check_no_offsets, check_nodes, check_not_calibrated, check_rows, check_trees
from madtree.model.facts import ColumnFacts
from madtree.model.find import ModelTables, find_model
from madtree.model.importance import get_var_importance, tree_importance
from madtree.model.kept import kept
from madtree.model.listing import models
from madtree.model.new_data import (
    NewData,
    NewTable,
    casting,
    fit_features,
    is_training_table,
    no_row_counts,
    outcome_of,
)
from madtree.model.opened import OpenModel, UsableModel, find_own, find_to_show, find_to_use
from madtree.model.outputs import (
    CONFORMAL,
    INTERVAL,
    MOST_COLUMNS,
    check_first_rounds,
    check_level,
    check_type,
    class_errors,
    class_position,
    class_positions,
    column_names,
    distinct_names,
    notice_class,
    output_columns,
    output_expression,
    own_types,
    probabilities,
)
from madtree.model.own_table import check_own_table
from madtree.model.read import (
    each_tree,
    group_objects,
    read_model,
    read_trees,
    tree_of_group,
    trees_of_gid,
    trees_of_group,
    trees_to_walk,
)
from madtree.model.scores import MOST_POINTS, MOST_POINTS_OF_ALL, base_scores, isotonic_functions, loss_thresholds
from madtree.model.size_limits import check_answer, check_categories, check_listed, few_rows
from madtree.model.summary import unquoted
from madtree.model.tables import create_tables, nodes_view, prediction_type, tree_drop
from madtree.model.trust import NOT_ALLOWED
from madtree.model.turns import make_beside, make_tables
