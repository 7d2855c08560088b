"""conformal_quantiles and conformal_train: how far predictions of new rows may be off, by rows that training has not
seen, or by the trees whose samples lack a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from math import ceil

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.interface import defaults
from madtree.model import UsableModel, check_own_table, find_to_use, is_training_table, make_beside
from madtree.model.arrays import MOST_LEVELS
from madtree.records import dataclass
from madtree.request import find_source
from madtree.score.asking import asking
from madtree.score.out_of_bag import check_own_rows, has_bags
from madtree.score.tested_rows import tested_rows, with_outcomes
from madtree.sqltext import curves
from madtree.sqltext.array_text import joined
from madtree.sqltext.evaluate import class_metrics, number_metrics
from madtree.sqltext.inserts import fill_beside
from madtree.sqltext.tables import CONFORMAL_COLUMNS, create_beside
from madtree.trees import Joining, Model
from madtree.wording import count_text

_TABLE = "calibration_table"
_MOST_DIGITS = 15  # of a level, behind the point


@dataclass(frozen=True)
class KeptQuantiles:
    """By which table, and how many rows of it that count, and of which levels quantiles are kept."""

    table: str
    n_rows: int
    levels: Sequence[float]


def conformal_quantiles(
    host: Host,
    model_name: str | None,
    calibration_table: str | None = None,
    levels: str | None = "0.9",
    trust_owner: bool | None = False,
) -> list[Row]:
    """A row for each group's model and level (Vovk, Gammerman and Shafer 2005; Lei et al. 2018; of rows out of
    bag Johansson et al. 2014).

    Args:
        model_name, calibration_table: names as the user gave them; without a table, the training's, whose rows are
            judged out of bag.
        levels: decimals between 0 and 1, separated by commas.
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model or table, a level is none, the table has too few rows for one, or a weight
            or outcome in it is out of range; or the training's rows are others by now, or its table is another
            role's choice.
    """
    wanted = _levels(levels)
    return _quantiles(find_to_use(host, model_name, trust_owner), calibration_table, wanted)


def conformal_train(
    host: Host,
    model_name: str | None,
    calibration_table: str | None = None,
    levels: str | None = defaults.KEPT_LEVELS,
    trust_owner: bool | None = False,
) -> KeptQuantiles:
    """Keep what `conformal_quantiles` tells in `<output>_conformal`, for predictions of type 'conformal'. Arguments and
    errors as there.

    Raises:
        MadtreeError: also where the model is another role's, or counts events over exposures.
    """
    wanted = _levels(levels)
    opened = find_to_use(host, model_name, trust_owner)
    if opened.model.exposure is not None:
        raise MadtreeError(
            f"model: {opened.tables.given} predicts rates, and how far a count may be off takes the exposure of its "
            "row",
            hint="madtree.conformal_quantiles tells it: rate * exposure, plus and minus the quantile.",
            sqlstate="42809",
        )
    rows = _quantiles(opened, calibration_table, wanted)
    table = *opened.tables.at, "_conformal", CONFORMAL_COLUMNS
    make_beside(opened, "_conformal", create_beside(*table))
    given = [joined([_or_null(row[column]) for row in rows]) for column, _ in CONFORMAL_COLUMNS]
    host.command(fill_beside(*table), ["pg_catalog.text"] * len(given), given)
    by = str(opened.model.source_table if calibration_table is None else calibration_table)
    return KeptQuantiles(by, int(rows[0]["n"]), sorted(map(float, wanted)))


def _or_null(value: float | None) -> str:
    return "NULL" if value is None else repr(value)


def _quantiles(opened: UsableModel, calibration_table: str | None, wanted: Sequence[Decimal]) -> list[Row]:
    model = opened.model
    out_of_bag = _is_out_of_bag(opened, calibration_table)
    table = str(model.source_table if calibration_table is None else calibration_table)
    # Of numbers each row is asked for, and not what many of them come to.
    in_blocks = None if model.is_classification else True
    if out_of_bag:
        source = find_source(opened.host.source, table, _TABLE)
        tested = with_outcomes(opened, source, table, with_id=True, argument=_TABLE).of_training()
    else:
        tested = tested_rows(opened, table, with_id=False, argument=_TABLE)
    with asking(tested, in_blocks, out_of_bag=out_of_bag) as put:
        if out_of_bag:
            metrics = class_metrics if model.is_classification else number_metrics
            check_own_rows(opened, put.by_group(metrics(put.question)), table, _TABLE)
        rows = put.checked(curves.conformal(put.question, [format(level, "f") for level in wanted]))
    least = {float(level): ceil(level / (1 - level)) for level in wanted}
    whole = [row for row in rows if row["tree_id"] == rows[0]["tree_id"]]
    for row in whole:
        if row["quantile"] is None:
            needed = least[row["level"]]
            raise MadtreeError(
                f"levels: {row['level']:g} takes at least {needed:,} rows, and {table} has {row['n']:,} "
                "that can be used",
                hint="Take a lower level, or more rows that the training has not seen.",
            )
    lacking = {row["tree_id"] for row in rows if row["quantile"] is None}
    if lacking:
        opened.host.notice(
            f"{table} has too few rows of {count_text(len(lacking), 'group')}, whose quantile "
            f"is NULL: a group needs at least {max(least.values()):,}; that of all rows (tree_id IS NULL) may stand in"
        )
    return rows


def conformal_type(model: Model) -> str:
    """The type of prediction of classes that quantiles are about."""
    return "prob_mean" if model.kind.joining is Joining.VOTE_OR_MEAN else "prob"


def _is_out_of_bag(opened: UsableModel, table: str | None) -> bool:
    """Whether rows are judged by the trees alone whose samples lack them.

    Raises:
        MadtreeError: no table is given, and the model's trees have seen all rows of its own; or as `check_own_table`.
    """
    if table is None:
        _check_own_table(opened)
        return True
    host, model = opened.host, opened.model
    if not has_bags(model):
        return False
    is_own = is_training_table(host, model, find_source(host.source, table, _TABLE))
    if is_own:
        host.notice(f"{model.name} was trained on {table}: each row is judged by the trees whose samples lack it")
    return is_own


def _check_own_table(opened: UsableModel) -> None:
    """Whether the table of the training may stand in for one that is not given; raises as `_is_out_of_bag`."""
    if not has_bags(opened.model):
        kind = opened.model.kind
        seen = "its samples have all rows" if kind.unseen_in else f"{kind.in_words} has seen all of its own"
        raise MadtreeError(
            f"{_TABLE} must be the name of a table or view, not NULL: {seen}",
            hint="Give a table of rows that training has not seen. A model whose trees have samples needs none.",
        )
    check_own_table(opened, _TABLE)


def _levels(given: str | None) -> list[Decimal]:
    """Raises MadtreeError where a level is none."""
    found = []
    for text in (given or "").split(","):
        level = _decimal(text.strip())
        if level is None or not 0 < level < 1:
            shown = "NULL" if given is None else repr(given)
            raise MadtreeError(f"levels must be numbers between 0 and 1, separated by commas, not {shown}")
        found.append(level)
    if len(found) > MOST_LEVELS:
        raise MadtreeError(f"levels has {len(found)} numbers; at most {MOST_LEVELS} are possible")
    return list(dict.fromkeys(found))


def _decimal(text: str) -> Decimal | None:
    """A finite number of few digits; None of any other text."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    return number if isinstance(exponent, int) and exponent >= -_MOST_DIGITS else None
