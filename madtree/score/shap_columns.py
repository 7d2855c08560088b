"""The table of contributions: its columns, and how the block scorer's bytes become them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from madtree.errors import MadtreeError
from madtree.learn.shap import n_terms
from madtree.model import MOST_COLUMNS, UsableModel, class_positions, distinct_names, unquoted
from madtree.model.arrays import ModelArrays
from madtree.records import dataclass
from madtree.score.additive import SumScale
from madtree.score.block_plan import MemberValues
from madtree.score.kinds import SCORING
from madtree.score.new_rows import NewRows
from madtree.score.outcomes import Outcomes, Part
from madtree.score.rows_at_hand import background_numbers, word_of
from madtree.score.shap_background import background_cover
from madtree.score.shap_plan import MOST_TERMS, ShapValues, Terms, explained_values
from madtree.score.shap_scorer import Entry, entry
from madtree.sqltext import predict as sql
from madtree.sqltext.outcome_numbers import pick
from madtree.sqltext.predict import Output
from madtree.sqltext.quote import float_literal
from madtree.trees import Model

_INT, _FLOAT, _TEXT = "pg_catalog.int4", "pg_catalog.float8", "pg_catalog.text"
# Of nodes, beside what a walk asks: what leaves say, and how many rows came to them.
COLUMNS = ("class_weights", "n_rows", "weight")
_HAS_GROUP = "scored.outcome OPERATOR(pg_catalog.>) 0"


@dataclass(frozen=True)
class Layout:
    """How contributions are laid out.

    Attributes:
        scale: on which they are.
        terms: what is told of each row.
        top: of the long layout, so many of each row's; 0 of the wide one.
        background: rows that stand for what is not known; None where these are the rows of training.
    """

    scale: SumScale
    terms: Terms
    top: int
    background: NewRows | None = None

    @property
    def _model(self) -> Model:
        return self.scale.opened.model

    @property
    def _has_class(self) -> bool:
        """Whether a column says the class: where several are asked for, each has rows of its own."""
        return len(self.scale.classes) > 1

    def outputs(self, taken: str) -> list[Output]:
        """The columns beside the id's, whose name is `taken`.

        Raises:
            MadtreeError: a table cannot have so many.
        """
        n_listed = len(self.terms.all_terms)
        if not self.top and n_listed > MOST_COLUMNS:
            each = "features and pairs of them" if self.terms.with_pairs else "features"
            raise MadtreeError(
                f"layout 'wide' has a column for each of {n_listed:,} {each}, and a table has room for {MOST_COLUMNS}",
                hint="Take layout => 'long'.",
            )
        columns = self._columns(has_class=self._has_class, is_long=self.top > 0)
        names = distinct_names((name for name, _ in columns), taken)
        return [Output(name, type_, _no_leaf) for name, (_, type_) in zip(names, columns, strict=True)]

    def former_columns(self, taken: str) -> list[list[str]]:
        """Of each table that there may be of this model, in whatever layout, the columns beside the id's; with pairs of
        the features that are named here, or of all.
        """
        features = range(len(self._model.features))
        has_room = n_terms(len(features), with_pairs=True) <= MOST_COLUMNS
        each_terms = [self.terms, Terms(features), *([Terms(features, with_pairs=True)] if has_room else [])]
        return [
            distinct_names((name for name, _ in layout._columns(has_class=has_class, is_long=is_long)), taken)
            for has_class, is_long in product((False, True), repeat=2)
            for layout in (replace(self, terms=terms) for terms in each_terms)
        ]

    def _columns(self, *, has_class: bool, is_long: bool) -> list[tuple[str, str]]:
        """Names, which may be alike, and types."""
        classes = [("class", self._model.dependent_type)] * has_class
        if is_long:
            second = [("feature_2", _TEXT), ("value_2", _TEXT)] if self.terms.with_pairs else []
            numbers = [("feature", _TEXT), ("value", _TEXT), *second, ("contribution", _FLOAT), ("rank", _INT)]
            return [*classes, *numbers]
        names = [unquoted(feature.name) for feature in self._model.features]
        return [
            *classes,
            ("expected", _FLOAT),
            *((":".join(names[at] for at in own), _FLOAT) for own in self.terms.all_terms),
        ]

    def scorer_values(self, arrays: ModelArrays) -> tuple[MemberValues, ShapValues, Entry]:
        """What leaves say, and what is said of a row and an output at once, as numpy describes a dtype."""
        host, model = self.scale.opened.host, self._model
        numbers = SCORING[model.kind].numbers(self.scale, arrays)
        background = None
        if self.background is not None:
            background = background_numbers(self.background, arrays.used)
            cover = background_cover(host, model, arrays.trees, background, self.background.given)
            numbers = replace(numbers, cover=cover)
        share, values, unit, expected = explained_values(arrays.trees, numbers, host.let_in)
        places, n_listed = self.terms.places(arrays.used), len(self.terms.all_terms)
        with_pairs = self.terms.with_pairs
        shap = ShapValues(
            share, values, unit, expected, numbers.first_output, self.top, places, n_listed, with_pairs, background
        )
        of_node = MemberValues(model.n_members, "shap", 0, values, counts=model.numbering.counts, shap=shap)
        return of_node, shap, entry(len(expected), int((places >= 0).sum()), n_listed, self.top)

    def outcomes(self, arrays: ModelArrays) -> Outcomes:
        """What rows come to."""
        of_node, shap, record = self.scorer_values(arrays)
        parts, size = _parts(record)
        expressions = self._long(shap) if self.top else self._wide(shap)
        n_entries = self._entries
        condition = f"{_HAS_GROUP} OR scored.entry OPERATOR(pg_catalog.=) 0" if self.top and n_entries > 1 else ""
        return Outcomes(of_node, parts, size * n_entries, expressions, n_entries, condition)

    def _classes(self, per_class: int) -> list[str]:
        """Of a row's entry, of which there are so many for each class, the class."""
        if not self._has_class:
            return []
        labels = [self._model.classes[position] for position in self.scale.classes]
        classes = sql.class_array(labels, self._model.dependent_type)
        number = f"scored.entry OPERATOR(pg_catalog./) {per_class}" if per_class > 1 else "scored.entry"
        position = f"({number}) OPERATOR(pg_catalog.+) 1"
        # The class itself, and not an expression of its type's element: enums have arrays of their own.
        return [f"CASE WHEN {_HAS_GROUP} THEN {pick(classes, position)} END"]

    def _wide(self, shap: ShapValues) -> list[str]:
        place = {place: number for number, place in enumerate(shap.places[shap.places >= 0].tolist())}
        terms = [
            _number(f"scored.{_term(place[number])}", shap.unit, _HAS_GROUP)
            if number in place
            else f"CASE WHEN {_HAS_GROUP} THEN 0::pg_catalog.float8 END"
            for number in range(shap.n_places)
        ]
        position = "scored.outcome"
        if (n := self.scale.n_outputs) > 1:
            first = f"(scored.outcome OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog.*) {n}"
            found = f"{first} OPERATOR(pg_catalog.+) scored.entry OPERATOR(pg_catalog.+) 1"
            position = f"CASE WHEN {_HAS_GROUP} THEN {found} END"
        expected = pick(sql.number_array(shap.expected.ravel().tolist()), position)
        return [*self._classes(1), expected, *terms]

    def _long(self, shap: ShapValues) -> list[str]:
        rank = f"scored.entry OPERATOR(pg_catalog.%) {self.top} OPERATOR(pg_catalog.+) 1"
        return [
            *self._classes(self.top),
            *self._feature(0),
            *(self._feature(1) if self.terms.with_pairs else ()),
            _number("scored.term", shap.unit, _HAS_GROUP),
            f"CASE WHEN {_HAS_GROUP} THEN {rank if self._entries > 1 else 1} END",
        ]

    def _feature(self, number: int) -> tuple[str, str]:
        """The name and the value of a term's first feature or its second one, which may not be there."""
        names = sql.class_array(self._model.feature_names, _TEXT)
        places = sql.integer_array([own[number] + 1 if number < len(own) else 0 for own in self.terms.all_terms])
        place = pick(places, "scored.place")
        found = f"CASE WHEN {place} OPERATOR(pg_catalog.>) 0 THEN {place} OPERATOR(pg_catalog.+) 1 END"
        return pick(names, place), pick("scored.shown", found)

    @property
    def _entries(self) -> int:
        return self.scale.n_outputs * max(self.top, 1)


def _parts(record: Entry) -> tuple[list[Part], int]:
    """Of what the scorer says of an entry, the numbers and their bytes, and how many bytes it has."""
    parts: list[Part] = []
    first = 0
    for name, kind, shape in record:
        size = int(kind[2:])
        if shape:
            parts += [(_term(number), first + size * number, size) for number in range(shape[0])]
        else:
            parts.append((name, first, size))
        first += size * (shape[0] if shape else 1)
    return parts, first


def _term(number: int) -> str:
    """The part that is a feature's contribution, by the feature's place among the trees'."""
    return f"term_{number}"


def _number(term: str, unit: float, condition: str) -> str:
    value = f"{term}::pg_catalog.float8 OPERATOR(pg_catalog.*) {float_literal(unit)}"
    return f"CASE WHEN {condition} THEN {value} END"


def _no_leaf(_: object) -> str:
    """Of what no leaf says alone."""
    raise ValueError("contributions are no leaf's")


def checked_layout(
    opened: UsableModel, type_: str | None, class_: str | None, terms: Terms, n_kept: int, background: str | None = None
) -> Layout:
    """The layout of what is asked for.

    Args:
        terms: what is told of each row.
        n_kept: so many of each row's in the long layout; 0 of the wide one.
        background: the table whose rows stand for what is not known.

    Raises:
        MadtreeError: the type or the class is none of the model's, the model has no trees, or a row of it takes too
            many numbers.
    """
    model = opened.model
    valid = model.kind.class_sums if model.is_classification else model.kind.number_sums
    wanted = word_of(model, "type", valid, type_, ": contributions add up on that scale")
    classes = class_positions(model, class_)
    if not any(model.numbering.counts or [1]):
        raise MadtreeError(f"model: {model.name} has no trees")
    _check_terms(model, max(len(classes), 1), terms, n_kept)
    table = None if background is None else NewRows.named(opened, background, "background")
    return Layout(SumScale(opened, wanted, classes), terms, n_kept, table)


def _check_terms(model: Model, n_outputs: int, terms: Terms, n_kept: int) -> None:
    # Trees may ask all features, whichever of them are told of.
    n_numbers = n_outputs * (n_terms(len(model.features), with_pairs=terms.with_pairs) + n_kept)
    if n_numbers > MOST_TERMS:
        raise MadtreeError(
            f"model: {model.name} has {n_outputs} classes and {len(model.features)} features, and a row of so many "
            f"takes {n_numbers:,} numbers, more than {MOST_TERMS:,}",
            hint="Ask for one class.",
            sqlstate="54000",
        )
