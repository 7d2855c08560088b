"""forest_predict: score a table by all trees of a forest."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import casting, check_type, find_model, output_columns, read_summary
from madtree.request import COSTS, Costs, check_new, find_relation, tell_of_kept
from madtree.score.case_or_blocks import measure
from madtree.score.predict import fit_to_source, id_name_of, scan_of
from madtree.score.score_by_blocks import BlockScoring
from madtree.sqltext import models as models_sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.quote import qualified
from madtree.trees import Kind


def forest_predict(
    host: Host,
    random_forest_model: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None,
    trust_owner: bool | None = False,
    *,
    costs: Costs = COSTS,
) -> str:
    """Create `output_table` with what all trees say together of every row of `new_data_table`.

    Args:
        random_forest_model, new_data_table, output_table, type_: as the usage text says.
        costs: of work, by which workers share the blocks.
        trust_owner: whether what the model's owner wrote may run, see `find_model`.

    Returns:
        One line: what was scored, rows, seconds.

    Raises:
        MadtreeError: an argument is NULL or not valid, the model is no forest, or the new data lacks a column. Nothing
            has been done then.
    """
    begin = perf_counter()
    tables = find_model(host, random_forest_model, "random_forest_model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    if not model.n_members:
        raise MadtreeError(
            f"random_forest_model: {random_forest_model} is a model of single trees, not a forest",
            hint="Score by it with madtree.tree_predict.",
            sqlstate="42809",
        )
    wanted = check_type(model, type_)
    if new_data_table is None:
        raise MadtreeError("new_data_table must be the name of a table or view, not NULL")
    source = find_relation(host.source, new_data_table, "new_data_table")
    target = qualified(*check_new(host, output_table, "output_table"))
    data = fit_to_source(host, model, source, new_data_table)
    id_name, id_type = id_name_of(model), data.types[model.id_column]
    outputs = output_columns(model, wanted, QUALIFIED, id_name)
    scan = scan_of(host, tables, model, source, data, target, id_name)
    tell_of_kept(host, "output_table", model.id_column, id_type.name, id_type.kept)
    size = host.query(models_sql.size(tables.schema, tables.name))[0]
    work = measure(host, source, size["leaves"], len(model.features), len(outputs), costs)
    by_thresholds = not tables.has_surrogates and not any(f.kind is Kind.UNORDERED for f in model.features)
    work = replace(work, members=model.n_members, coded=by_thresholds)
    with casting(model, data.features, new_data_table, "new_data_table"):
        rows = BlockScoring(host, tables, model, wanted, source, scan, id_type.as_kept, outputs, work).create()
    return (
        f"forest_predict: {rows} row{'s' if rows != 1 else ''} of {new_data_table} scored with {random_forest_model} "
        f"({wanted}) into {output_table} in {perf_counter() - begin:.2f} s"
    )
