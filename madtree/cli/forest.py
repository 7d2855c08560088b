"""`madtree forest`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import as_json, text
from madtree.cli.safe import safe_line
from madtree.cli.session import session
from madtree.cli.training import (
    DATA,
    GROWTH,
    RUN,
    Bins,
    ChosenCriterion,
    Classification,
    Exclude,
    Features,
    MaxSurrogates,
    NewModel,
    NullAsCategory,
    Replace,
    Source,
    SurrogateStyle,
    Target,
    Weights,
    joined,
    option,
    pairs,
    trained,
)
from madtree.interface import defaults

EPILOG = examples(
    "$ madtree forest flights delay_forest --id id -y late -x 'carrier, hour' --trees 200",
    "$ madtree forest flights delay_forest --id id -y late --features-per-node 3 --no-importance --replace",
    "$ madtree forest flights random_forest --id id -y late --split-rule random --sampling none",
    "$ madtree predict delay_forest flights_today flights_scored --type prob",
    "$ madtree show delay_forest --tree 1",
)
SAMPLES = "The trees' samples"


class Sampling(str, Enum):
    """How rows are drawn."""

    POISSON = "poisson"
    WITHOUT_REPLACEMENT = "without_replacement"
    NONE = "none"


class Strategy(str, Enum):
    """Who keeps the rows and grows trees."""

    AUTO = "auto"
    MEMORY = "memory"
    WORKERS = "workers"


class SplitRule(str, Enum):
    """Which split of a drawn feature is tried."""

    BEST = "best"
    RANDOM = "random"


def forest_command(
    table: Source,
    model: NewModel,
    id_column: Annotated[
        str, option("Column that identifies rows: samples are drawn by it.", DATA, "--id", metavar="COLUMN")
    ],
    target: Target,
    features: Features = "*",
    exclude: Exclude = None,
    group_by: Annotated[
        list[str] | None,
        option("One forest for each value of these columns or expressions; may be repeated.", DATA, metavar="LIST"),
    ] = None,
    weights: Weights = None,
    classification: Classification = None,
    trees: Annotated[int | None, option(f"Of each forest. Default: {defaults.NUM_TREES}.", GROWTH)] = None,
    features_per_node: Annotated[
        int | None,
        option("Features drawn for each node. Default: the root of their number, of numbers a third.", GROWTH),
    ] = None,
    criterion: ChosenCriterion = None,
    split_rule: Annotated[
        SplitRule | None,
        option(
            "random: one threshold at random for each drawn feature (extremely randomized trees). "
            f"Default: {defaults.SPLIT_RULE}.",
            GROWTH,
        ),
    ] = None,
    max_depth: Annotated[int | None, option("Levels below the root, 0 to 60. Default: 60.", GROWTH)] = None,
    min_split: Annotated[
        int | None,
        option(
            f"Rows that a node needs to be split. Default: {defaults.FOREST_MIN_SPLIT[True]}, of numbers "
            f"{defaults.FOREST_MIN_SPLIT[False]}.",
            GROWTH,
        ),
    ] = None,
    min_bucket: Annotated[
        int | None, option(f"Rows that each side keeps. Default: {defaults.FOREST_MIN_BUCKET}.", GROWTH)
    ] = None,
    bins: Bins = None,
    sampling: Annotated[
        Sampling | None,
        option(
            "With replacement (poisson); 63 % of the rows, once each (without_replacement); or none: all rows, so that "
            f"no row is out of bag. Default: {defaults.SAMPLING}.",
            SAMPLES,
        ),
    ] = None,
    sample_ratio: Annotated[
        float | None, option("Share of the rows that each sample is drawn from. Default: 1.", SAMPLES)
    ] = None,
    importance: Annotated[
        bool | None,
        option(
            "Permute each feature among the out-of-bag rows, to see what that costs. It takes time. Default: yes.",
            SAMPLES,
            "--importance/--no-importance",
        ),
    ] = None,
    permutations: Annotated[
        int | None, option(f"Of each feature and tree. Default: {defaults.NUM_PERMUTATIONS}.", SAMPLES)
    ] = None,
    oob_predictions: Annotated[
        bool | None,
        option(
            "Also make <MODEL>_oob: what is predicted of each row by the trees whose samples lack it.",
            SAMPLES,
            "--oob-predictions",
        ),
    ] = None,
    max_surrogates: MaxSurrogates = None,
    surrogate_style: SurrogateStyle = None,
    null_as_category: NullAsCategory = None,
    seed: Annotated[int | None, option(f"Of all that is drawn. Default: {defaults.SEED}.", RUN)] = None,
    replace: Replace = None,
    workers: Annotated[int | None, option("Parallel workers that may share the trees.", RUN)] = None,
    strategy: Annotated[
        Strategy | None,
        option(
            f"Which processes keep the rows and grow trees; auto: what is quickest. Default: {defaults.STRATEGY}.", RUN
        ),
    ] = None,
    memory_mb: Annotated[
        int | None, option(f"Megabytes for histograms and rows. Default: {defaults.MEMORY_MB}.", RUN)
    ] = None,
    verbose: Annotated[
        bool, option("Print the server's lines as the trees are grown.", "Output", "--verbose", "-v")
    ] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Train a random forest, or one for each group, on a table. The data stay in the database.

    A bar shows how many trees are grown; Ctrl-C stops it there, and no model is left. The line at the end has the
    error on rows that the trees have not seen; of groups it is in <MODEL>_group. `madtree report` draws it.
    """  # fmt: skip
    null_handling = {
        "max_surrogates": max_surrogates, "null_as_category": null_as_category, "surrogate_style": surrogate_style,
    }  # fmt: skip
    arguments = {
        "training_table_name": table,
        "output_table_name": model,
        "id_col_name": id_column,
        "dependent_variable": target,
        "list_of_features": features,
        "list_of_features_to_exclude": joined(exclude),
        "grouping_cols": joined(group_by),
        "num_trees": trees,
        "num_random_features": features_per_node,
        "importance": importance,
        "num_permutations": permutations,
        "max_tree_depth": max_depth,
        "min_split": min_split,
        "min_bucket": min_bucket,
        "num_splits": bins,
        "null_handling_params": pairs(null_handling),
        "verbose": True,  # moves the bar
        "sample_ratio": sample_ratio,
        "weights": weights,
        "split_criterion": criterion and criterion.value,
        "split_rule": split_rule and split_rule.value,
        "sampling": sampling and sampling.value,
        "seed": seed,
        "replace": replace,
        "parallel_workers": workers,
        "strategy": strategy and strategy.value,
        "memory_mb": memory_mb,
        "classification": classification,
        "oob_predictions": oob_predictions,
    }
    with session(dsn) as opened:
        said = opened.line("forest_train", arguments, "growing", verbose=verbose)
    if json:
        as_json({"model": model, **trained(said), "message": said})
    else:
        text(safe_line(said))
