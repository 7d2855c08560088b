"""The function that trains forests."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import GROWTH, SAMPLES, Command, Flag
from madtree.interface.function import Argument, Function, Setting
from madtree.interface.shared import FIGURES
from madtree.interface.training import (
    BINS,
    CLASSIFICATION,
    CRITERION,
    DEPENDENT,
    DEPTHS,
    EXCLUDE,
    FEATURES,
    GROUPING,
    ID,
    MEMORY,
    MIN_BUCKET,
    MIN_SPLIT,
    OUTPUT,
    REPLACE,
    SEED,
    SOURCE,
    STRATEGY,
    SURROGATES,
    TREES,
    VERBOSE,
    WEIGHTS,
    WORKERS,
)
from madtree.interface.valid import OneOf, Range
from madtree.trees import MAX_DEPTH_LIMIT, SAMPLINGS, SPLIT_RULES

FOREST_TRAIN = Function(
    "forest_train",
    "trains a random forest, or one forest per group, on the rows of a table",
    run="madtree.calls.training:train_model",
    makes="output_table_name",
    shares_run=True,
    settings=FIGURES,
    by_name_from="weights",
    arguments=(
        SOURCE,
        replace(
            OUTPUT,
            help="the model: tables <output>, <output>_packed, <output>_group, <output>_summary, <output>_statistics, "
            "the view <output>_nodes and, where asked for, <output>_surrogates; must not exist",
        ),
        replace(ID, help=f"{ID.help}; rows of one id are drawn together"),
        DEPENDENT,
        FEATURES,
        EXCLUDE,
        replace(GROUPING, help="one forest for each combination of their values"),
        replace(TREES, help="of each forest"),
        Argument(
            "num_random_features",
            "integer",
            "drawn for each node: the root of the number of features, of numbers a third of them",
            None,
            setting=Setting(is_old=True),
            flag=Flag(GROWTH, ("--features-per-node",)),
        ),
        Argument(
            "importance",
            "boolean",
            "permute each feature among the out-of-bag rows, to see what that costs",
            defaults.IMPORTANCE,
            setting=Setting(is_old=True, is_tried=False),
            flag=Flag(SAMPLES, ("--importance/--no-importance",)),
        ),
        Argument(
            "num_permutations",
            "integer",
            "of each feature and tree",
            defaults.NUM_PERMUTATIONS,
            valid=Range(1, 1_000),
            setting=Setting(is_old=True, is_tried=False),
            flag=Flag(SAMPLES, ("--permutations",)),
        ),
        Argument(
            "max_tree_depth",
            "integer",
            f"levels below the root, 0 to {MAX_DEPTH_LIMIT}; NULL: {MAX_DEPTH_LIMIT}",
            None,
            valid=DEPTHS,
            setting=Setting(is_old=True),
            flag=Flag(GROWTH, ("--max-depth",)),
        ),
        replace(
            MIN_SPLIT,
            help=f"rows that a node needs to be split: {defaults.GROWN_OUT_MIN_SPLIT[True]}, of numbers "
            f"{defaults.GROWN_OUT_MIN_SPLIT[False]}",
        ),
        replace(MIN_BUCKET, help="rows that each side must keep: 1"),
        replace(BINS, name="num_splits"),
        replace(SURROGATES, name="null_handling_params"),
        replace(VERBOSE, help="true: one INFO line a wave of trees, and the stages' seconds"),
        Argument(
            "sample_ratio",
            "double precision",
            "share of the rows that each tree's sample is drawn from",
            defaults.SAMPLE_RATIO,
            valid=Range(0, 1, never=0, words="above 0 and at most 1"),
            setting=Setting(is_old=True),
            flag=Flag(SAMPLES),
        ),
        WEIGHTS,
        CRITERION,
        Argument(
            "split_rule",
            "text",
            "'random': extremely randomized trees, one random split of each feature drawn",
            defaults.SPLIT_RULE,
            valid=OneOf(SPLIT_RULES),
            setting=Setting(is_old=True),
            flag=Flag(GROWTH),
        ),
        Argument(
            "sampling",
            "text",
            "'poisson': with replacement; 'without_replacement': 63 % of the rows, once each; 'none': all rows, once "
            "each, so that none are out of bag",
            defaults.SAMPLING,
            valid=OneOf(SAMPLINGS),
            setting=Setting(is_old=True),
            flag=Flag(SAMPLES),
        ),
        replace(SEED, help="of all that is drawn: the same rows and seed make the same forest"),
        REPLACE,
        WORKERS,
        replace(MEMORY, help="megabytes for histograms and rows"),
        CLASSIFICATION,
        STRATEGY,
        Argument(
            "oob_predictions",
            "boolean",
            "true: make <output>_oob, each row's prediction by the trees whose samples lack it",
            defaults.OOB_PREDICTIONS,
            flag=Flag(SAMPLES, ("--oob-predictions",)),
        ),
        Argument(
            "intervals",
            "boolean",
            "of numbers; true: make <output>_outcomes, an outcome of each leaf, for intervals of predictions",
            defaults.INTERVALS,
            flag=Flag(SAMPLES, ("--intervals",)),
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
    command=Command(
        "forest",
        "growing",
        """Train a random forest, or one for each group, on a table. The data stay in the database.

A bar shows how many trees are grown; Ctrl-C stops it there, and no model is left. The line at the end has the
error on rows that the trees have not seen; of groups it is in <MODEL>_group. `madtree report` draws it.
""",
        (
            "madtree forest flights delay_forest --id id -y late -x 'carrier, hour' --trees 200",
            "madtree forest flights delay_forest --id id -y late --features-per-node 3 --no-importance --replace",
            "madtree forest flights random_forest --id id -y late --split-rule random --sampling none",
            "madtree predict delay_forest flights_today flights_scored --type prob",
            "madtree show delay_forest --tree 1",
        ),
    ),
)
