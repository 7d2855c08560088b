"""tree_statistics: how the values of all rows of a table are spread, kept with a model."""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import casting, find_to_use, make_beside
from madtree.request import COSTS, find_source
from madtree.score.counted_table import CountedTable
from madtree.score.new_rows import fit_to_source, scan_of
from madtree.score.prediction_statistics import SAMPLED, predictions_of
from madtree.score.rows_at_hand import numbers_of_rows
from madtree.score.training_statistics import Counting, write_statistics
from madtree.sqltext.tables import STATISTICS_COLUMNS, create_beside

_TABLE = "training_table"


def tree_statistics(
    host: Host, model_name: str | None, training_table: str | None, trust_owner: bool | None = False
) -> int:
    """Keep how the values of a model's training rows are spread, in `<output>_statistics`; returns how many rows there
    are.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model or table, it lacks a column or has no rows, or the model is another role's.
    """
    opened = find_to_use(host, model_name, trust_owner)
    tables, model = opened.tables, opened.model
    if training_table is None:
        raise MadtreeError(f"{_TABLE} must be the name of a table or view, not NULL")
    source = find_source(host.source, training_table, _TABLE)
    data = fit_to_source(host, model, source, training_table, _TABLE)
    rows = CountedTable(opened, source, data, training_table, _TABLE)
    scan = scan_of(opened, source, data, "", "")
    used = np.arange(len(model.features))
    with casting(model, data.features, training_table, _TABLE):
        beside = [] if scan.offset is None else [scan.offset]
        id_type = data.types[model.id_column]
        sample, *_ = numbers_of_rows(host, model, scan, used, id_type, SAMPLED, beside=beside)
    if not len(sample):
        raise MadtreeError(f"{_TABLE}: {training_table} has no rows", sqlstate="P0002")
    known = {"cat_n_levels", "cat_levels_in_text"} <= tables.facts.tables[model.kind.groups_in].columns.keys()
    groups_in = tables.part(model.kind.groups_in) if known else None  # of older versions
    counting = Counting.of(
        host, model.features, sample[:, int(bool(model.grouping_columns)) :], groups_in, tables.given
    )
    counts = rows.counts(counting.features, COSTS)
    if unknown := counting.unknown(counts):
        raise MadtreeError(
            f"{_TABLE}: of {unknown} {training_table} has no value that {model_name} knows",
            hint="Give the table that the model was trained on.",
        )
    host.let_in()
    of_model = predictions_of(opened, sample)
    table = *tables.at, "_statistics", STATISTICS_COLUMNS
    make_beside(opened, "_statistics", create_beside(*table))
    write_statistics(host, *tables.at, counting, counts, of_model)
    return counts.n_rows
