"""What the functions that train have in common: their arguments, and what is valid for these."""

from __future__ import annotations

from madtree.interface import defaults
from madtree.interface.command_line import DATA, GROWTH, MISSING, PRUNING, RUN, Flag
from madtree.interface.function import Argument, Form, Setting
from madtree.interface.valid import Named, OneOf, Range, any_number, at_least
from madtree.trees import (
    CLASSES,
    COUNTS,
    CRITERIA,
    EXACT_LIMIT,
    MAX_DEPTH_LIMIT,
    MOST_FOLDS,
    MOST_SURROGATES,
    NUMBERS,
    OutcomeKind,
)


def _names(outcome: OutcomeKind) -> str:
    return ", ".join(f"'{name}'" for name, criterion in CRITERIA.items() if criterion.outcome == outcome)


def number_setting(
    name: str, help: str, default: float | None, valid: Range, section: str = GROWTH, *flags: str
) -> Argument:
    """A number that a model keeps, and that the command line takes by its name or by `flags`."""
    return Argument(name, "double precision", help, default, valid=valid, setting=Setting(), flag=Flag(section, flags))


def count_setting(name: str, help: str, default: int | None, valid: Range) -> Argument:
    """A whole number that a model keeps."""
    return Argument(name, "integer", help, default, valid=valid, setting=Setting(), flag=Flag(GROWTH))


def list_setting(name: str, help: str, form: Form) -> Argument:
    """What is said of features by their names, and kept by a model."""
    return Argument(name, "text", help, None, setting=Setting(), flag=Flag(GROWTH, metavar="LIST"), form=form)


VALID_CRITERIA = OneOf(
    tuple(CRITERIA), also={alias: name for name, criterion in CRITERIA.items() for alias in criterion.aliases}
)
# auto: as the numbers of rows, columns and processors suggest; memory: this process alone, in memory and then a file;
# workers: resident workers of one parallel query; aggregate: a table of blocks, counted by the SQL aggregate.
STRATEGIES = OneOf(("auto", "memory", "workers", "aggregate"))
DEPTHS = Range(0, MAX_DEPTH_LIMIT, is_cut=True)

SOURCE = Argument(
    "training_table_name",
    "text",
    "table, partitioned table, view, materialized or foreign table",
    valid=Named(),
    flag=Flag(names=("table",), help="table or view to train on"),
)
OUTPUT = Argument(
    "output_table_name", "text", "", flag=Flag(names=("model",), help="name of the model, and of its tables")
)
ID = Argument("id_col_name", "text", "column that identifies rows", valid=Named(), flag=Flag(DATA, ("--id",), "COLUMN"))
DEPENDENT = Argument(
    "dependent_variable",
    "text",
    "column or expression, also with AS name: float, numeric -> regression; boolean, integer, text, enum, date, "
    "timestamp, uuid, ... -> classification",
    valid=Named(),
    flag=Flag(
        DATA,
        ("--target", "-y"),
        "SQL",
        help="what to predict, a column or expression, also with AS name: boolean, integer or text for classes, float "
        "or numeric for regression",
    ),
)
FEATURES = Argument(
    "list_of_features",
    "text",
    "'*', or columns and expressions separated by commas",
    valid=Named(),
    flag=Flag(DATA, ("--features", "-x"), "LIST"),
    form="names",
)
EXCLUDE = Argument(
    "list_of_features_to_exclude",
    "text",
    "columns that '*' leaves out",
    None,
    flag=Flag(DATA, ("--exclude",), "LIST", is_repeated=True),
    form="names",
)
GROUPING = Argument(
    "grouping_cols", "text", "", None, flag=Flag(DATA, ("--group-by",), "LIST", is_repeated=True), form="names"
)
WEIGHTS = Argument(
    "weights",
    "text",
    "a numeric column or expression; rows of weight 0 are skipped",
    None,
    flag=Flag(DATA, metavar="SQL"),
    is_numeric_column=True,
)
CLASS_PARAMS = Argument(
    "class_params",
    "text",
    "how much classes count, in their order: 'prior=0.5:0.5, loss=0 1 5 0', or 'class_weight=balanced'",
    None,
    setting=Setting(),
    flag=Flag(GROWTH, metavar="TEXT"),
    form="pairs",
)
EXPOSURE = Argument(
    "exposure",
    "text",
    "poisson: a numeric column or expression above 0, over which events were counted; NULL: 1 in each row",
    None,
    setting=Setting(is_listed=False, is_tried=False),
    flag=Flag(DATA, metavar="SQL"),
    is_numeric_column=True,
)
CRITERION = Argument(
    "split_criterion",
    "text",
    f"{_names(CLASSES)}; regression uses {_names(NUMBERS)}, counts of events {_names(COUNTS)}",
    defaults.SPLIT_CRITERION,
    valid=VALID_CRITERIA,
    setting=Setting(label="split criterion", is_old=True),
    flag=Flag(GROWTH, ("--criterion",), "NAME"),
)
MIN_SPLIT = Argument(
    "min_split", "integer", "", None, valid=at_least(1), setting=Setting(is_old=True), flag=Flag(GROWTH)
)
MIN_BUCKET = Argument(
    "min_bucket", "integer", "", None, valid=at_least(1), setting=Setting(is_old=True), flag=Flag(GROWTH)
)
BINS = Argument(
    "n_bins",
    "integer",
    "candidate thresholds of a continuous feature; 0: all of them, as always with at most 4096 rows",
    defaults.N_BINS,
    valid=Range(0, EXACT_LIMIT, never=1, words=f"0 (every threshold) or 2 to {EXACT_LIMIT}"),
    setting=Setting("n_bins", is_old=True),
    flag=Flag(GROWTH, ("--bins",)),
)
TREES = Argument(
    "num_trees",
    "integer",
    "of each group",
    defaults.NUM_TREES,
    valid=Range(1, 100_000),
    setting=Setting(is_old=True),
    flag=Flag(GROWTH, ("--trees",)),
)
SURROGATES = Argument(
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
            setting=Setting(is_old=True),
            flag=Flag(MISSING),
        ),
        Argument(
            "null_as_category",
            "boolean",
            "NULL is one more category of a text or boolean feature",
            defaults.NULL_AS_CATEGORY,
            setting=Setting(is_old=True),
            flag=Flag(MISSING, ("--null-as-category",)),
        ),
        Argument(
            "surrogate_style",
            "integer",
            "0 or 1, as in rpart",
            defaults.SURROGATE_STYLE,
            valid=Range(0, 1, words="0 or 1"),
            setting=Setting(is_old=True),
            flag=Flag(MISSING),
        ),
    ),
)
PRUNING_PARAMS = Argument(
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
            setting=Setting("input_cp", "cp", is_old=True),
            flag=Flag(PRUNING),
        ),
        Argument(
            "n_folds",
            "integer",
            "choose cp by cross-validation with this many folds",
            defaults.N_FOLDS,
            valid=Range(0, MOST_FOLDS, words=f"0 (no cross-validation) or an integer from 2 to {MOST_FOLDS}"),
            setting=Setting(is_old=True, is_tried=False),
            flag=Flag(PRUNING, ("--folds",)),
        ),
        Argument(
            "rule",
            "text",
            "how cp is chosen: min, the least error; 1se, the smallest tree within a standard error of it",
            defaults.RULE,
            valid=OneOf(("min", "1se")),
            setting=Setting(is_old=True, is_tried=False),
            flag=Flag(PRUNING),
        ),
        Argument(
            "fold_col",
            "text",
            "column whose values are the folds",
            None,
            setting=Setting(is_old=True, is_tried=False),
            flag=Flag(PRUNING, ("--fold-column",), "SQL"),
        ),
    ),
)
VERBOSE = Argument("verbose", "boolean", "", defaults.VERBOSE, flag=None)  # commands always say true
SEED = Argument("seed", "bigint", "", defaults.SEED, setting=Setting(is_old=True, is_tried=False), flag=Flag(RUN))
REPLACE = Argument(
    "replace",
    "boolean",
    "true: overwrite a madtree model of that name",
    defaults.REPLACE,
    flag=Flag(RUN, ("--replace",), help="overwrite a model of that name"),
)
WORKERS = Argument(
    "parallel_workers",
    "integer",
    "workers beside this process; NULL: as many as save time; 0: none",
    None,
    valid=Range(0, 1024),
    flag=Flag(RUN, ("--workers",)),
)
MEMORY = Argument(
    "memory_mb", "integer", "megabytes for histograms", defaults.MEMORY_MB, valid=Range(8, 2**20), flag=Flag(RUN)
)
STRATEGY = Argument(
    "strategy",
    "text",
    "who keeps and counts the rows: memory, workers, aggregate; auto: what is quickest",
    defaults.STRATEGY,
    valid=STRATEGIES,
    flag=Flag(RUN),
)
CLASSIFICATION = Argument(
    "classification",
    "boolean",
    "true: classes; false: regression; NULL: by the type of the dependent variable",
    None,
    flag=Flag(
        DATA,
        ("--classification/--regression",),
        help="whether the target is classes or a number; its type says so otherwise",
    ),
)
