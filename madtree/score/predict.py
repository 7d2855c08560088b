"""tree_predict, forest_predict and tree_sql: score a table by a model, or say how as an SQL expression."""

from __future__ import annotations

from dataclasses import replace as replaced
from functools import partial
from time import perf_counter

from madtree.errors import MadtreeError
from madtree.host import Host, watching
from madtree.ingest import (
    distribute_beside,
    distribution_column,
    tell_of_repeated,
    tell_of_repeated_ids,
)
from madtree.interface import FUNCTIONS
from madtree.model import (
    ModelTables,
    NewData,
    casting,
    check_kind,
    check_type,
    find_model,
    fit_features,
    output_columns,
    output_expression,
    read_summary,
    read_trees,
    score_columns,
    tell_of_last_class,
    unquoted,
)
from madtree.records import dataclass
from madtree.request import COSTS, Costs, check_known_types, check_new, find_source, tell_of_kept
from madtree.score.case_or_blocks import run_case, work_of
from madtree.score.former_predictions import former_predictions
from madtree.score.score_by_blocks import BlockScoring
from madtree.sqltext import models as models_sql
from madtree.sqltext import predict as sql
from madtree.sqltext.condition import QUALIFIED, READABLE
from madtree.sqltext.inserts import value_rows
from madtree.sqltext.quote import ident, is_temporary, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import model_table
from madtree.trees import Joining, Model


@dataclass(frozen=True)
class Scored:
    """A table that has been scored: the type of prediction, by its present name, rows, and seconds."""

    type_: str
    n_rows: int
    seconds: float


def score_table(
    host: Host,
    given: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None,
    trust_owner: bool | None = False,
    replace: bool | None = False,
    *,
    function: str,
    in_blocks: bool | None = None,
    n_rounds: int | None = None,
    costs: Costs = COSTS,
) -> Scored:
    """Create `output_table`, or replace it, with a prediction for every row of `new_data_table`.

    Args:
        given, new_data_table, output_table, type_: the model, and the others, as the usage text of the function says.
        trust_owner: whether what the model's owner wrote may run, see `find_model`.
        replace: whether a table of predictions may be there, and make way.
        function: the name of the function, whose kind of model it must be.
        in_blocks: whether rows are scored by blocks or by one expression; None lets `score.case_or_blocks` decide. By
            models that are no expression, they always are by blocks.
        n_rounds: of a boosted model those that are asked; None for all.
        costs: of work, by which workers share the blocks.

    Raises:
        MadtreeError: an argument is NULL or not valid, or the new data lacks a column. Nothing has been done then.
    """
    begin = perf_counter()
    argument = FUNCTIONS[function].arguments[0].name
    tables = find_model(host, given, argument, trust_owner=trust_owner)
    model = read_summary(host, tables)
    check_kind(model, function, argument)
    wanted = check_type(model, type_)
    if new_data_table is None:
        raise MadtreeError("new_data_table must be the name of a table or view, not NULL")
    source = find_source(host.source, new_data_table, "new_data_table")
    schema, name = check_new(host, output_table, "output_table", suffixes=())
    former = former_predictions(host, schema, name, score_columns(model, id_name_of(model)), replace=replace)
    target = former.scratch if former else qualified(schema, name)
    data = fit_to_source(host, model, source, new_data_table)
    id_name, id_type = id_name_of(model), data.types[model.id_column]
    outputs = [
        replaced(output, value=watching(host, output.value))
        for output in output_columns(model, wanted, QUALIFIED, id_name)
    ]
    scan = scan_of(host, tables, model, source, data, target, id_name)
    tell_of_repeated_ids(host.source, source, model.id_column, id_type.name, "new_data_table", new_data_table)
    tell_of_kept(host, "output_table", model.id_column, id_type.name, id_type.kept)
    size = host.query(models_sql.size(tables.schema, tables.name))[0]
    if wanted == "prob" and size["single"] and model.kind.joining is Joining.NONE:
        _tell_of_single_leaves(host, model, size["single"], size["trees"])
    surrogates = tables.has_surrogates
    work = work_of(host, source, model, size["leaves"], len(outputs), costs, has_surrogates=surrogates)
    with casting(model, data.features, new_data_table, "new_data_table"):
        if work.in_blocks if in_blocks is None or not work.is_expression else in_blocks:
            rows = BlockScoring(
                host, tables, model, wanted, source, scan, id_type.as_kept, outputs, work, n_rounds=n_rounds
            ).create()
        else:
            trees = read_trees(host, tables, model)
            if work.spread and former is None and not is_temporary(schema) and _spread_by(host, source, scan.id_sql):
                # Each server keeps the predictions of its rows.
                host.command(sql.create_empty(scan, outputs))
                distribute_beside(host, target, id_name, scan.source)
                rows = run_case(host, work, sql.insert_by_case(scan, trees, outputs))
            else:
                rows = run_case(host, work, sql.create_by_case(scan, trees, outputs))
    if not source.is_stored:
        tell_of_repeated(host, target, ident(id_name), id_type.as_kept.name, "new_data_table", new_data_table)
    if former is not None:
        rows = former.replace(host)
    return Scored(wanted, rows, perf_counter() - begin)


tree_predict = partial(score_table, function="tree_predict")
forest_predict = partial(score_table, function="forest_predict")


def tree_sql(
    host: Host,
    model_name: str | None,
    type_: str | None,
    tree_id: int | None,
    trust_owner: bool | None = False,
    class_: str | None = None,
) -> str:
    """The model as an SQL expression; `trust_owner` is that of `find_model`, `class_` that of `output_expression`.

    Raises:
        MadtreeError: an argument is not valid, or the model has no tree `tree_id`.
    """
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    header = read_summary(host, tables)
    if tree_id is None:
        check_kind(header, "tree_sql", "model")
    single = header.as_single_trees
    wanted = check_type(single, type_)
    output = output_expression(single, wanted, READABLE, class_)
    if wanted == "prob" and class_ is None:
        tell_of_last_class(host, single)
    output = replaced(output, value=watching(host, output.value))
    model = replaced(single, trees=read_trees(host, tables, header, tree_id))
    if tree_id is not None:
        model = replaced(model, grouping_columns=(), grouping_types=(), grouping_equals=(), grouping_expressions=())
        if not model.trees[0].nodes:
            return f"NULL::{output.type}"
    return sql.row_expression(model, output, between=host.let_in)


def fit_to_source(host: Host, model: Model, source: Relation, given: str, argument: str = "new_data_table") -> NewData:
    """The new data, with the types of the id and of the groups' values.

    Args:
        given: the name of the new data as the user wrote it; `argument`, where, for errors.

    Raises:
        MadtreeError: the new data lacks columns of the model, or has them of types that cannot be cast to the model's;
            all are named.
    """
    hint = "It must have the id column, all features and the grouping columns of the training table."
    data = fit_features(host.source, model, source, given, argument, model.grouping, [model.id_column], hint)
    check_known_types(host, [(f"{argument}: {model.id_column}", data.types[model.id_column].as_kept.base)])
    return data


def scan_of(
    host: Host, tables: ModelTables, model: Model, source: Relation, data: NewData, target: str, id_name: str
) -> sql.Scan:
    """How `data`, which is `source`, is read to be scored into `target`; the id is as it may be kept there."""
    id_sql = model.id_column
    if id_sql in data.types:  # where it is asked for
        id_sql = data.types[id_sql].kept.value(id_sql)
    groups = _groups_of(host, tables, model, data)
    return sql.Scan(target, qualified(source.schema, source.name), id_sql, id_name, data.features, groups)


def _groups_of(host: Host, tables: ModelTables, model: Model, data: NewData) -> sql.GroupJoin | None:
    """How rows find the number of their group; None where the model is not grouped.

    Rows of another server find it by literals: the model's table is not there.
    """
    if not model.grouping_columns:
        return None
    names = [*map(unquoted, model.grouping_columns)]
    types = [tables.column_types[name] for name in names]
    # Values of one type are compared by it; to compare them with another one, PostgreSQL would look for casts.
    columns = [tables.facts.tables[""].columns[name] for name in names]
    values = [
        value if data.types[value].name == column.name else _comparable(data.plain(value), column.name)
        for value, column in zip(model.grouping, columns, strict=True)
    ]
    keys = [(ident(name), value, type_[1]) for name, value, type_ in zip(names, values, types, strict=True)]
    table, number = model_table(tables.schema, tables.name, model.kind.groups_in), model.kind.group_number
    if host.source is not host:
        found = host.query(models_sql.group_texts(table, number, tables.group_writers(names)))
        rows = [[str(row["number"]), *row["texts"]] for row in found]
        table = value_rows(
            [(number, "int4"), *((name, type_[0]) for name, type_ in zip(names, types, strict=True))], rows
        )
    return sql.GroupJoin(table, tuple(keys), number)


def _comparable(value: str, type_: str) -> str:
    """A value of another type than that of the model's column as it is compared with that: to a char(n) blanks behind
    say nothing, to a text they do.
    """
    return f"({value})::pg_catalog.bpchar" if type_.startswith(("character(", "bpchar")) else value


def _tell_of_single_leaves(host: Host, model: Model, single: int, trees: int) -> None:
    what = f"{single} of {trees} trees of {model.name} have" if model.grouping_columns else f"{model.name} has"
    whose = "of such a tree" if model.grouping_columns else "of the table"
    host.notice(
        f"{what} a single leaf, so all rows {whose} get the same probabilities; a tree that is pruned less "
        "(pruning_params => 'cp=-1'), of weighted rows, or by another split_criterion may have more"
    )


def _spread_by(host: Host, source: Relation, expression: str) -> bool:
    """Whether rows are spread over servers by that expression, which is a column then."""
    column = distribution_column(host, source.oid)
    return column is not None and parse_name(expression) == (column,)


def id_name_of(model: Model) -> str:
    """The id column keeps its name; an expression is called id."""
    parts = parse_name(model.id_column)
    return "id" if parts is None else parts[-1]
