"""The function that tries settings of a model, and trains the best one."""

from __future__ import annotations

from dataclasses import replace

from madtree.interface import defaults
from madtree.interface.command_line import RUN, Command, Flag
from madtree.interface.function import Argument, Function
from madtree.interface.shared import FIGURES
from madtree.interface.training import (
    CLASSIFICATION,
    DEPENDENT,
    EXCLUDE,
    FEATURES,
    ID,
    MEMORY,
    OUTPUT,
    REPLACE,
    SEED,
    SOURCE,
    STRATEGY,
    VERBOSE,
    WEIGHTS,
    WORKERS,
)
from madtree.interface.valid import OneOf, Range
from madtree.trees import KINDS, METRICS, MOST_FOLDS

SEARCH = "The search"
METHODS = {name.removesuffix("_train"): kind for name, kind in KINDS.items()}

TREE_TUNE = Function(
    "tree_tune",
    "tries settings of a model of any kind by cross-validation, and trains the best one",
    run="madtree.calls.training:tree_tune",
    settings=FIGURES,
    by_name_from="method",
    arguments=(
        SOURCE,
        replace(OUTPUT, help="the table of scores; the best model is <output>_model"),
        ID,
        DEPENDENT,
        FEATURES,
        Argument(
            "method",
            "text",
            f"{', '.join(map(repr, METHODS))}: what <method>_train trains",
            defaults.METHOD,
            valid=OneOf(tuple(METHODS)),
            flag=Flag(SEARCH, ("--method",), "NAME"),
        ),
        Argument(
            "params",
            "text",
            "'max_depth=3,5,8; min_bucket=5,20': values of arguments of <method>_train, each with each; NULL: its "
            "defaults alone",
            None,
            flag=Flag(SEARCH, ("--params", "-p"), "LIST"),
            form="grid",
        ),
        Argument(
            "n_folds",
            "integer",
            "that are drawn by the hash of the id",
            defaults.TUNING_FOLDS,
            valid=Range(2, MOST_FOLDS),
            flag=Flag(SEARCH, ("--folds",)),
        ),
        Argument(
            "metric",
            "text",
            f"{', '.join(map(repr, METRICS))}; NULL: the first one for the outcome",
            None,
            valid=OneOf(tuple(METRICS)),
            flag=Flag(SEARCH, ("--metric",), "NAME"),
        ),
        Argument(
            "search",
            "text",
            "'grid': all settings on all rows; 'halving': all on a part of the rows, the best third of them on three "
            "times as many, and so on",
            defaults.SEARCH,
            valid=OneOf(("grid", "halving")),
            flag=Flag(SEARCH, ("--search",), "NAME"),
        ),
        Argument(
            "fold_column",
            "text",
            "column whose values are the folds, instead of n_folds",
            None,
            flag=Flag(SEARCH, ("--fold-column",), "COLUMN"),
        ),
        EXCLUDE,
        WEIGHTS,
        replace(VERBOSE, help="true: INFO lines of what is done, and the stages' seconds"),
        replace(SEED, help="of the folds, and of what each training draws"),
        replace(REPLACE, help="true: overwrite the tables of an earlier search", flag=Flag(RUN, ("--replace",))),
        WORKERS,
        MEMORY,
        STRATEGY,
        CLASSIFICATION,
    ),
    details="""\
It returns one line that says which setting is best. The table of scores has a row for each setting and fold:
    setting                   its number
    ...                       a column for each key of params
    fold                      from 1; of fold_column, in the order of its values as text
    score                     by the metric, of the fold's rows, by a model of all other rows; NULL where there is none
    seconds                   its part of the time
    share                     of the rows: below 1 where halving has left the setting out before the end
    is_best                   whether the model is of this setting
The best one has the best mean score over the folds; of several, the first. <output>_model is what <method>_train makes
of all rows with it. Rows are read and packed once for all settings, into the bins of all rows. So n_bins (num_splits)
and null_as_category have one value. Values with commas or semicolons are put in single quotes; null is NULL.
""",
    example="""\
SELECT madtree.tree_tune('flights', 'delay_search', 'id', 'late', '*', params => 'max_depth=4,6,8,10; min_bucket=5,50');
SELECT max_depth, min_bucket, avg(score) FROM delay_search GROUP BY 1, 2 ORDER BY 3 DESC;
SELECT madtree.tree_predict('delay_search_model', 'flights_today', 'flights_scored');
""",
    command=Command(
        "tune",
        "searching",
        """Try settings of a model of any kind by cross-validation, and train the best one.

The table MODEL gets a row for each setting and fold, and the best model is MODEL_model.
""",
        (
            "madtree tune flights delay_search --id id -y late -p 'max_depth=4,6,8,10; min_bucket=5,50'",
            "madtree tune flights boosts --id id -y late --method boost -p 'num_trees=50,100,200; learning_rate=0.1'",
            "madtree tune flights by_month --id id -y late --fold-column month --metric auc",
        ),
        model_suffix="_model",
    ),
)
