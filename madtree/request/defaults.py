"""The defaults of the SQL functions' arguments.

What cannot import them repeats them: the functions' declarations in SQL, the signatures of the Python client, the help
texts and the documentation. A test compares all of these with what is here.
"""

from __future__ import annotations

from collections.abc import Mapping

SPLIT_CRITERION = "gini"
MAX_DEPTH = 10
MIN_SPLIT = 20
SPLIT_PER_BUCKET = 3  # of min_split and min_bucket, one follows from the other
N_BINS = 100
VERBOSE = False
SEED = 1
REPLACE = False
MEMORY_MB = 64
STRATEGY = "auto"
MIN_IMPURITY_DECREASE = 0.0
SHRINK = 1.0
MAX_COMPETITORS = 0

NUM_TREES = 100
NUM_PERMUTATIONS = 1
SAMPLE_RATIO: float = 1
SAMPLING = "poisson"
SPLIT_RULE = "best"
FOREST_MIN_SPLIT = {True: 2, False: 5}  # of classes, of numbers (Breiman 2001)
FOREST_MIN_BUCKET = 1

MAX_SURROGATES = 0
NULL_AS_CATEGORY = False
SURROGATE_STYLE = 0
CP = 0.0
N_FOLDS = 0
RULE = "min"

PREDICTION_TYPE = "response"
TRUST_OWNER = False
FULL = False

# By function, the arguments that have a default in SQL, in their order. None is NULL.
ARGUMENTS: Mapping[str, Mapping[str, object]] = {
    "tree_train": {
        "list_of_features_to_exclude": None,
        "split_criterion": SPLIT_CRITERION,
        "grouping_cols": None,
        "weights": None,
        "max_depth": MAX_DEPTH,
        "min_split": None,  # MIN_SPLIT, or SPLIT_PER_BUCKET * min_bucket where only that is given
        "min_bucket": None,  # min_split / SPLIT_PER_BUCKET
        "n_bins": N_BINS,
        "surrogate_params": None,
        "pruning_params": None,
        "verbose": VERBOSE,
        "seed": SEED,
        "replace": REPLACE,
        "parallel_workers": None,
        "memory_mb": MEMORY_MB,
        "strategy": STRATEGY,
        "max_leaf_nodes": None,  # any number
        "min_impurity_decrease": None,  # MIN_IMPURITY_DECREASE
        "classification": None,  # as the dependent variable's type says
        "class_params": None,  # all classes count alike
        "exposure": None,  # 1
        "shrink": None,  # SHRINK
        "feature_costs": None,  # 1 of each
        "max_competitors": MAX_COMPETITORS,
        "null_handling_params": None,  # MADlib's name of surrogate_params
        "verbose_mode": VERBOSE,  # MADlib's name of verbose
    },
    "forest_train": {
        "list_of_features_to_exclude": None,
        "grouping_cols": None,
        "num_trees": NUM_TREES,
        "num_random_features": None,  # the root of their number, or a third
        "importance": True,
        "num_permutations": NUM_PERMUTATIONS,
        "max_tree_depth": None,  # MAX_DEPTH_LIMIT
        "min_split": None,  # FOREST_MIN_SPLIT
        "min_bucket": None,  # FOREST_MIN_BUCKET
        "num_splits": N_BINS,
        "null_handling_params": None,
        "verbose": VERBOSE,
        "sample_ratio": SAMPLE_RATIO,
        "weights": None,
        "split_criterion": SPLIT_CRITERION,
        "split_rule": SPLIT_RULE,
        "sampling": SAMPLING,
        "seed": SEED,
        "replace": REPLACE,
        "parallel_workers": None,
        "memory_mb": MEMORY_MB,
        "classification": None,  # as the dependent variable's type says
        "strategy": STRATEGY,
        "oob_predictions": False,
    },
    "forest_predict": {"type": PREDICTION_TYPE, "trust_owner": TRUST_OWNER},
    "get_tree": {"dot_format": True, "verbose": False},
    "tree_predict": {"type": PREDICTION_TYPE, "trust_owner": TRUST_OWNER},
    "tree_sql": {"type": PREDICTION_TYPE, "tree_id": None, "trust_owner": TRUST_OWNER},
    "tree_display": {"dot_format": True, "verbosity": False, "full": FULL},
    "tree_surr_display": {"full": FULL},
    "tree_evaluate": {"trust_owner": TRUST_OWNER},
    "tree_confusion": {"trust_owner": TRUST_OWNER},
    "tree_rules": {"tree_id": None, "trust_owner": TRUST_OWNER, "full": FULL},
    "tree_path": {"trust_owner": TRUST_OWNER, "full": FULL, "tree_id": None},
    "tree_to_json": {"tree_id": None},
    "tree_to_pmml": {"tree_id": None},
    "tree_prune": {"trust_owner": TRUST_OWNER},
}
# MADlib's names of arguments, where they differ, by function: of optional arguments only, they are further arguments of
# the same function; otherwise those of a second form of it. The Python client and the command line do not have them.
MADLIB_NAMES: Mapping[str, Mapping[str, str]] = {
    "tree_train": {"surrogate_params": "null_handling_params", "verbose": "verbose_mode"},
    "tree_predict": {
        "tree_model": "model",
        "new_data_table": "source",
        "output_table": "output",
        "type": "pred_type",
    },
    "tree_display": {"model": "model_table", "verbosity": "verbose"},
    "tree_surr_display": {"model": "model_table"},
    "get_var_importance": {"model_name": "model_table"},
}
# By argument, the keys of the two strings of options.
OPTIONS: Mapping[str, Mapping[str, object]] = {
    "surrogate_params": {
        "max_surrogates": MAX_SURROGATES,
        "null_as_category": NULL_AS_CATEGORY,
        "surrogate_style": SURROGATE_STYLE,
    },
    "pruning_params": {"cp": CP, "n_folds": N_FOLDS, "rule": RULE, "fold_col": None},
}
