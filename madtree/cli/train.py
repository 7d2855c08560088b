"""`madtree train`."""

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
    PRUNING,
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
    "$ madtree train flights delay_tree --id id -y late -x 'carrier, hour'",
    "$ madtree train flights delay_tree --id id -y late --max-depth 6 --replace",
    "$ madtree train flights delays --id id -y late --exclude tailnum --group-by carrier",
    "$ madtree train flights delay_cv --id id -y late --folds 10 --rule 1se --max-surrogates 5",
)


class Rule(str, Enum):
    """How cross-validation chooses cp."""

    MIN = "min"
    ONE_SE = "1se"


class Strategy(str, Enum):
    """Who keeps and counts the rows."""

    AUTO = "auto"
    MEMORY = "memory"
    WORKERS = "workers"
    AGGREGATE = "aggregate"


def train_command(
    table: Source,
    model: NewModel,
    id_column: Annotated[str, option("Column that identifies rows.", DATA, "--id", metavar="COLUMN")],
    target: Target,
    features: Features = "*",
    exclude: Exclude = None,
    group_by: Annotated[
        list[str] | None,
        option("One tree for each value of these columns or expressions; may be repeated.", DATA, metavar="LIST"),
    ] = None,
    weights: Weights = None,
    exposure: Annotated[
        str | None, option("Of counts: over what each row's events were counted.", DATA, metavar="SQL")
    ] = None,
    criterion: ChosenCriterion = None,
    max_depth: Annotated[
        int | None, option(f"Levels below the root, 0 to 60. Default: {defaults.MAX_DEPTH}.", GROWTH)
    ] = None,
    min_split: Annotated[
        int | None,
        option(f"Rows that a node needs to be split. Default: {defaults.MIN_SPLIT}, or 3 times --min-bucket.", GROWTH),
    ] = None,
    min_bucket: Annotated[
        int | None, option("Rows that each side keeps. Default: a third of --min-split.", GROWTH)
    ] = None,
    bins: Bins = None,
    max_leaf_nodes: Annotated[
        int | None, option("Leaves at most: the splits that gain most are made, as in scikit-learn.", GROWTH)
    ] = None,
    min_impurity_decrease: Annotated[
        float | None, option("By how much a split must lower the impurity of the whole tree.", GROWTH)
    ] = None,
    class_params: Annotated[
        str | None,
        option(
            "How much classes count, in their order: 'prior=0.5:0.5', 'loss=0 1 5 0' (a row for each true class), "
            "'class_weight=balanced'.",
            GROWTH,
            metavar="TEXT",
        ),
    ] = None,
    shrink: Annotated[
        float | None,
        option("Of counts: the coefficient of variation of the rates' prior; 0 for none.", GROWTH),
    ] = None,
    feature_costs: Annotated[
        str | None,
        option("Divide the gains of a feature's splits by its cost: 'income=2, age=1'.", GROWTH, metavar="LIST"),
    ] = None,
    max_surrogates: MaxSurrogates = None,
    surrogate_style: SurrogateStyle = None,
    null_as_category: NullAsCategory = None,
    max_competitors: Annotated[
        int | None,
        option(f"Splits by other features kept for each node. Default: {defaults.MAX_COMPETITORS}.", GROWTH),
    ] = None,
    cp: Annotated[
        float | None,
        option(
            f"A split stays if it lowers the risk by so much of the root's; -1: all stay. Default: {defaults.CP:g}.",
            PRUNING,
        ),
    ] = None,
    folds: Annotated[
        int | None,
        option(f"Choose cp by cross-validation with this many folds. Default: {defaults.N_FOLDS}, none.", PRUNING),
    ] = None,
    fold_column: Annotated[str | None, option("Column whose values are the folds.", PRUNING, metavar="SQL")] = None,
    rule: Annotated[
        Rule | None,
        option(
            f"min: the least error; 1se: the smallest tree within a standard error of it. Default: {defaults.RULE}.",
            PRUNING,
        ),
    ] = None,
    seed: Annotated[int | None, option(f"Of samples and folds. Default: {defaults.SEED}.", RUN)] = None,
    replace: Replace = None,
    workers: Annotated[int | None, option("Parallel workers that may share the passes.", RUN)] = None,
    memory_mb: Annotated[int | None, option(f"Megabytes for histograms. Default: {defaults.MEMORY_MB}.", RUN)] = None,
    strategy: Annotated[
        Strategy | None,
        option(f"Which processes keep and count the rows; auto: what is quickest. Default: {defaults.STRATEGY}.", RUN),
    ] = None,
    classification: Classification = None,
    verbose: Annotated[bool, option("Print the server's line for each level.", "Output", "--verbose", "-v")] = False,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Train a decision tree, or one for each group, on a table. The data stay in the database.

    A bar shows how far the server is; Ctrl-C stops it there, and no model is left.
    """  # fmt: skip
    surrogate_params = {
        "max_surrogates": max_surrogates, "null_as_category": null_as_category, "surrogate_style": surrogate_style,
    }  # fmt: skip
    pruning_params = {"cp": cp, "n_folds": folds, "rule": rule and rule.value, "fold_col": fold_column}
    arguments = {
        "training_table_name": table,
        "output_table_name": model,
        "id_col_name": id_column,
        "dependent_variable": target,
        "list_of_features": features,
        "list_of_features_to_exclude": joined(exclude),
        "split_criterion": criterion and criterion.value,
        "grouping_cols": joined(group_by),
        "weights": weights,
        "max_depth": max_depth,
        "min_split": min_split,
        "min_bucket": min_bucket,
        "n_bins": bins,
        "surrogate_params": pairs(surrogate_params),
        "pruning_params": pairs(pruning_params),
        "verbose": True,  # moves the bar, and lets a cancel in between levels
        "seed": seed,
        "replace": replace,
        "parallel_workers": workers,
        "memory_mb": memory_mb,
        "strategy": strategy and strategy.value,
        "max_leaf_nodes": max_leaf_nodes,
        "min_impurity_decrease": min_impurity_decrease,
        "classification": classification,
        "class_params": class_params,
        "exposure": exposure,
        "shrink": shrink,
        "feature_costs": feature_costs,
        "max_competitors": max_competitors,
    }
    depth = defaults.MAX_DEPTH if max_depth is None else max_depth
    with session(dsn) as opened:
        said = opened.line("tree_train", arguments, "training", max_depth=depth, verbose=verbose)
    if json:
        as_json({"model": model, **trained(said), "message": said})
    else:
        text(safe_line(said))
