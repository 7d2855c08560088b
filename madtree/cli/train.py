"""`madtree train`."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated, Any

import typer

from madtree.cli.options import Dsn, Json, examples
from madtree.cli.output import as_json, text
from madtree.cli.safe import safe_line
from madtree.cli.session import session
from madtree.request import defaults

EPILOG = examples(
    "$ madtree train flights delay_tree --id id -y late -x 'carrier, hour'",
    "$ madtree train flights delay_tree --id id -y late --max-depth 6 --replace",
    "$ madtree train flights delays --id id -y late --exclude tailnum --group-by carrier",
    "$ madtree train flights delay_cv --id id -y late --folds 10 --rule 1se --max-surrogates 5",
)
# demo.late: classification, 245413 rows, 1 tree, 92 leaves, 0.47 s
# demo.forest: forest for classification, 245413 rows, 50 trees, 250300 leaves, 4.47 s
LINE = re.compile(
    r".*: (?:forest for )?(?P<kind>\w+), (?P<rows>\d+) rows?, (?P<trees>\d+) trees?, (?P<leaves>\d+) (?:leaf|leaves), "
    r"(?P<seconds>[\d.]+) s",
    re.DOTALL,
)


class Criterion(str, Enum):
    """Split criteria."""

    GINI = "gini"
    ENTROPY = "entropy"
    GAIN_RATIO = "gain_ratio"
    MISCLASSIFICATION = "misclassification"
    MSE = "mse"
    POISSON = "poisson"


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


GROWTH, MISSING, PRUNING, RUN = "How the tree grows", "Missing values", "Pruning", "The run"


def option(help_: str, panel: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=help_, rich_help_panel=panel, show_default=False, **settings)


def train_command(
    table: Annotated[str, typer.Argument(help="Table or view to train on.", show_default=False)],
    model: Annotated[str, typer.Argument(help="Name of the model, and of its tables.", show_default=False)],
    id_column: Annotated[str, option("Column that identifies rows.", "Data", "--id", metavar="COLUMN")],
    target: Annotated[
        str,
        option(
            "What to predict, a column or expression, also with AS name: boolean, integer or text for classes, "
            "float or numeric for regression.",
            "Data",
            "--target",
            "-y",
            metavar="SQL",
        ),
    ],
    features: Annotated[
        str,
        option(
            "Columns or expressions to predict from, separated by commas. Default: * for all others.",
            "Data",
            "--features",
            "-x",
            metavar="LIST",
        ),
    ] = "*",
    exclude: Annotated[
        list[str] | None, option("Columns that * leaves out; may be repeated.", "Data", metavar="LIST")
    ] = None,
    group_by: Annotated[
        list[str] | None,
        option("One tree for each value of these columns or expressions; may be repeated.", "Data", metavar="LIST"),
    ] = None,
    weights: Annotated[str | None, option("Weight of each row, a column or expression.", "Data", metavar="SQL")] = None,
    exposure: Annotated[
        str | None, option("Of counts: over what each row's events were counted.", "Data", metavar="SQL")
    ] = None,
    criterion: Annotated[
        Criterion | None,
        option(f"Default: {defaults.SPLIT_CRITERION}; of numbers mse, of counts poisson.", GROWTH),
    ] = None,
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
    bins: Annotated[
        int | None,
        option(
            f"Candidate thresholds of a continuous feature, 0 for all. Default: {defaults.N_BINS}.",
            GROWTH,
        ),
    ] = None,
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
    max_surrogates: Annotated[
        int | None, option(f"Surrogate splits kept for each node. Default: {defaults.MAX_SURROGATES}.", MISSING)
    ] = None,
    surrogate_style: Annotated[
        int | None, option(f"0 or 1, as in rpart. Default: {defaults.SURROGATE_STYLE}.", MISSING)
    ] = None,
    null_as_category: Annotated[
        bool | None, option("NULL is one more category of a text or boolean feature.", MISSING, "--null-as-category")
    ] = None,
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
    replace: Annotated[bool | None, option("Overwrite a model of that name.", RUN, "--replace")] = None,
    workers: Annotated[int | None, option("Parallel workers that may share the passes.", RUN)] = None,
    memory_mb: Annotated[int | None, option(f"Megabytes for histograms. Default: {defaults.MEMORY_MB}.", RUN)] = None,
    strategy: Annotated[
        Strategy | None,
        option(f"Which processes keep and count the rows; auto: what is quickest. Default: {defaults.STRATEGY}.", RUN),
    ] = None,
    classification: Annotated[
        bool | None,
        option(
            "Whether the target is classes or a number; its type says so otherwise.",
            "Data",
            "--classification/--regression",
        ),
    ] = None,
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


def joined(lists: list[str] | None) -> str | None:
    """Lists given one by one, as one."""
    return ", ".join(lists) if lists else None


def pairs(values: dict[str, Any]) -> str | None:
    """``name=value`` pairs as the server reads them, of what was given."""
    given = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in values.items()
             if value is not None]  # fmt: skip
    return ", ".join(given) or None


def trained(said: str) -> dict[str, Any]:
    """What the server's line tells, as numbers."""
    found = LINE.fullmatch(said)
    if found is None:  # a server that puts it in other words
        return {}
    counts = {name: int(found[name]) for name in ("rows", "trees", "leaves")}
    return {"kind": found["kind"], **counts, "seconds": float(found["seconds"])}
