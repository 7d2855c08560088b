"""The functions that train."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.function import Argument, Function
from madtree.interface.shared import NO_JIT

_SOURCE = Argument("training_table_name", "text", "table, partitioned table, view, materialized or foreign table")
_OUTPUT = Argument("output_table_name", "text", "")
_ID = Argument("id_col_name", "text", "column that identifies rows")
_DEPENDENT = Argument("dependent_variable", "text", "")
_FEATURES = Argument("list_of_features", "text", "'*', or columns and expressions separated by commas")
_EXCLUDE = Argument("list_of_features_to_exclude", "text", "columns that '*' leaves out", None)
_GROUPING = Argument("grouping_cols", "text", "", None)
_WEIGHTS = Argument("weights", "text", "a numeric column or expression; rows of weight 0 are skipped", None)
_CRITERION = Argument("split_criterion", "text", "", defaults.SPLIT_CRITERION)
_MIN_SPLIT = Argument("min_split", "integer", "", None)
_MIN_BUCKET = Argument("min_bucket", "integer", "", None)
_BINS = Argument(
    "n_bins",
    "integer",
    "candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows",
    defaults.N_BINS,
)
_SURROGATES = Argument(
    "surrogate_params", "text", "'max_surrogates=0, null_as_category=false, surrogate_style=0'", None
)
_VERBOSE = Argument("verbose", "boolean", "", defaults.VERBOSE)
_SEED = Argument("seed", "bigint", "", defaults.SEED)
_REPLACE = Argument("replace", "boolean", "true: overwrite a madtree model of that name", defaults.REPLACE)
_WORKERS = Argument(
    "parallel_workers", "integer", "workers beside this process; NULL: as many as save time; 0: none", None
)
_MEMORY = Argument("memory_mb", "integer", "megabytes for histograms", defaults.MEMORY_MB)
_STRATEGY = Argument(
    "strategy",
    "text",
    "who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest",
    defaults.STRATEGY,
)
_CLASSIFICATION = Argument(
    "classification",
    "boolean",
    "true: classes; false: regression; NULL: by the type of the dependent variable",
    None,
)

TREE_TRAIN = Function(
    "tree_train",
    "trains a decision tree, or one tree per group, on the rows of a table",
    run="madtree.calls.training:tree_train",
    settings=NO_JIT,
    by_name_from="seed",
    madlib_names={"surrogate_params": "null_handling_params", "verbose": "verbose_mode"},
    arguments=(
        replace(_SOURCE, help=f'{_SOURCE.help}; "Quoted"."Names" too'),
        replace(
            _OUTPUT,
            help="the model: tables <output>, <output>_nodes, <output>_summary and, where asked for, "
            "<output>_surrogates, <output>_cv and <output>_competitors; must not exist",
        ),
        _ID,
        replace(
            _DEPENDENT,
            help="column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, "
            "date, timestamp, uuid, ... -> classification",
        ),
        replace(_FEATURES, help=f"{_FEATURES.help}; an array column is taken apart"),
        _EXCLUDE,
        replace(
            _CRITERION,
            help="'gini', 'entropy', 'gain_ratio', 'misclassification'; regression uses 'mse', counts of events "
            "'poisson'",
        ),
        replace(
            _GROUPING,
            help="columns and expressions, also with AS name: one tree for each combination of their values",
        ),
        _WEIGHTS,
        Argument("max_depth", "integer", "levels below the root, 0 to 60", defaults.MAX_DEPTH),
        replace(
            _MIN_SPLIT,
            help=f"rows that a node needs to be split: {defaults.MIN_SPLIT}, or {defaults.SPLIT_PER_BUCKET} * "
            "min_bucket if only that is given",
        ),
        replace(_MIN_BUCKET, help=f"rows that each side must keep: min_split / {defaults.SPLIT_PER_BUCKET}"),
        _BINS,
        _SURROGATES,
        Argument("pruning_params", "text", "'cp=0, n_folds=0, rule=min, fold_col=...'", None),
        replace(_VERBOSE, help="true: one INFO line a level, and the stages' seconds"),
        replace(_SEED, help="of the sample that bin edges are taken from, and of the folds"),
        _REPLACE,
        _WORKERS,
        _MEMORY,
        _STRATEGY,
        Argument(
            "max_leaf_nodes",
            "integer",
            "leaves at most: the splits that gain most are made; NULL: any number",
            None,
        ),
        Argument(
            "min_impurity_decrease",
            "double precision",
            "by how much a split must lower the impurity of the whole tree",
            None,
        ),
        _CLASSIFICATION,
        Argument(
            "class_params",
            "text",
            "how much classes count, in their order: 'prior=0.5:0.5, loss=0 1 5 0', or 'class_weight=balanced'",
            None,
        ),
        Argument(
            "exposure",
            "text",
            "poisson: a numeric column or expression above 0, over which events were counted; NULL: 1 in each row",
            None,
        ),
        Argument(
            "shrink",
            "double precision",
            "poisson: how far rates of leaves may lie from the root's: the coefficient of variation of their prior; "
            "NULL: 1; 0: as far as they do",
            None,
        ),
        Argument(
            "feature_costs",
            "text",
            "'income=2, age=1': gains of a feature's splits are divided by its cost; NULL: all 1",
            None,
        ),
        Argument(
            "max_competitors",
            "integer",
            "splits by other features to be kept for each node, in <output>_competitors",
            defaults.MAX_COMPETITORS,
        ),
        Argument("null_handling_params", "text", "MADlib's name of surrogate_params", None),
        Argument("verbose_mode", "boolean", "MADlib's name of verbose", defaults.VERBOSE),
    ),
    details="""\
An integer with more than 100 values, or with more than 20 and one for every ten rows, becomes classes with a warning;
with more than 1,000 it is an error unless classification says what is meant.

With poisson the dependent variable counts events, and a node predicts their rate: the events that are to be expected
in an exposure of 1. The expected count of a row is rate * exposure.

It returns one line that says what was trained. Each default is shown after its argument's name. Either of the two
..._params strings may hold any of their keys, whose defaults are shown. cp=-1 leaves the tree as it was grown.
class_params: prior is each class's share among the rows that the tree is meant for; loss says, row by row, what each
prediction costs where the first, second, ... class is true; class_weight multiplies the weights of each class's rows.
rule is min (the cp with the least cross-validated error) or 1se (the largest within one standard error of it).
""",
    example="""\
SELECT madtree.tree_train('flights', 'delay_tree', 'id', 'late', 'carrier, origin, hour, distance', max_depth => 6);
SELECT madtree.tree_display('delay_tree', false);
""",
)

FOREST_TRAIN = Function(
    "forest_train",
    "trains a random forest, or one forest per group, on the rows of a table",
    run="madtree.calls.training:forest_train",
    settings=NO_JIT,
    by_name_from="weights",
    arguments=(
        _SOURCE,
        replace(
            _OUTPUT,
            help="the model: tables <output>, <output>_packed, <output>_group, <output>_summary, the view "
            "<output>_nodes and, where asked for, <output>_surrogates; must not exist",
        ),
        replace(_ID, help=f"{_ID.help}; rows of one id are drawn together"),
        replace(_DEPENDENT, help="as for tree_train: classes, or numbers"),
        _FEATURES,
        _EXCLUDE,
        replace(_GROUPING, help="one forest for each combination of their values"),
        Argument("num_trees", "integer", "of each forest", defaults.NUM_TREES),
        Argument(
            "num_random_features",
            "integer",
            "drawn for each node: the root of the number of features, of numbers a third of them",
            None,
        ),
        Argument(
            "importance",
            "boolean",
            "permute each feature among the out-of-bag rows, to see what that costs",
            defaults.IMPORTANCE,
        ),
        Argument("num_permutations", "integer", "of each feature and tree", defaults.NUM_PERMUTATIONS),
        Argument("max_tree_depth", "integer", "levels below the root, 0 to 60; NULL: 60", None),
        replace(_MIN_SPLIT, help="rows that a node needs to be split: 2, of numbers 5"),
        replace(_MIN_BUCKET, help="rows that each side must keep: 1"),
        replace(_BINS, name="num_splits"),
        replace(_SURROGATES, name="null_handling_params"),
        replace(_VERBOSE, help="true: one INFO line a wave of trees, and the stages' seconds"),
        Argument(
            "sample_ratio",
            "double precision",
            "share of the rows that each tree's sample is drawn from",
            defaults.SAMPLE_RATIO,
        ),
        _WEIGHTS,
        replace(_CRITERION, help="as for tree_train"),
        Argument(
            "split_rule",
            "text",
            "'random': extremely randomized trees, one random split of each feature drawn",
            defaults.SPLIT_RULE,
        ),
        Argument(
            "sampling",
            "text",
            "'poisson': with replacement; 'without_replacement': 63 % of the rows, once each; 'none': all rows, once "
            "each, so that none are out of bag",
            defaults.SAMPLING,
        ),
        replace(_SEED, help="of all that is drawn: the same rows and seed make the same forest"),
        _REPLACE,
        _WORKERS,
        replace(_MEMORY, help="megabytes for histograms and rows"),
        _CLASSIFICATION,
        _STRATEGY,
        Argument(
            "oob_predictions",
            "boolean",
            "true: make <output>_oob, each row's prediction by the trees whose samples lack it",
            defaults.OOB_PREDICTIONS,
        ),
    ),
    details="""\
It returns one line that says what was trained, and the error on out-of-bag rows. <output>_group has that of each group,
and the importances.
""",
    example="""\
SELECT madtree.forest_train('flights', 'delay_forest', 'id', 'late', 'carrier, origin, hour, distance');
SELECT oob_error FROM delay_forest_group;
""",
)
