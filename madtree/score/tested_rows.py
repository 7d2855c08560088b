"""Rows of a table whose outcome is known: what a model needs of them, and of their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import Row, watched
from madtree.model import ModelTables, NewData, NewTable, UsableModel, fit_features, is_training_table, outcome_of
from madtree.records import dataclass
from madtree.request import find_source
from madtree.score.new_rows import NewRows
from madtree.sqltext import cells as cells_sql
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.typenames import type_sql
from madtree.trees import RANGED_NUMBERS, SUMMED_NUMBERS, WEIGHT, FeatureKind, Model
from madtree.wording import count_text

_COMPARED, _FEW_CLASSES = ("smallint", "integer", "boolean"), 8


@dataclass(frozen=True)
class TestedRows(NewRows):
    """Rows whose outcome is known.

    Attributes:
        actual: of a row, as SQL.
        numbers: SQL of each of `SUMMED_NUMBERS` that the model has, by its name.
        place: of the class of a row among the model's, from 0, as SQL; empty of numbers.
    """

    actual: str
    numbers: Mapping[str, str]
    place: str = ""

    def outcome_and_weight(self) -> list[str]:
        """SQL of the outcome and the weight of a row, as float8 that are infinite where they are NaN: of classes their
        place from 0, as of `cells.outcome_and_weight`.
        """
        infinite = cells_sql.not_a_number_as_infinite
        if self.opened.model.is_classification:
            weight = self.numbers.get(WEIGHT.name)
            return [self.place, "1::pg_catalog.float8" if weight is None else infinite(weight)]
        return [infinite(value) for value in cells_sql.outcome_and_weight(self.actual, self.numbers)]

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
            for each in RANGED_NUMBERS:
                if each.name in self.numbers:
                    unfit += f", or {each.argument} {model.numbers[each.name]} is {each.fault}"
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
    summed = {each.name: model.numbers[each.name] for each in SUMMED_NUMBERS if each.name in model.numbers}
    needed = [model.dependent, *model.grouping, *summed.values()]
    ids = [model.id_column] * with_id
    trusts = opened.tables.trust_owner
    table = NewTable(opened.host.source, source, given, argument)
    data = fit_features(model, table, needed, ids, trust_owner=trusts)
    numbers = {name: cells_sql.number(data.plain(text)) for name, text in summed.items()}
    actual = outcome_of(model, data)
    place = _place_of_class(opened.tables, model, data, actual) if model.is_classification else ""
    return TestedRows(opened, source, data, given, argument, actual, numbers, place)


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
