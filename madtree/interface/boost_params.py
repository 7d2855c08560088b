"""What is changed more rarely of how boosted trees are grown: the keys of `boost_params`."""

from __future__ import annotations

from sys import float_info

from madtree.interface import defaults
from madtree.interface.command_line import GROWTH, SAMPLES, Flag
from madtree.interface.function import Argument, Setting
from madtree.interface.training import number_setting
from madtree.interface.valid import OneOf, Range, at_least, number_of_at_least
from madtree.trees import (
    CATEGORY_ENCODINGS,
    FEW_CATEGORIES,
    LARGEST_CLASS_PARAM,
    LEAST_CLASS_PARAM,
    LEAST_RATE,
    MAX_CATEGORIES,
    METHODS,
)

SHARE = Range(0, 1, never=0, words="above 0 and at most 1")

BOOST_PARAMS = Argument(
    "boost_params",
    "text",
    "'l2_regularization=0, min_gain=0, subsample=1, feature_fraction=1, cat_smooth=10, cat_l2=10, "
    "max_cat_threshold=32, min_data_per_group=100, top_rate=1, other_rate=0.1, method=gradient, "
    "category_encoding=none, prior_weight=1'",
    None,
    keys=(
        number_setting(
            "l2_regularization", "penalty of leaves' values", defaults.L2, number_of_at_least(0), GROWTH, "--l2"
        ),
        number_setting("min_gain", "that each split must exceed", defaults.MIN_GAIN, number_of_at_least(0)),
        number_setting("subsample", "share of the rows, drawn anew for each round", defaults.SUBSAMPLE, SHARE, SAMPLES),
        number_setting(
            "feature_fraction",
            "share of the features, drawn anew for each tree",
            defaults.FEATURE_FRACTION,
            SHARE,
            SAMPLES,
        ),
        number_setting(
            "cat_smooth",
            "hessian by which rare categories are drawn to the middle before they are put in order",
            defaults.CAT_SMOOTH,
            number_of_at_least(0),
        ),
        number_setting(
            "quantile",
            "of loss quantile, which one is predicted; of huber, that of the absolute errors beyond which they "
            f"count by their sign; NULL: {defaults.LOSS_QUANTILE}",
            None,
            Range(float_info.min, 1, never=1, words="above 0 and below 1"),
        ),
        number_setting(
            "cat_l2",
            f"further penalty of leaves' values of splits by features of more than {FEW_CATEGORIES} categories",
            defaults.CAT_L2,
            number_of_at_least(0),
        ),
        Argument(
            "max_cat_threshold",
            "integer",
            "categories on one side of such a split, at most",
            defaults.MAX_CAT_THRESHOLD,
            valid=Range(1, MAX_CATEGORIES, is_cut=True),
            setting=Setting(),
            flag=Flag(GROWTH),
        ),
        Argument(
            "min_data_per_group",
            "integer",
            "rows that each further candidate of such a split moves to the other side, at least",
            defaults.MIN_DATA_PER_GROUP,
            valid=at_least(1),
            setting=Setting(),
            flag=Flag(GROWTH),
        ),
        number_setting(
            "top_rate",
            "share of the rows, those with the largest gradients, that every tree is grown on; 1: all rows",
            defaults.TOP_RATE,
            SHARE,
            SAMPLES,
        ),
        number_setting(
            "other_rate",
            "with top_rate: share of the rows that is drawn from the others, for all of which they count",
            defaults.OTHER_RATE,
            Range(LEAST_RATE, 1, words=f"at least {LEAST_RATE:g} and at most 1"),
            SAMPLES,
        ),
        Argument(
            "method",
            "text",
            f"{', '.join(map(repr, METHODS))}; all but the first begin with scores of 0, all but the first two are of "
            "two classes",
            defaults.BOOST_METHOD,
            valid=OneOf(tuple(METHODS)),
            setting=Setting("boost_method"),
            flag=Flag(GROWTH, ("--method",), "NAME"),
        ),
        Argument(
            "category_encoding",
            "text",
            "'none': categories are split as they are; 'ordered': as numbers, the mean outcome of the rows of a "
            "category that come before a row in a random order (CatBoost)",
            defaults.CATEGORY_ENCODING,
            valid=OneOf(CATEGORY_ENCODINGS),
            setting=Setting(),
            flag=Flag(GROWTH, metavar="NAME"),
        ),
        number_setting(
            "prior_weight",
            "of ordered encodings: for how many rows the mean outcome of all rows counts in each category",
            defaults.PRIOR_WEIGHT,
            Range(LEAST_CLASS_PARAM, LARGEST_CLASS_PARAM, words="from 1e-9 to 1e9"),
        ),
    ),
)
