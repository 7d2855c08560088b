"""Rows of a table whose outcome is known: what a model needs of them, and of their outcomes."""

from __future__ import annotations

from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import Row, watched
from madtree.model import ModelTables, NewData, NewTable, UsableModel, fit_features, is_training_table, outcome_of
from madtree.records import dataclass
from madtree.request import find_source
from madtree.score.new_rows import NewRows
from madtree.sqltext import cells as cells_sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.quote import binary
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import check_expression, parse_name
from madtree.sqltext.typenames import type_sql
from madtree.trees import FeatureKind, Model
from madtree.wording import count_text

_COMPARED, _FEW_CLASSES = ("smallint", "integer", "boolean"), 8


@dataclass(frozen=True)
class TestedRows(NewRows):
    """Rows whose outcome is known.

    Attributes:
        actual, weight, exposure: of a row, as SQL; None where the model has none.
        place: of the class of a row among the model's, from 0, as SQL; empty of numbers.
    """

    actual: str
    weight: str | None
    exposure: str | None
    place: str = ""

    def outcome_and_weight(self) -> list[str]:
        """SQL of the outcome and the weight of a row, as float8 that are infinite where they are NaN: of classes their
        place from 0, of rates what they are per exposure, for which the row then counts.
        """
        infinite = cells_sql.not_a_number_as_infinite
        if self.opened.model.is_classification:
            weight = "1::pg_catalog.float8" if self.weight is None else infinite(self.weight)
            return [self.place, weight]
        actual, weight = self.actual, self.weight or "1::pg_catalog.float8"
        if self.exposure:
            fits = binary(self.exposure, ">", "0::pg_catalog.float8")
            actual = f"CASE WHEN {fits} THEN {binary(actual, '/', self.exposure)} ELSE 'NaN'::pg_catalog.float8 END"
            weight = f"CASE WHEN {fits} THEN {binary(weight, '*', self.exposure)} ELSE {weight} END"
        return [infinite(value) for value in (actual, weight)]

    def checked(self, rows: list[Row], unfit: str = "infinite or NaN") -> list[Row]:
        """Rows of an answer without what tells of unfit values; `unfit`: what outcomes are then, where no events are
        counted.

        Raises:
            MadtreeError: there are such values.
        """
        host, model = self.opened.host, self.opened.model
        bad_weights = max((row.pop("bad_weights", 0) or 0 for row in watched(host, rows)), default=0)
        bad_actuals = max((row.pop("bad_actuals", 0) or 0 for row in watched(host, rows)), default=0)
        if bad_weights:
            raise MadtreeError(
                f"{self.argument}: weights {model.summary['weights']} is negative, infinite or NaN in "
                f"{count_text(bad_weights, 'row')} of {self.given}; a weight must be a finite number of at least 0"
            )
        if bad_actuals:
            if model.of_counts:
                unfit = "negative, infinite or NaN"
            if model.exposure:
                unfit += f", or exposure {model.exposure} is not above 0,"
            where = f"{count_text(bad_actuals, 'row')} of {self.given}"
            raise MadtreeError(f"{self.argument}: {model.dependent} is {unfit} in {where}")
        return rows

    def of_training(self) -> TestedRows:
        """With outcomes only where training takes the row."""
        return replace(self, actual=self.where_trained(self.actual))

    def where_trained(self, value: str) -> str:
        """SQL of a value of a row, NULL where training takes no such row: where no feature is known, unless being
        unknown is a value.
        """
        model = self.opened.model
        if model.summary.get("null_as_category") and any(f.kind is FeatureKind.UNORDERED for f in model.features):
            return value
        numbers = [rows_sql.as_number(self.data.features[feature.name]) for feature in model.features]
        return rows_sql.where_some(value, numbers)


def tested_rows(opened: UsableModel, test_table: str | None, *, with_id: bool, argument: str) -> TestedRows:
    """The rows of a table by which a model is judged; tells of those that it has seen.

    Args:
        with_id: whether the table must have the id, too.
        argument: the name by which users give the table.

    Raises:
        MadtreeError: there is no such table, or it lacks what the model needs.
    """
    source, given = find_source(opened.host.source, test_table, argument), str(test_table)
    if is_training_table(opened.host, opened.model, source):
        _warn_of_training_rows(opened, given)
    return with_outcomes(opened, source, given, with_id=with_id, argument=argument)


def with_outcomes(opened: UsableModel, source: Relation, given: str, *, with_id: bool, argument: str) -> TestedRows:
    """The rows of `source`, which the user has called `given`.

    Raises:
        MadtreeError: it lacks what the model needs.
    """
    model = opened.model
    weight = str(model.summary["weights"]) if model.weighted else None
    if weight is not None:  # what the model's tables say is checked before it is part of any statement
        check_expression(weight, f"{model.name} is damaged: the weights in its summary")
    needed = [model.dependent, *model.grouping, *(text for text in (weight, model.exposure) if text)]
    ids = [model.id_column] * with_id
    trusts = opened.tables.trust_owner
    table = NewTable(opened.host.source, source, given, argument)
    data = fit_features(model, table, needed, ids, trust_owner=trusts)
    weight, exposure = (
        None if text is None else cells_sql.number(data.plain(text)) for text in (weight, model.exposure)
    )
    actual = outcome_of(model, data)
    place = _place_of_class(opened.tables, model, data, actual) if model.is_classification else ""
    return TestedRows(opened, source, data, given, argument, actual, weight, exposure, place)


def _place_of_class(tables: ModelTables, model: Model, data: NewData, actual: str) -> str:
    """SQL of the place of a row's class among the model's, from 0, as a float8; `actual`: of its text."""
    type_ = data.types[model.dependent]
    is_column = parse_name(model.dependent) is not None  # which takes no time to be read for each class
    if is_column and tables.predicts(type_) and type_.base in _COMPARED and len(model.classes) <= _FEW_CLASSES:
        return cells_sql.place_of_value(model.dependent, model.classes, type_sql(type_.base))
    return cells_sql.number_of_class(actual, model.classes)


def _warn_of_training_rows(opened: UsableModel, test_table: str) -> None:
    """Tell that the model was trained on that table, and what to do instead."""
    model = opened.model
    if model.kind.unseen_in is not None:
        unseen = opened.tables.part(model.kind.unseen_in)
        instead = f"the error on rows that each tree has not seen is in {unseen}"
    elif opened.host.has_extension:
        held = f"madtree.holdout({model.id_column})"
        instead = f"train on the rows WHERE NOT {held}, and evaluate on those WHERE {held}"
    else:
        instead = "train on a view that leaves some rows out, and evaluate on these"
    one = model.kind.unseen_in is None and not model.grouping_columns
    whose, predicts = ("it has", "predicts") if one else ("its trees have", "predict")
    opened.host.notice(
        f"{model.name} was trained on {test_table}: {whose} seen these rows, and {predicts} others less well; {instead}"
    )
