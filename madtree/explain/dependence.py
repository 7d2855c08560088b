"""partial_dependence: what a model predicts by the values of one feature or two.

The partial dependence is what is predicted on average where all rows have a value (Friedman 2001, "Greedy function
approximation: a gradient boosting machine", Annals of Statistics 29). Its accumulated form adds up what changes from
one value to the next for the rows that lie between them, and so asks for no rows that cannot be: accumulated local
effects (Apley and Zhu 2020, "Visualizing the effects of predictor variables in black box supervised learning models",
JRSS B 82).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from madtree.errors import MadtreeError
from madtree.explain.accumulated import accumulated_effects
from madtree.host import Host, Row, watched
from madtree.interface import FUNCTIONS
from madtree.model import check_answer, class_positions, find_to_use
from madtree.records import dataclass
from madtree.score import NewRows, PredictedNumbers, RowsAtHand, check_number_type, feature_places
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.explain import shown
from madtree.sqltext.split import split_list
from madtree.sqltext.values import text_of
from madtree.trees import Feature, FeatureKind, Model

_FUNCTION = "partial_dependence"
_MOST_ROWS = 500_000  # of the answer, which is in memory as a whole
# As scikit-learn's grid: equal steps between these quantiles, where a feature has more values than the grid.
_LOW, _HIGH = 0.05, 0.95
_IN_STEPS = ("real", "double precision", "numeric")  # types whose values may be any number


@dataclass(frozen=True)
class _Grid:
    """Values of a feature.

    Attributes:
        numbers: (n,) as trees compare them; of categories their keys.
        texts: as users see them.
        has_order: whether the numbers mean something to users.
    """

    numbers: np.ndarray
    texts: Sequence[str]
    has_order: bool = True

    @property
    def points(self) -> list[tuple[str, float | None]]:
        """The texts and the numbers as they are told."""
        numbers = self.numbers.tolist() if self.has_order else [None] * len(self.texts)
        return [*zip(self.texts, numbers, strict=True)]


def partial_dependence(
    host: Host,
    model_name: str | None,
    new_data_table: str | None,
    features: str | None,
    type_: str | None = None,
    class_: str | None = None,
    accumulated: bool | None = False,
    ice: bool | None = False,
    grid_size: int | None = 50,
    max_rows: int | None = 10_000,
    trust_owner: bool | None = False,
) -> list[Row]:
    """Rows of values and of what is predicted by them; see its usage text.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: an argument is NULL or not valid, the table lacks a column or has no row that is predicted, or
            the answer would have too many rows.
    """
    declared = FUNCTIONS[_FUNCTION]
    size, most = declared.checked("grid_size", grid_size), declared.checked("max_rows", max_rows)
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    choice = PredictedNumbers(check_number_type(model, type_), class_positions(model, class_))
    places = _places(model, features, accumulated=bool(accumulated), ice=bool(ice))
    table = NewRows.named(opened, new_data_table)
    wanted = [table.data.features[model.features[place].name] for place in places]
    texts = [text_of(model.id_column, table.id_type.writer), *map(shown, wanted)]
    rows = RowsAtHand.of(table, choice, most, [*map(rows_sql.as_number, wanted)], texts)
    known = [_known(rows, number) for number in range(len(wanted))]
    if accumulated:  # of rows that have all values
        every = np.logical_and.reduce(known)
        _check_some(every, " or ".join(feature.name for feature in wanted), table.given)
        rows, known = rows.only(every), [every[every]] * len(wanted)
    grids = []
    for number, (feature, has_value) in enumerate(zip(wanted, known, strict=True)):
        host.let_in()
        _check_some(has_value, feature.name, table.given)
        grids.append(_grid(feature, rows, number, has_value.nonzero()[0], size, is_accumulated=bool(accumulated)))
    n_values, n_outputs = prod(len(grid.texts) for grid in grids), max(len(choice.classes), 1)
    n_answers = n_values * n_outputs * (rows.n_rows if ice else 1)
    hint = "Take fewer rows by max_rows, fewer values by grid_size, or one class."
    check_answer(_FUNCTION, n_answers, hint, _MOST_ROWS)
    classes: list[str | None] = [model.classes[place] for place in choice.classes] or [None]
    made = _accumulated(rows, places, grids, classes) if accumulated else _set(rows, places, grids, classes, ice)
    return [*watched(host, made)]


def _places(model: Model, features: str | None, *, accumulated: bool, ice: bool) -> list[int]:
    if features is None:
        raise MadtreeError("features must name one feature or two, not be NULL")
    (places,) = feature_places(model, [split_list(features, "features")], "features")
    if len(places) > 2:
        raise MadtreeError(f"features must name one feature or two, not {len(places)}: {features!r}")
    if accumulated and ice:
        raise MadtreeError("ice is for single rows, and accumulated => true tells of all rows together")
    without_order = [model.features[place] for place in places if model.features[place].kind is FeatureKind.UNORDERED]
    if accumulated and without_order:
        raise MadtreeError(
            f"accumulated => true needs features whose values have an order, not {without_order[0].name}",
            hint="Leave accumulated out for the partial dependence.",
        )
    return places


def _known(rows: RowsAtHand, number: int) -> np.ndarray:
    """(n_rows,): whether a row has a value of a feature that is wanted."""
    known: np.ndarray = np.array([own[1 + number] is not None for own in rows.texts]) & ~np.isnan(
        rows.others[:, number]
    )
    return known


def _check_some(known: np.ndarray, names: str, table: str) -> None:
    if not known.any():
        raise MadtreeError(f"features: {names} is NULL in all rows of {table}")


def _grid(
    feature: Feature, rows: RowsAtHand, number: int, places: np.ndarray, size: int, *, is_accumulated: bool
) -> _Grid:
    """The values of a feature by which the model is asked: all that the rows have where these are few.

    Args:
        number: of the feature among those that are wanted.
        places: (n,) of the rows that have a value.
    """
    order = np.argsort(rows.others[places, number], kind="stable")
    places = places.take(order)
    ordered = rows.others[places, number]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if is_accumulated:
        first = np.unique(_first_alike(ordered, np.linspace(0, 1, size)))
    elif len(first) > size and feature.kind is not FeatureKind.UNORDERED:
        finite = ordered[np.isfinite(ordered)]
        if feature.type in _IN_STEPS and len(finite):
            steps = np.linspace(*_quantiles(finite), size)
            return _Grid(steps, [repr(float(step)) for step in steps])
        first = np.unique(_first_alike(ordered, np.linspace(_LOW, _HIGH, size)))
    texts = [str(rows.texts[place][1 + number]) for place in places.take(first).tolist()]
    if feature.kind is FeatureKind.UNORDERED:
        return _of_categories(ordered.take(first), texts, size)
    return _Grid(ordered.take(first), texts)


def _of_categories(keys: np.ndarray, texts: Sequence[str], size: int) -> _Grid:
    if len(keys) > size:
        raise MadtreeError(
            f"grid_size is {size}, and the rows have {len(keys)} categories of a feature whose values have no order",
            hint=f"Call with grid_size => {len(keys)}.",
        )
    order = sorted(range(len(texts)), key=lambda place: texts[place])
    return _Grid(keys.take(order), [texts[place] for place in order], has_order=False)


def _quantiles(ordered: np.ndarray) -> tuple[float, float]:
    """The ends of a grid in equal steps, as scikit-learn has them (scipy's `mquantiles` by its defaults)."""
    n = len(ordered)
    ends = []
    for share in (_LOW, _HIGH):
        place = n * share + 0.4 + share * 0.2
        below = int(np.clip(np.floor(place), 1, n - 1)) if n > 1 else 1
        part = min(max(place - below, 0.0), 1.0)
        ends.append((1 - part) * float(ordered[below - 1]) + part * float(ordered[min(below, n - 1)]))
    return ends[0], ends[1]


def _first_alike(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The places of the values that so large parts of the rows do not exceed; of like values the first one's."""
    places = np.ceil(shares * len(ordered)).astype(np.int64).clip(1, len(ordered)) - 1
    return np.asarray(np.searchsorted(ordered, ordered.take(places)))


def _set(
    rows: RowsAtHand, places: Sequence[int], grids: Sequence[_Grid], classes: Sequence[str | None], ice: bool | None
) -> Iterator[Row]:
    """What is predicted where values are set: on average, or of each row."""
    values = np.array([*product(*(grid.numbers.tolist() for grid in grids))])
    points = product(*(grid.points for grid in grids))
    for some in rows.with_values(places, values):
        # Those of single rows, or of all.
        for predicted, point in zip(some if ice else some.mean(axis=1), points, strict=False):
            for place, class_ in enumerate(classes):
                common = _row(class_, *point)
                if not ice:
                    yield {**common, "estimated": float(predicted[place]), "n": rows.n_rows}
                    continue
                for row_texts, estimated in zip(rows.texts, predicted[:, place].tolist(), strict=True):
                    yield {**common, "id": row_texts[0], "estimated": estimated, "n": 1}


def _accumulated(
    rows: RowsAtHand, places: Sequence[int], grids: Sequence[_Grid], classes: Sequence[str | None]
) -> Iterator[Row]:
    """The accumulated effects at the grids' values, from the least of the rows' to the greatest."""
    effects, counts = accumulated_effects(rows, places, [grid.numbers for grid in grids], len(classes))
    points = product(*(grid.points for grid in grids))
    for own, n, point in zip(effects.reshape(-1, len(classes)), counts.ravel().tolist(), points, strict=True):
        for class_, estimated in zip(classes, own.tolist(), strict=True):
            yield {**_row(class_, *point), "estimated": estimated, "n": n}


def _row(
    class_: str | None, first: tuple[str, float | None], second: tuple[str | None, float | None] = (None, None)
) -> Row:
    names = ("class", "value", "number", "value_2", "number_2", "id")
    return dict(zip(names, (class_, *first, *second, None), strict=True))
