"""calibrate and tree_refresh: models that are made of a model and of other rows than those of its training."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS
from madtree.model import check_no_offsets, check_rows, find_to_use, no_row_counts
from madtree.model.write import Calibrated, NewModel, write_calibrated_sum, write_calibrated_tree, write_refreshed
from madtree.score import calibration_maps, check_stages, refreshed_boosted, refreshed_nodes
from madtree.sqltext.kinds import TABLES
from madtree.sqltext.quote import ident
from madtree.trees import BOOSTED, ISOTONIC, SIGMOID, Joining
from madtree.wording import BLANKS, count_text


def calibrate(
    host: Host,
    model_name: str | None,
    calibration_table: str | None,
    output_model: str | None,
    method: str | None = "isotonic",
    trust_owner: bool | None = False,
    replace: bool | None = False,
) -> str:
    """Write the calibrated model, which is the caller's and has the former one's expressions; see its usage text.

    Raises:
        MadtreeError: there is no such model or table, the model has no probabilities to calibrate, the table has too
            few rows, the new model's tables cannot be created, or an argument is not valid.
    """
    wanted = FUNCTIONS["calibrate"].checked("method", method)
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    n_classes = len(model.classes)
    if not model.is_classification:
        raise MadtreeError(
            f"model: {model_name} predicts numbers, and probabilities of classes are calibrated",
            hint="madtree.conformal_quantiles tells how far predictions of numbers may be off.",
            sqlstate="42809",
        )
    if n_classes < 2:
        raise MadtreeError(
            f"model: {model_name} knows {'one class' if n_classes else 'no class'}, and probabilities of two and more "
            "are calibrated",
            hint="Train it on rows of two classes.",
            sqlstate="42809",
        )
    check_no_offsets(
        model, "and maps from scores to probabilities hold for trees alone", "Calibrate a model without offsets."
    )
    if model.kind.joining is not Joining.NONE:
        for column in opened.grouping:
            if column in TABLES[BOOSTED].own_names:
                raise MadtreeError(
                    f"model: {model_name} has the grouping column {ident(column)}, which is also the name of a column "
                    f"of {BOOSTED.in_words}'s tables, and calibrated it becomes one",
                    hint="Train it with another name of the column: grouping_cols => '... AS name'.",
                    sqlstate="42701",
                )
    check_rows(opened, nodes=not opened.tables.is_packed)
    new = NewModel.check(opened, output_model, "output_model", replace)
    maps = calibration_maps(opened, calibration_table, wanted)
    table = str(calibration_table).strip(BLANKS)
    write = write_calibrated_tree if model.kind.joining is Joining.NONE else write_calibrated_sum
    write(opened, new, Calibrated(wanted, table, maps))
    n_groups = model.summary["num_all_groups"]
    lacking = n_groups - len(maps.by_group) if model.grouping_columns and isinstance(n_groups, int) else 0
    if lacking > 0:
        whose, have, are = ("group", "has", "is") if lacking == 1 else ("groups", "have", "are")
        lacks = f"{have} no rows of {'both' if n_classes == 2 else 'two'} classes in {calibration_table}"
        host.notice(f"{lacking} {whose} of {model_name} {lacks}, and {are} calibrated by all of its rows")
    return f"calibrate: {model_name} calibrated ({wanted}) by {maps.n_rows} rows of {table} into {new.given}"


def tree_refresh(
    host: Host,
    model_name: str | None,
    new_table: str | None,
    output_model: str | None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
) -> str:
    """Write the refreshed model, which is the caller's and has the former one's expressions; see its usage text.

    Raises:
        MadtreeError: there is no such model or table, what the model's leaves say does not follow from the rows in
            them, no row counts, or the new model's tables cannot be created.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    given = [each for each in ("class_params", "calibration") if str(model.summary.get(each) or "").strip()]
    given += ["loss"] * (model.summary.get("loss") in (ISOTONIC, SIGMOID))  # calibrated, whatever the summary lacks
    if model.of_counts or given:
        what = "predicts rates of events" if model.of_counts else f"has {given[0]} {model.summary[given[0]]}"
        raise MadtreeError(
            f"model: {model_name} {what}, and what its leaves say does not follow from the rows in them alone",
            hint="Train it on the new rows: madtree.tree_call tells how it was trained.",
            sqlstate="42809",
        )
    adds_up = model.kind.joining is Joining.SUM
    if adds_up:
        check_stages(model)
    new = NewModel.check(opened, output_model, "output_model", replace)
    find = refreshed_boosted if adds_up else refreshed_nodes
    found = find(opened, new_table, "new_table")
    if not found.total:
        raise no_row_counts("new_table", new_table)
    table = str(new_table).strip(BLANKS)
    write_refreshed(opened, new, table, found)
    rows = count_text(found.total, "row")
    return f"tree_refresh: {model_name} refreshed by {rows} of {table} into {new.given}"
