"""From what a user wrote to a checked request: arguments, option strings, the feature list, names of new tables, and
the look-ups in the catalogue that they need. Nothing here reads rows, but for the lengths of arrays.
"""

from __future__ import annotations

from madtree.request.arguments import check_arguments
from madtree.request.boost_arguments import check_boost_arguments
from madtree.request.catalog import (
    FIRST_OTHER,
    TEXT_TYPE,
    Type,
    find_column,
    find_columns,
    find_types,
    has_order,
    plain_expressions,
    refuse_others_values,
    warn_of_texts,
)
from madtree.request.class_params import check_class_params, class_params_of, class_params_text
from madtree.request.features import kind_of
from madtree.request.grid import setting_text
from madtree.request.hints import refused_value
from madtree.request.holding import (
    HOLD_HINT,
    LOOKS,
    cannot_hold,
    changed_meanwhile,
    check_known_types,
    hold_types,
    named_types,
    renamed_by_others,
    try_to_hold,
)
from madtree.request.named_features import FeaturePlaces
from madtree.request.needed_columns import columns_needed, refuse_moved
from madtree.request.new_tables import Part, check_free, check_new, may_be_swapped, model_tables
from madtree.request.outcome import class_texts
from madtree.request.source import Alias, find_alias, find_relation, find_source, is_relation
from madtree.request.train_request import OrderedEncoding, TrainingTask
from madtree.request.tune_arguments import CHECKS, TuneTask, check_tune_arguments
from madtree.request.tuning import COSTS, Costs, Tuning
