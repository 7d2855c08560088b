"""Options of the commands that train, and what they make of them."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated, Any

import typer

from madtree.interface import defaults

DATA, GROWTH, MISSING, PRUNING, RUN = "Data", "How the tree grows", "Missing values", "Pruning", "The run"
# demo.late: classification, 245413 rows, 1 tree, 92 leaves, 0.47 s
# demo.forest: forest for classification, 245413 rows, 50 trees, 250300 leaves, out-of-bag error 0.2328, 4.47 s
LINE = re.compile(
    r".*: (?:forest for )?(?P<kind>\w+), (?P<rows>\d+) rows?, (?P<trees>\d+) trees?, (?P<leaves>\d+) (?:leaf|leaves), "
    r"(?:out-of-bag error (?P<oob_error>[^ ,]+), )?(?P<seconds>[\d.]+) s",
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


def option(help_: str, panel: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=help_, rich_help_panel=panel, show_default=False, **settings)


Source = Annotated[str, typer.Argument(help="Table or view to train on.", show_default=False)]
NewModel = Annotated[str, typer.Argument(help="Name of the model, and of its tables.", show_default=False)]
Target = Annotated[
    str,
    option(
        "What to predict, a column or expression, also with AS name: boolean, integer or text for classes, "
        "float or numeric for regression.",
        DATA,
        "--target",
        "-y",
        metavar="SQL",
    ),
]
Features = Annotated[
    str,
    option(
        "Columns or expressions to predict from, separated by commas. Default: * for all others.",
        DATA,
        "--features",
        "-x",
        metavar="LIST",
    ),
]
Exclude = Annotated[list[str] | None, option("Columns that * leaves out; may be repeated.", DATA, metavar="LIST")]
Weights = Annotated[str | None, option("Weight of each row, a column or expression.", DATA, metavar="SQL")]
Classification = Annotated[
    bool | None,
    option(
        "Whether the target is classes or a number; its type says so otherwise.",
        DATA,
        "--classification/--regression",
    ),
]
ChosenCriterion = Annotated[
    Criterion | None,
    option(f"Default: {defaults.SPLIT_CRITERION}; of numbers mse, of counts poisson.", GROWTH),
]
Bins = Annotated[
    int | None,
    option(
        f"Candidate thresholds of a continuous feature, 0 for all. Default: {defaults.N_BINS}.",
        GROWTH,
    ),
]
MaxSurrogates = Annotated[
    int | None, option(f"Surrogate splits kept for each node. Default: {defaults.MAX_SURROGATES}.", MISSING)
]
SurrogateStyle = Annotated[int | None, option(f"0 or 1, as in rpart. Default: {defaults.SURROGATE_STYLE}.", MISSING)]
NullAsCategory = Annotated[
    bool | None, option("NULL is one more category of a text or boolean feature.", MISSING, "--null-as-category")
]
Replace = Annotated[bool | None, option("Overwrite a model of that name.", RUN, "--replace")]


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
    error = {} if found["oob_error"] is None else {"oob_error": float(found["oob_error"])}
    return {"kind": found["kind"], **counts, **error, "seconds": float(found["seconds"])}
