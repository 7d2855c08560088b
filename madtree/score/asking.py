"""Putting a question about known outcomes to a model: its rows are scored, and kept until it is answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host, Row, watched
from madtree.model import (
    ModelTables,
    NewData,
    casting,
    fit_features,
    group_objects,
    is_training_table,
    outcome_of,
    output_columns,
    read_trees,
)
from madtree.records import dataclass
from madtree.request import Costs, Type, find_source
from madtree.score.case_or_blocks import measure, reader, run_case
from madtree.score.kinds import SCORING
from madtree.score.new_rows import scan_of
from madtree.score.out_of_bag import drawn_rows
from madtree.score.score_by_blocks import BlockScoring, ScoredRows
from madtree.sqltext import cells as cells_sql
from madtree.sqltext import evaluate as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.cells import Question
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.operators import binary
from madtree.sqltext.quote import ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import check_expression, parse_name
from madtree.sqltext.tables import model_table
from madtree.sqltext.typenames import type_sql
from madtree.trees import FeatureKind, Model

HELD_BYTES = 2**28  # some five million rows
_COMPARED, _FEW_CLASSES = ("smallint", "integer", "boolean"), 8
_MOST_CLASSES = 1_600  # whose shares are columns of one query
_PAYLOAD = Type("pg_catalog.text[]", "text", True, "b", "S", ())


@dataclass(frozen=True)
class Asking:
    """A question that is put to a model, with the SQL types and values of the parameters of its rows' query; `groups`
    has the values of its groups by their numbers.
    """

    reader: Host
    question: Question
    types: Sequence[str]
    params: Sequence[Any]
    groups: Callable[[], dict[int, str]]

    def query(self, text: str) -> list[Row]:
        """The answer."""
        return self.reader.query(text, self.types, self.params)

    def by_group(self, text: str) -> list[Row]:
        """The answer, where `tree_id` is the number of a group, with the group's values: a text for all of its rows."""
        rows, groups = self.query(text), self.groups()
        for row in rows:
            row["group_values"] = groups.get(row["tree_id"])
        return rows


@contextmanager
def asking(
    host: Host,
    tables: ModelTables,
    model: Model,
    test_table: str | None,
    in_blocks: bool | None,
    costs: Costs,
    most_bytes: int = HELD_BYTES,
    argument: str = "test_table",
    out_of_bag: bool = False,
) -> Iterator[Asking]:
    """Put a question to the model; rows that were scored by blocks, and cells that other servers have counted, are kept
    until it is answered.

    A transaction that may not write, as on a standby, has no table to keep them in: there the question scores them
    itself, in one process.

    Args:
        out_of_bag: the rows are those of the training, and each is judged by the trees whose samples lack it.
    """
    if out_of_bag:
        source, given = find_source(host.source, str(test_table), argument), str(test_table)
        rows = with_outcomes(host, tables, model, source, given, with_id=True, argument=argument).of_training(model)
    else:
        rows = tested_rows(host, tables, model, test_table, with_id=False, argument=argument)
    with (
        casting(model, rows.data.features, str(test_table), argument),
        _asking_of(host, tables, model, rows, in_blocks, costs, most_bytes, out_of_bag=out_of_bag) as put,
    ):
        yield put


@dataclass(frozen=True)
class TestedRows:
    """Rows whose outcome is known.

    Attributes:
        source: where they are.
        data: what the model needs of them.
        actual, weight, exposure: of a row, as SQL; None where the model has none.
        place: of the class of a row among the model's, from 0, as SQL; empty of numbers.
    """

    source: Relation
    data: NewData
    actual: str
    weight: str | None
    exposure: str | None
    place: str = ""

    def judged(self, model: Model) -> list[str]:
        """SQL of the outcome and the weight of a row, as float8 that are infinite where they are NaN: of classes their
        place from 0, of rates what they are per exposure, for which the row then counts.
        """
        infinite = cells_sql.not_a_number_as_infinite
        if model.is_classification:
            weight = "1::pg_catalog.float8" if self.weight is None else infinite(self.weight)
            return [self.place, weight]
        actual, weight = self.actual, self.weight or "1::pg_catalog.float8"
        if self.exposure:
            fits = binary(self.exposure, ">", "0::pg_catalog.float8")
            actual = f"CASE WHEN {fits} THEN {binary(actual, '/', self.exposure)} ELSE 'NaN'::pg_catalog.float8 END"
            weight = f"CASE WHEN {fits} THEN {binary(weight, '*', self.exposure)} ELSE {weight} END"
        return [infinite(value) for value in (actual, weight)]

    def of_training(self, model: Model) -> TestedRows:
        """With outcomes only where training takes the row: where some feature is known, or being unknown is a value."""
        if model.summary["null_as_category"] and any(f.kind is FeatureKind.UNORDERED for f in model.features):
            return self
        numbers = [rows_sql.as_number(self.data.features[feature.name]) for feature in model.features]
        return replace(self, actual=rows_sql.where_some(self.actual, numbers))


def tested_rows(
    host: Host,
    tables: ModelTables,
    model: Model,
    test_table: str | None,
    *,
    with_id: bool,
    argument: str,
) -> TestedRows:
    """The rows of a table by which a model is judged; tells of those that it has seen.

    Args:
        with_id: whether the table must have the id, too.
        argument: the name by which users give the table.

    Raises:
        MadtreeError: there is no such table, or it lacks what the model needs.
    """
    if test_table is None:
        raise MadtreeError(f"{argument} must be the name of a table or view, not NULL")
    source = find_source(host.source, test_table, argument)
    if is_training_table(host, model, source):
        _tell_of_seen_rows(host, tables, model, test_table)
    return with_outcomes(host, tables, model, source, test_table, with_id=with_id, argument=argument)


def with_outcomes(
    host: Host,
    tables: ModelTables,
    model: Model,
    source: Relation,
    given: str,
    *,
    with_id: bool,
    argument: str,
) -> TestedRows:
    """The rows of `source`, which the user has called `given`.

    Raises:
        MadtreeError: it lacks what the model needs.
    """
    weight = str(model.summary["weights"]) if model.weighted else None
    if weight is not None:  # what the model's tables say is checked before it is part of any statement
        check_expression(weight, f"{model.name} is damaged: the weights in its summary")
    needed = [model.dependent, *model.grouping, *(text for text in (weight, model.exposure) if text)]
    ids = [model.id_column] * with_id
    data = fit_features(host.source, model, source, given, argument, needed, ids)
    weight, exposure = (
        None if text is None else cells_sql.number(data.plain(text)) for text in (weight, model.exposure)
    )
    actual = outcome_of(tables, model, data)
    place = _place_of_class(tables, model, data, actual) if model.is_classification else ""
    return TestedRows(source, data, actual, weight, exposure, place)


def _place_of_class(tables: ModelTables, model: Model, data: NewData, actual: str) -> str:
    """SQL of the place of a row's class among the model's, from 0, as a float8; `actual`: of its text."""
    type_ = data.types[model.dependent]
    is_column = parse_name(model.dependent) is not None  # which takes no time to be read for each class
    if is_column and tables.predicts(type_) and type_.base in _COMPARED and len(model.classes) <= _FEW_CLASSES:
        return cells_sql.place_of_value(model.dependent, model.classes, type_sql(type_.base))
    return cells_sql.number_of_class(actual, model.classes)


def _tell_of_seen_rows(host: Host, tables: ModelTables, model: Model, test_table: str) -> None:
    """Tell that the model was trained on that table, and what to do instead."""
    if model.kind.unseen_in is not None:
        unseen = model_table(tables.schema, tables.name, model.kind.unseen_in)
        instead = f"the error on rows that each tree has not seen is in {unseen}"
    elif host.has_extension:
        held = f"madtree.holdout({model.id_column})"
        instead = f"train on the rows WHERE NOT {held}, and evaluate on those WHERE {held}"
    else:
        instead = "train on a view that leaves some rows out, and evaluate on these"
    one = model.kind.unseen_in is None and not model.grouping_columns
    whose, predicts = ("it has", "predicts") if one else ("its trees have", "predict")
    host.notice(
        f"{model.name} was trained on {test_table}: {whose} seen these rows, and {predicts} others less well; {instead}"
    )


@contextmanager
def _asking_of(
    host: Host,
    tables: ModelTables,
    model: Model,
    tested: TestedRows,
    in_blocks: bool | None,
    costs: Costs,
    most_bytes: int,
    *,
    out_of_bag: bool,
) -> Iterator[Asking]:
    source, data, actual = tested.source, tested.data, tested.actual
    weight, exposure = tested.weight, tested.exposure
    if SCORING[model.kind].says and len(model.classes) > _MOST_CLASSES:
        raise MadtreeError(
            f"{model.name} has {len(model.classes):,} classes, and of {model.kind.in_words} at most "
            f"{_MOST_CLASSES:,} are held against known ones",
            sqlstate="54000",
        )
    scratch = f"pg_temp.{ident(f'madtree_rows_{secrets.token_hex(8)}')}"
    scan = scan_of(host, tables, model, source, data, scratch, "payload")
    work, scoring = measure(host, source, tables, model, 1, costs), SCORING[model.kind]
    may_keep = not host.query(sql.READ_ONLY)[0]["read_only"]
    if in_blocks is None or not work.is_expression:
        # Without a table of cells, a large CASE had better not go to other servers: they might compile it.
        in_blocks = work.in_blocks if may_keep else replace(work, spread=False).in_blocks
    scored = ScoredRows("", [], [])
    if in_blocks:
        payload = cells_sql.payload(scan, _first_group(host, tables, model), actual, weight, exposure)
        type_, said = scoring.question(model, scan.id_name)
        of_payload = replace(scan, id_sql=payload)
        drawn = drawn_rows(host, tables, model, data.types[model.id_column]) if out_of_bag else None
        blocks = BlockScoring(host, tables, model, type_, source, of_payload, _PAYLOAD, [*said.values()], work, drawn)
        if may_keep:
            blocks.create()
        else:
            scored = blocks.rows(most_bytes)
        kind = "pg_catalog.text" if model.is_classification else "pg_catalog.float8"
        names = {name: output.name for name, output in said.items()}
        rows = cells_sql.rows_of_payload(scratch if may_keep else f"({scored.query})", scan.id_name, names, kind)
    else:
        (leaf,) = output_columns(model, "leaf", QUALIFIED)
        rows = cells_sql.rows_by_case(scan, read_trees(host, tables, model), leaf, actual, weight, exposure)
    question = Question(
        tables.schema,
        tables.name,
        rows,
        weight is not None,
        bool(model.grouping_columns),
        tables.prediction_writer,
        model.classes,
        exposure is not None,
        model.of_counts,
        groups_in=model.kind.groups_in,
        group_number=model.kind.group_number,
        said=scoring.says,
    )
    keeps_cells = work.of_cluster and may_keep and not in_blocks
    if keeps_cells:
        # Citus puts what comes from other servers beside the model's tables in a session of its own, which does not see
        # a model that this transaction has made; and it loses columns where a table of its own meets a plain one.
        cells = cells_sql.class_cells(question) if model.is_classification else cells_sql.number_cells(question)
        run_case(host, work, cells_sql.keep_cells(scratch, cells))
        question = replace(question, cells=scratch)
    groups = partial(group_objects, host, tables, model)
    yield Asking(host if may_keep else reader(host, work), question, scored.types, scored.params, groups)
    if may_keep and (in_blocks or keeps_cells):
        host.command(f"DROP TABLE {scratch}")


def _first_group(host: Host, tables: ModelTables, model: Model) -> int:
    """The number by which the model's tables know the first group, or the whole where there are none.

    Raises:
        MadtreeError: no group has one.
    """
    table = model_table(tables.schema, tables.name, model.kind.groups_in)
    found = host.query(models_sql.first_group(table, model.kind.group_number))
    if not found or found[0]["number"] is None:
        raise MadtreeError(f"{tables.given} is damaged: {table} has no {model.kind.group_number}")
    return int(found[0]["number"])


def checked(
    host: Host,
    rows: list[Row],
    model: Model,
    test_table: str,
    unfit: str = "infinite or NaN",
    argument: str = "test_table",
) -> list[Row]:
    """The rows without what tells of unfit values; `unfit`: what outcomes are then, where no events are counted.

    Raises:
        MadtreeError: there are such values.
    """
    bad_weights = max((row.pop("bad_weights", 0) or 0 for row in watched(host, rows)), default=0)
    bad_actuals = max((row.pop("bad_actuals", 0) or 0 for row in watched(host, rows)), default=0)
    if bad_weights:
        raise MadtreeError(
            f"{argument}: weights {model.summary['weights']} is negative, infinite or NaN in {bad_weights} "
            f"row{'s' * (bad_weights != 1)} of {test_table}; a weight must be a finite number of at least 0"
        )
    if bad_actuals:
        if model.of_counts:
            unfit = "negative, infinite or NaN"
        if model.exposure:
            unfit += f", or exposure {model.exposure} is not above 0,"
        raise MadtreeError(
            f"{argument}: {model.dependent} is {unfit} in {bad_actuals} row{'s' * (bad_actuals != 1)} of {test_table}"
        )
    return rows
