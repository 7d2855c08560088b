"""conformal_quantiles: how far predictions of new rows may be off, by rows that training has not seen."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import ceil

from madtree.errors import MadtreeError
from madtree.host import Host, Row
from madtree.model import find_model, read_summary
from madtree.request import COSTS
from madtree.score.asking import asking, checked
from madtree.sqltext import curves

_MOST_LEVELS = 100
_MOST_DIGITS = 15  # of a level, behind the point


def conformal_quantiles(
    host: Host,
    model_name: str | None,
    calibration_table: str | None,
    levels: str | None = "0.9",
    trust_owner: bool | None = False,
) -> list[Row]:
    """A row for each group's model and level (Vovk, Gammerman and Shafer 2005; Lei et al. 2018).

    Args:
        model_name, calibration_table: names as the user gave them.
        levels: decimals between 0 and 1, separated by commas.
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model or table, a level is none, the table has too few rows for one, or a weight
            or outcome in it is out of range.
    """
    wanted = _levels(levels)
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    # Of numbers each row is asked for, and not what many of them come to.
    in_blocks = None if model.is_classification else True
    with asking(host, tables, model, calibration_table, in_blocks, COSTS, argument="calibration_table") as put:
        rows = put.by_group(curves.conformal(put.question, [format(level, "f") for level in wanted]))
    rows = checked(host, rows, model, str(calibration_table), argument="calibration_table")
    least = {float(level): ceil(level / (1 - level)) for level in wanted}
    whole = [row for row in rows if row["tree_id"] == rows[0]["tree_id"]]
    for row in whole:
        if row["quantile"] is None:
            needed = least[row["level"]]
            raise MadtreeError(
                f"levels: {row['level']:g} takes at least {needed:,} rows, and {calibration_table} has {row['n']:,} "
                "that can be used",
                hint="Take a lower level, or more rows that the training has not seen.",
            )
    lacking = {row["tree_id"] for row in rows if row["quantile"] is None}
    if lacking:
        host.notice(
            f"{calibration_table} has too few rows of {len(lacking)} group{'s' * (len(lacking) != 1)}, whose quantile "
            f"is NULL: a group needs at least {max(least.values()):,}; that of all rows (tree_id IS NULL) may stand in"
        )
    return rows


def _levels(given: str | None) -> list[Decimal]:
    """Raises MadtreeError where a level is none."""
    found = []
    for text in (given or "").split(","):
        level = _decimal(text.strip())
        if level is None or not 0 < level < 1:
            raise MadtreeError(f"levels must be numbers between 0 and 1, separated by commas, not {given!r}")
        found.append(level)
    if len(found) > _MOST_LEVELS:
        raise MadtreeError(f"levels has {len(found)} numbers; at most {_MOST_LEVELS} are possible")
    return list(dict.fromkeys(found))


def _decimal(text: str) -> Decimal | None:
    """A finite number of few digits; None of any other text."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    return number if isinstance(exponent, int) and exponent >= -_MOST_DIGITS else None
