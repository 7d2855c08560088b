"""The functions that train."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.function import Argument, Flag, Function, Setting
from madtree.interface.shared import NO_JIT
from madtree.interface.valid import Named, OneOf, Range, any_number, at_least, number_of_at_least
from madtree.trees import EXACT_LIMIT, MAX_DEPTH_LIMIT, MOST_COMPETITORS, MOST_FOLDS, MOST_SURROGATES
from madtree.trees import SAMPLINGS as _SAMPLINGS
from madtree.trees import SPLIT_RULES as _SPLIT_RULES

# Headings of the command line's help.
_DATA, _GROWTH, _SAMPLES, _MISSING, _PRUNING, _RUN = (
    "Data", "How a tree grows", "The trees' samples", "Missing values", "Pruning", "The run",
)  # fmt: skip
CRITERIA = OneOf(
    ("gini", "entropy", "gain_ratio", "misclassification", "mse", "poisson"),
    also={
        "cross-entropy": "entropy",
        "cross_entropy": "entropy",
        "misclass": "misclassification",
        "gain-ratio": "gain_ratio",
    },
)
# auto: as the numbers of rows, columns and processors suggest; memory: this process alone, in memory and then a file;
# workers: resident workers of one parallel query; aggregate: a table of blocks, counted by the SQL aggregate.
STRATEGIES = OneOf(("auto", "memory", "workers", "aggregate"))
_DEPTHS = Range(0, MAX_DEPTH_LIMIT, is_cut=True)

_SOURCE = Argument(
    "training_table_name", "text", "table, partitioned table, view, materialized or foreign table", valid=Named()
)
_OUTPUT = Argument("output_table_name", "text", "")
_ID = Argument(
    "id_col_name",
    "text",
    "column that identifies rows",
    valid=Named(),
    flag=Flag(_DATA, ("--id",), "COLUMN"),
)
_DEPENDENT = Argument(
    "dependent_variable",
    "text",
    "column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date, "
    "timestamp, uuid, ... -> classification",
    valid=Named(),
    flag=Flag(
        _DATA,
        ("--target", "-y"),
        "SQL",
        help="what to predict, a column or expression, also with AS name: boolean, integer or text for classes, float "
        "or numeric for regression",
    ),
)
_FEATURES = Argument(
    "list_of_features",
    "text",
    "'*', or columns and expressions separated by commas",
    valid=Named(),
    flag=Flag(_DATA, ("--features", "-x"), "LIST"),
)
_EXCLUDE = Argument(
    "list_of_features_to_exclude",
    "text",
    "columns that '*' leaves out",
    None,
    flag=Flag(_DATA, ("--exclude",), "LIST", is_repeated=True),
)
_GROUPING = Argument(
    "grouping_cols",
    "text",
    "",
    None,
    flag=Flag(_DATA, ("--group-by",), "LIST", is_repeated=True),
)
_WEIGHTS = Argument(
    "weights",
    "text",
    "a numeric column or expression; rows of weight 0 are skipped",
    None,
    flag=Flag(_DATA, metavar="SQL"),
)
_CRITERION = Argument(
    "split_criterion",
    "text",
    "'gini', 'entropy', 'gain_ratio', 'misclassification'; regression uses 'mse', counts of events 'poisson'",
    defaults.SPLIT_CRITERION,
    valid=CRITERIA,
    setting=Setting("text", label="split criterion", is_old=True),
    flag=Flag(_GROWTH, ("--criterion",), "NAME"),
)
_MIN_SPLIT = Argument(
    "min_split",
    "integer",
    "",
    None,
    valid=at_least(1),
    setting=Setting("int4", is_old=True),
    flag=Flag(_GROWTH),
)
_MIN_BUCKET = Argument(
    "min_bucket",
    "integer",
    "",
    None,
    valid=at_least(1),
    setting=Setting("int4", is_old=True),
    flag=Flag(_GROWTH),
)
_BINS = Argument(
    "n_bins",
    "integer",
    "candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows",
    defaults.N_BINS,
    valid=Range(0, EXACT_LIMIT, never=1, words=f"0 (every threshold) or 2 to {EXACT_LIMIT}"),
    setting=Setting("int4", "n_bins", is_old=True),
    flag=Flag(_GROWTH, ("--bins",)),
)
_SURROGATES = Argument(
    "surrogate_params",
    "text",
    "'max_surrogates=0, null_as_category=false, surrogate_style=0'",
    None,
    keys=(
        Argument(
            "max_surrogates",
            "integer",
            "surrogate splits to be kept for each node",
            defaults.MAX_SURROGATES,
            valid=Range(0, MOST_SURROGATES, words="an integer of at least 0"),
            setting=Setting("int4", is_old=True),
            flag=Flag(_MISSING),
        ),
        Argument(
            "null_as_category",
            "boolean",
            "NULL is one more category of a text or boolean feature",
            defaults.NULL_AS_CATEGORY,
            setting=Setting("bool", is_old=True),
            flag=Flag(_MISSING, ("--null-as-category",)),
        ),
        Argument(
            "surrogate_style",
            "integer",
            "0 or 1, as in rpart",
            defaults.SURROGATE_STYLE,
            valid=Range(0, 1, words="0 or 1"),
            setting=Setting("int4", is_old=True),
            flag=Flag(_MISSING),
        ),
    ),
)
_PRUNING_PARAMS = Argument(
    "pruning_params",
    "text",
    "'cp=0, n_folds=0, rule=min, fold_col=...'",
    None,
    keys=(
        Argument(
            "cp",
            "double precision",
            "a split stays if it lowers the risk by more than so much of the root's; -1: all stay",
            defaults.CP,
            valid=any_number("a number, below 0 for trees that are not pruned"),
            setting=Setting("float8", "input_cp", "cp", is_old=True),
            flag=Flag(_PRUNING),
        ),
        Argument(
            "n_folds",
            "integer",
            "choose cp by cross-validation with this many folds",
            defaults.N_FOLDS,
            valid=Range(0, MOST_FOLDS, words=f"0 (no cross-validation) or an integer from 2 to {MOST_FOLDS}"),
            setting=Setting("int4", is_old=True),
            flag=Flag(_PRUNING, ("--folds",)),
        ),
        Argument(
            "rule",
            "text",
            "how cp is chosen: min, the least error; 1se, the smallest tree within a standard error of it",
            defaults.RULE,
            valid=OneOf(("min", "1se")),
            setting=Setting("text", is_old=True),
            flag=Flag(_PRUNING),
        ),
        Argument(
            "fold_col",
            "text",
            "column whose values are the folds",
            None,
            setting=Setting("text", is_old=True),
            flag=Flag(_PRUNING, ("--fold-column",), "SQL"),
        ),
    ),
)
_VERBOSE = Argument("verbose", "boolean", "", defaults.VERBOSE)
_SEED = Argument("seed", "bigint", "", defaults.SEED, setting=Setting("int8", is_old=True), flag=Flag(_RUN))
_REPLACE = Argument(
    "replace",
    "boolean",
    "true: overwrite a madtree model of that name",
    defaults.REPLACE,
    flag=Flag(_RUN, ("--replace",), help="overwrite a model of that name"),
)
_WORKERS = Argument(
    "parallel_workers",
    "integer",
    "workers beside this process; NULL: as many as save time; 0: none",
    None,
    valid=Range(0, 1024),
    flag=Flag(_RUN, ("--workers",)),
)
_MEMORY = Argument(
    "memory_mb",
    "integer",
    "megabytes for histograms",
    defaults.MEMORY_MB,
    valid=Range(8, 2**20),
    flag=Flag(_RUN),
)
_STRATEGY = Argument(
    "strategy",
    "text",
    "who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest",
    defaults.STRATEGY,
    valid=STRATEGIES,
    flag=Flag(_RUN),
)
_CLASSIFICATION = Argument(
    "classification",
    "boolean",
    "true: classes; false: regression; NULL: by the type of the dependent variable",
    None,
    flag=Flag(
        _DATA,
        ("--classification/--regression",),
        help="whether the target is classes or a number; its type says so otherwise",
    ),
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
        _DEPENDENT,
        replace(_FEATURES, help=f"{_FEATURES.help}; an array column is taken apart"),
        _EXCLUDE,
        _CRITERION,
        replace(
            _GROUPING,
            help="columns and expressions, also with AS name: one tree for each combination of their values",
        ),
        _WEIGHTS,
        Argument(
            "max_depth",
            "integer",
            f"levels below the root, 0 to {MAX_DEPTH_LIMIT}",
            defaults.MAX_DEPTH,
            valid=_DEPTHS,
            setting=Setting("int4", is_old=True),
            flag=Flag(_GROWTH),
        ),
        replace(
            _MIN_SPLIT,
            help=f"rows that a node needs to be split: {defaults.MIN_SPLIT}, or {defaults.SPLIT_PER_BUCKET} * "
            "min_bucket if only that is given",
        ),
        replace(_MIN_BUCKET, help=f"rows that each side must keep: min_split / {defaults.SPLIT_PER_BUCKET}"),
        _BINS,
        _SURROGATES,
        _PRUNING_PARAMS,
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
            valid=at_least(2),
            setting=Setting("int4"),
            flag=Flag(_GROWTH),
        ),
        Argument(
            "min_impurity_decrease",
            "double precision",
            "by how much a split must lower the impurity of the whole tree",
            None,
            valid=number_of_at_least(0),
            setting=Setting("float8"),
            flag=Flag(_GROWTH),
        ),
        _CLASSIFICATION,
        Argument(
            "class_params",
            "text",
            "how much classes count, in their order: 'prior=0.5:0.5, loss=0 1 5 0', or 'class_weight=balanced'",
            None,
            setting=Setting("text"),
            flag=Flag(_GROWTH, metavar="TEXT"),
        ),
        Argument(
            "exposure",
            "text",
            "poisson: a numeric column or expression above 0, over which events were counted; NULL: 1 in each row",
            None,
            setting=Setting("text", is_told=False),
            flag=Flag(_DATA, metavar="SQL"),
        ),
        Argument(
            "shrink",
            "double precision",
            "poisson: how far rates of leaves may lie from the root's: the coefficient of variation of their prior; "
            "NULL: 1; 0: as far as they do",
            None,
            valid=number_of_at_least(0),
            setting=Setting("float8"),
            flag=Flag(_GROWTH),
        ),
        Argument(
            "feature_costs",
            "text",
            "'income=2, age=1': gains of a feature's splits are divided by its cost; NULL: all 1",
            None,
            setting=Setting("text"),
            flag=Flag(_GROWTH, metavar="LIST"),
        ),
        Argument(
            "max_competitors",
            "integer",
            "splits by other features to be kept for each node, in <output>_competitors",
            defaults.MAX_COMPETITORS,
            valid=Range(0, MOST_COMPETITORS),
            setting=Setting("int4"),
            flag=Flag(_GROWTH),
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
        _DEPENDENT,
        _FEATURES,
        _EXCLUDE,
        replace(_GROUPING, help="one forest for each combination of their values"),
        Argument(
            "num_trees",
            "integer",
            "of each forest",
            defaults.NUM_TREES,
            valid=Range(1, 100_000),
            setting=Setting("int4", is_old=True),
            flag=Flag(_GROWTH, ("--trees",)),
        ),
        Argument(
            "num_random_features",
            "integer",
            "drawn for each node: the root of the number of features, of numbers a third of them",
            None,
            setting=Setting("int4", is_old=True),
            flag=Flag(_GROWTH, ("--features-per-node",)),
        ),
        Argument(
            "importance",
            "boolean",
            "permute each feature among the out-of-bag rows, to see what that costs",
            defaults.IMPORTANCE,
            setting=Setting("bool", is_old=True),
            flag=Flag(_SAMPLES, ("--importance/--no-importance",)),
        ),
        Argument(
            "num_permutations",
            "integer",
            "of each feature and tree",
            defaults.NUM_PERMUTATIONS,
            valid=Range(1, 1_000),
            setting=Setting("int4", is_old=True),
            flag=Flag(_SAMPLES, ("--permutations",)),
        ),
        Argument(
            "max_tree_depth",
            "integer",
            f"levels below the root, 0 to {MAX_DEPTH_LIMIT}; NULL: {MAX_DEPTH_LIMIT}",
            None,
            valid=_DEPTHS,
            setting=Setting("int4", is_old=True),
            flag=Flag(_GROWTH, ("--max-depth",)),
        ),
        replace(
            _MIN_SPLIT,
            help=f"rows that a node needs to be split: {defaults.FOREST_MIN_SPLIT[True]}, of numbers "
            f"{defaults.FOREST_MIN_SPLIT[False]}",
        ),
        replace(_MIN_BUCKET, help="rows that each side must keep: 1"),
        replace(_BINS, name="num_splits"),
        replace(_SURROGATES, name="null_handling_params"),
        replace(_VERBOSE, help="true: one INFO line a wave of trees, and the stages' seconds"),
        Argument(
            "sample_ratio",
            "double precision",
            "share of the rows that each tree's sample is drawn from",
            defaults.SAMPLE_RATIO,
            valid=Range(0, 1, never=0, words="above 0 and at most 1"),
            setting=Setting("float8", is_old=True),
            flag=Flag(_SAMPLES),
        ),
        _WEIGHTS,
        _CRITERION,
        Argument(
            "split_rule",
            "text",
            "'random': extremely randomized trees, one random split of each feature drawn",
            defaults.SPLIT_RULE,
            valid=OneOf(_SPLIT_RULES),
            setting=Setting("text", is_old=True),
            flag=Flag(_GROWTH),
        ),
        Argument(
            "sampling",
            "text",
            "'poisson': with replacement; 'without_replacement': 63 % of the rows, once each; 'none': all rows, once "
            "each, so that none are out of bag",
            defaults.SAMPLING,
            valid=OneOf(_SAMPLINGS),
            setting=Setting("text", is_old=True),
            flag=Flag(_SAMPLES),
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
            flag=Flag(_SAMPLES, ("--oob-predictions",)),
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
