"""The function that trains boosted models."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.boost_params import BOOST_PARAMS, SHARE
from madtree.interface.command_line import DATA, GROWTH, Command, Flag
from madtree.interface.function import Argument, Function, Setting
from madtree.interface.shared import FIGURES
from madtree.interface.training import (
    BINS,
    CLASS_PARAMS,
    CLASSIFICATION,
    DEPENDENT,
    EXCLUDE,
    EXPOSURE,
    FEATURES,
    GROUPING,
    ID,
    MEMORY,
    MIN_BUCKET,
    OUTPUT,
    REPLACE,
    SEED,
    SOURCE,
    STRATEGY,
    TREES,
    VERBOSE,
    WEIGHTS,
    WORKERS,
    count_setting,
    list_setting,
    number_setting,
)
from madtree.interface.valid import OneOf, Range, at_least, number_of_at_least
from madtree.trees import LOSSES, MAX_DEPTH_LIMIT, losses_of

STOPPING = "When to stop"


def _names(*, classes: bool) -> str:
    return ", ".join(f"'{name}'" for name in losses_of(classes=classes))


BOOST_TRAIN = Function(
    "boost_train",
    "trains a gradient boosted model, or one per group, on the rows of a table",
    run="madtree.calls.training:train_model",
    makes="output_table_name",
    shares_run=True,
    settings=FIGURES,
    by_name_from="seed",
    arguments=(
        SOURCE,
        replace(
            OUTPUT,
            help="the model: tables <output>, <output>_packed, <output>_group, <output>_rounds, <output>_summary, "
            "<output>_statistics and the view <output>_nodes, with category_encoding=ordered also "
            "<output>_categories; must not exist",
        ),
        ID,
        DEPENDENT,
        FEATURES,
        EXCLUDE,
        Argument(
            "loss",
            "text",
            f"of classes {_names(classes=True)}; of numbers {_names(classes=False)}; NULL: the first of these",
            None,
            valid=OneOf(
                (*losses_of(classes=True), *losses_of(classes=False)),
                also={alias: loss.name for loss in LOSSES.values() for alias in loss.aliases},
            ),
            setting=Setting(),
            flag=Flag(GROWTH, metavar="NAME"),
        ),
        replace(GROUPING, help="one model for each combination of their values"),
        WEIGHTS,
        replace(TREES, help="rounds at most; of more than two classes each round grows a tree for each"),
        number_setting("learning_rate", "by what the values of leaves are multiplied", defaults.LEARNING_RATE, SHARE),
        count_setting(
            "max_leaf_nodes",
            "leaves of each tree at most: the splits that gain most are made",
            defaults.BOOST_LEAVES,
            at_least(2),
        ),
        Argument(
            "max_depth",
            "integer",
            f"levels below the root, 1 to {MAX_DEPTH_LIMIT}; NULL: {MAX_DEPTH_LIMIT}",
            None,
            valid=Range(1, MAX_DEPTH_LIMIT, is_cut=True),
            setting=Setting(is_old=True),
            flag=Flag(GROWTH),
        ),
        replace(MIN_BUCKET, help="rows that each side must keep", default=defaults.BOOST_MIN_BUCKET),
        replace(BINS, default=defaults.BOOST_BINS),
        BOOST_PARAMS,
        Argument(
            "validation_params",
            "text",
            "'fraction=0, fold_col=..., table=..., n_iter_no_change=10, tol=1e-7': hold rows out, and keep the rounds "
            "up to their least loss",
            None,
            keys=(
                Argument(
                    "fraction",
                    "double precision",
                    "share of the rows that are held out of training, by a hash of their ids; 0: none",
                    defaults.VALIDATION_FRACTION,
                    valid=Range(0, 1, never=1, words="at least 0 and below 1"),
                    setting=Setting("validation_fraction", is_tried=False),
                    flag=Flag(STOPPING, ("--validation-fraction",)),
                ),
                Argument(
                    "fold_col",
                    "text",
                    "column that is true, or a number but 0, in the rows that are held out instead",
                    None,
                    setting=Setting(is_tried=False),
                    flag=Flag(STOPPING, ("--fold-column",), "SQL"),
                ),
                Argument(
                    "table",
                    "text",
                    "table with the rows that are held out instead; it has the columns of training that are used",
                    None,
                    setting=Setting("validation_table", is_tried=False),
                    flag=Flag(STOPPING, ("--validation-table",), "TABLE"),
                ),
                Argument(
                    "n_iter_no_change",
                    "integer",
                    "rounds without a lower loss of these rows, after which no more are grown",
                    defaults.PATIENCE,
                    valid=at_least(1),
                    setting=Setting(is_tried=False),
                    flag=Flag(STOPPING, ("--patience",)),
                ),
                Argument(
                    "tol",
                    "double precision",
                    "by how much a loss must be lower to count as such",
                    defaults.TOLERANCE,
                    valid=number_of_at_least(0),
                    setting=Setting(is_tried=False),
                    flag=Flag(STOPPING),
                ),
            ),
        ),
        replace(VERBOSE, help="true: one INFO line a round, and the stages' seconds"),
        replace(SEED, help="of all that is drawn: the same rows and seed make the same model"),
        REPLACE,
        WORKERS,
        replace(MEMORY, help="megabytes for histograms and rows"),
        CLASSIFICATION,
        STRATEGY,
        EXPOSURE,
        replace(
            CLASS_PARAMS, help="how much classes count, in their order: 'class_weight=balanced', or 'prior=0.5:0.5'"
        ),
        Argument(
            "correct_prior",
            "boolean",
            "true: take out of the base score what class_params put into it, so that probabilities are of the rows",
            defaults.CORRECT_PRIOR,
            setting=Setting(),
            flag=Flag(GROWTH, ("--correct-prior",)),
        ),
        list_setting(
            "monotone",
            "'income=+1, age=-1': features with which predictions do not fall, or do not rise; NULL: none",
            "pairs",
        ),
        list_setting(
            "interaction_constraints",
            "'[income, age], [region]': features that may be together on a path of a tree; all others are one more "
            "such group; NULL: any",
            "groups",
        ),
        Argument(
            "offsets",
            "text",
            "a numeric column or expression that is added to each row's score from the beginning, on the scale of "
            "'raw' predictions; not for more than two classes; NULL: none",
            None,
            setting=Setting(is_listed=False, is_tried=False),
            flag=Flag(DATA, metavar="SQL"),
            is_numeric_column=True,
        ),
    ),
    details="""\
It returns one line that says what was trained, and without groups the mean losses after the last round that the model
keeps. A row without a value goes to the side with which its split gains more; where training saw no such row at a node,
to the larger one. With an exposure the model predicts rates: the events to be expected in an exposure of 1.
With offsets a row's score is its offset, the score to begin with, which is the best one then, and what trees add. A
table that is scored must have what the offsets are made of; a row whose offset is NULL has no prediction.
<output>_rounds has the mean losses after each round, and <output>_group the scores to begin with, on the scale of 'raw'
predictions.
""",
    example="""\
SELECT madtree.boost_train('flights', 'delay_boost', 'id', 'late', 'carrier, origin, hour, distance',
                           validation_params => 'fraction=0.1');
SELECT round, training_loss, validation_loss FROM delay_boost_rounds ORDER BY round;
""",
    command=Command(
        "boost",
        "boosting",
        """Train a gradient boosted model, or one for each group, on a table. The data stay in the database.

A bar shows how many rounds are done; Ctrl-C stops it there, and no model is left. With --validation-fraction rows are
held out, whose loss the bar shows, and the model keeps the rounds up to their least loss.
""",
        (
            "madtree boost flights delay_boost --id id -y late -x 'carrier, hour' --trees 200",
            "madtree boost flights delay_boost --id id -y late --validation-fraction 0.1 --replace",
            "madtree boost flights delays --id id -y 'arr_delay::float8' --group-by carrier --learning-rate 0.05",
        ),
    ),
)
