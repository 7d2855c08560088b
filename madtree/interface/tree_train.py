"""The function that trains trees."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import GROWTH, Command, Flag
from madtree.interface.function import Argument, Function, OnlyFor, Setting
from madtree.interface.shared import FIGURES
from madtree.interface.training import (
    BINS,
    CLASS_PARAMS,
    CLASSIFICATION,
    CRITERION,
    DEPENDENT,
    DEPTHS,
    EXCLUDE,
    EXPOSURE,
    FEATURES,
    GROUPING,
    ID,
    MEMORY,
    MIN_BUCKET,
    MIN_SPLIT,
    OUTPUT,
    PRUNING_PARAMS,
    REPLACE,
    SEED,
    SOURCE,
    STRATEGY,
    SURROGATES,
    VERBOSE,
    WEIGHTS,
    WORKERS,
    count_setting,
    list_setting,
    number_setting,
)
from madtree.interface.valid import Range, at_least, number_of_at_least
from madtree.trees import COUNTS, MAX_DEPTH_LIMIT, MOST_COMPETITORS

TREE_TRAIN = Function(
    "tree_train",
    "trains a decision tree, or one tree per group, on the rows of a table",
    run="madtree.calls.training:train_model",
    makes="output_table_name",
    shares_run=True,
    settings=FIGURES,
    by_name_from="seed",
    madlib_names={"surrogate_params": "null_handling_params", "verbose": "verbose_mode"},
    arguments=(
        replace(SOURCE, help=f'{SOURCE.help}; "Quoted"."Names" too'),
        replace(
            OUTPUT,
            help="the model: tables <output>, <output>_nodes, <output>_summary, <output>_statistics and, where asked "
            "for, <output>_surrogates, <output>_cv and <output>_competitors; must not exist",
        ),
        ID,
        DEPENDENT,
        replace(FEATURES, help=f"{FEATURES.help}; an array column is taken apart"),
        EXCLUDE,
        CRITERION,
        replace(
            GROUPING, help="columns and expressions, also with AS name: one tree for each combination of their values"
        ),
        WEIGHTS,
        Argument(
            "max_depth",
            "integer",
            f"levels below the root, 0 to {MAX_DEPTH_LIMIT}",
            defaults.MAX_DEPTH,
            valid=DEPTHS,
            setting=Setting(is_old=True),
            flag=Flag(GROWTH),
        ),
        replace(
            MIN_SPLIT,
            help=f"rows that a node needs to be split: {defaults.MIN_SPLIT}, or {defaults.SPLIT_PER_BUCKET} * "
            "min_bucket if only that is given",
        ),
        replace(MIN_BUCKET, help=f"rows that each side must keep: min_split / {defaults.SPLIT_PER_BUCKET}"),
        BINS,
        SURROGATES,
        PRUNING_PARAMS,
        replace(VERBOSE, help="true: one INFO line a level, and the stages' seconds"),
        replace(SEED, help="of the sample that bin edges are taken from, and of the folds"),
        REPLACE,
        WORKERS,
        MEMORY,
        STRATEGY,
        count_setting(
            "max_leaf_nodes",
            "leaves at most: the splits that gain most are made; NULL: any number",
            None,
            at_least(2),
        ),
        number_setting(
            "min_impurity_decrease",
            "by how much a split must lower the impurity of the whole tree",
            None,
            number_of_at_least(0),
        ),
        CLASSIFICATION,
        CLASS_PARAMS,
        replace(
            EXPOSURE,
            only_for=OnlyFor(
                COUNTS,
                "is for split_criterion => 'poisson' only, not for {criterion}",
                "What rows count for is their weight: weights => ...",
            ),
        ),
        Argument(
            "shrink",
            "double precision",
            "poisson: how far rates of leaves may lie from the root's: the coefficient of variation of their prior; "
            "NULL: 1; 0: as far as they do",
            None,
            valid=number_of_at_least(0),
            setting=Setting(),
            flag=Flag(GROWTH),
            only_for=OnlyFor(COUNTS, "is for split_criterion => 'poisson' only, whose rates it draws to the root's"),
        ),
        list_setting(
            "feature_costs",
            "'income=2, age=1': gains of a feature's splits are divided by its cost; NULL: all 1",
            "pairs",
        ),
        Argument(
            "max_competitors",
            "integer",
            "splits by other features to be kept for each node, in <output>_competitors",
            defaults.MAX_COMPETITORS,
            valid=Range(0, MOST_COMPETITORS),
            setting=Setting(is_tried=False),
            flag=Flag(GROWTH),
        ),
        Argument("null_handling_params", "text", "MADlib's name of surrogate_params", None, flag=None),
        Argument("verbose_mode", "boolean", "MADlib's name of verbose", defaults.VERBOSE, flag=None),
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
    command=Command(
        "train",
        "training",
        """Train a decision tree, or one for each group, on a table. The data stay in the database.

A bar shows how far the server is; Ctrl-C stops it there, and no model is left.
""",
        (
            "madtree train flights delay_tree --id id -y late -x 'carrier, hour'",
            "madtree train flights delay_tree --id id -y late --max-depth 6 --replace",
            "madtree train flights delays --id id -y late --exclude tailnum --group-by carrier",
            "madtree train flights delay_cv --id id -y late --folds 10 --rule 1se --max-surrogates 5",
        ),
        depth="max_depth",
    ),
)
