"""Rows of a table that are at hand: predicted again and again with other numbers, or for what is unknown of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Bools, Floats, Ints, sent_rows
from madtree.learn.walk import MOST_ROWS
from madtree.model import INTERVAL
from madtree.records import dataclass
from madtree.request import FeaturePlaces
from madtree.score.new_rows import NewRows
from madtree.score.predictor import PredictedNumbers, Predictor
from madtree.score.shap_background import MOST_ROWS as MOST_OTHERS
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.quote import qualified
from madtree.sqltext.scoreblocks import BlockScan
from madtree.sqltext.values import text_of
from madtree.trees import Joining, Model

_NOT_SUMS = ("response", "leaf")  # types of prediction of classes that are no numbers
_NOT_NUMBERS = (INTERVAL, "leaf")  # those of numbers that are not one
_BATCH = 500  # rows that come over a connection at once
_MOST_NUMBERS = 2**27  # that are predicted of all rows, and at once: 1 GB
_WANTED = "Give a table or view that has rows; of a grouped model, of groups that it knows."


def check_number_type(model: Model, type_: str | None) -> str:
    """A `type` of prediction that is a number, in lower case; by default that of classes is 'prob'.

    Raises:
        MadtreeError: it is none.
    """
    kind = model.kind
    valid = (
        [each for each in kind.class_types if each not in _NOT_SUMS]
        if model.is_classification
        else [each for each in kind.number_types if each not in _NOT_NUMBERS]
    )
    return word_of(model, "type", valid, type_)


def word_of(model: Model, argument: str, valid: Sequence[str], given: str | None, why: str = "") -> str:
    """The word in lower case, by default the first of those that are `valid` for the model, for what reason if any.

    Raises:
        MadtreeError: it is none of these.
    """
    wanted = valid[0] if given is None else given.strip().lower()
    if wanted not in valid:
        words = valid[0] if len(valid) == 1 else f"one of {', '.join(valid)}"
        of = f"{model.kind.in_words} of {'classes' if model.is_classification else 'numbers'}"
        raise MadtreeError(f"{argument} must be {words} for {of}, not {given!r}{why}")
    return wanted


def feature_places(model: Model, lists: Sequence[Sequence[str]], argument: str) -> list[list[int]]:
    """The places of features among the model's, from 0, by the names that the user gives them in each list.

    Raises:
        MadtreeError: the model has no such feature, or one is twice in a list.
    """
    known = FeaturePlaces(model.features)
    found: list[dict[int, None]] = [{} for _ in lists]
    for names, own in zip(lists, found, strict=True):
        for name in names:
            place = next(iter(known.of(name)), None)
            if place is None or place in own:
                listed = f"Its features are {', '.join(feature.name for feature in model.features[:20])}."
                wrong = f"no feature of {model.name}" if place is None else "named twice"
                raise MadtreeError(f"{argument}: {name} is {wrong}", hint=listed if place is None else None)
            own[place] = None
    return [[*places] for places in found]


@dataclass(frozen=True)
class RowsAtHand:
    """Rows, and a model that predicts them.

    Attributes:
        numbers: (n_rows, n_numbers) as the model's plan takes them: the group, the features that trees ask, the offset.
        others: (n_rows, n) other numbers that were asked for.
        texts: those of each row that were asked for.
        column: of each feature that trees ask, by its place in the model, the column of `numbers`.
        n_predicted: numbers that are predicted of a row, before those that are asked for are taken.
    """

    host: Host
    numbers: Floats
    others: Floats
    texts: list[list[str | None]]
    column: dict[int, int]
    n_predicted: int
    _predictor: Predictor

    @classmethod
    def of(
        cls,
        table: NewRows,
        choice: PredictedNumbers,
        most: int,
        others: Sequence[str] = (),
        texts: Sequence[str] = (),
        share: float = 1.0,
    ) -> RowsAtHand:
        """At most `most` rows of a table, drawn by their ids; those of a group without trees are left out.

        Args:
            others, texts: SQL of other numbers, of type float8, and of texts; share: that of `BlockScan.sampled`.

        Raises:
            MadtreeError: no row is left, or what is predicted of all of them is too much.
        """
        host, model = table.opened.host, table.opened.model
        predictor = Predictor.of(table.opened, choice)
        used = predictor.used
        own, more, found = numbers_of_rows(table, used, most, others, texts, share)
        column = {int(place): bool(model.grouping_columns) + number for number, place in enumerate(used)}
        n_predicted = len(choice.classes if model.kind.joining is Joining.NONE else model.classes) or 1
        source = qualified(table.source.schema, table.source.name)
        if len(own) * n_predicted > _MOST_NUMBERS:
            raise MadtreeError(
                f"{source} has {len(own):,} rows to be predicted, and {model.name} {n_predicted:,} classes: at "
                f"most {_MOST_NUMBERS:,} numbers are predicted together",
                hint="Take fewer rows.",
                sqlstate="54000",
            )
        at_hand = cls(host, own, more, found, column, n_predicted, predictor)
        host.let_in()
        known = ~np.isnan(at_hand.predicted(own)[:, 0]) if len(own) else np.zeros(0, np.bool_)
        host.let_in()
        if not known.any():
            problem = f"{table.argument}: {source} has no row that {model.name} predicts"
            raise MadtreeError(problem, hint=_WANTED, sqlstate="P0002")
        return at_hand.only(known)

    @property
    def n_rows(self) -> int:
        return len(self.numbers)

    def only(self, wanted: Bools) -> RowsAtHand:
        """Some of the rows; `wanted` (n_rows,)."""
        texts = [own for own, is_wanted in zip(self.texts, wanted.tolist(), strict=True) if is_wanted]
        numbers, others = self.numbers[wanted], self.others[wanted]
        return replace(self, numbers=numbers, others=others, texts=texts)

    @property
    def times_at_once(self) -> int:
        """How often all rows are predicted together."""
        return max(1, min(MOST_ROWS, _MOST_NUMBERS // self.n_predicted) // max(self.n_rows, 1))

    def predicted(self, numbers: Floats) -> Floats:
        """(n, n_outputs) of rows (n, n_numbers); NaN where a row has no tree."""
        return self._predictor.predicted(self.host, numbers)

    def with_values(self, places: Sequence[int], values: Floats) -> Iterator[Floats]:
        """(n_some, n_rows, n_outputs) of all rows, once for each of `values` (n_values, n_places), which takes the
        place of what they have of some features; some of the values after the others.
        """
        columns = [(number, self.column[place]) for number, place in enumerate(places) if place in self.column]
        if not columns:  # no tree asks them
            said = self.predicted(self.numbers)[None]
            yield from (said for _ in values)
            return
        for first in range(0, len(values), self.times_at_once):
            some = values[first : first + self.times_at_once]
            numbers = np.tile(self.numbers, (len(some), 1))
            for number, column in columns:
                numbers[:, column] = np.repeat(some[:, number], self.n_rows)
            yield self.predicted(numbers).reshape(len(some), self.n_rows, -1)


def background_numbers(table: NewRows, used: Ints) -> Floats:
    """(n_rows, n_numbers) of a background's rows: the group, then the features that trees ask.

    Rows are in order of these: the table's own is none to rely on.

    Raises:
        MadtreeError: there are no rows, or too many.
    """
    numbers, *_ = numbers_of_rows(table, used, MOST_OTHERS + 1, with_offset=False)
    if not len(numbers):
        raise MadtreeError(f"{table.argument}: {table.given} has no rows", sqlstate="P0002")
    if len(numbers) > MOST_OTHERS:
        raise MadtreeError(
            f"{table.argument}: {table.given} has more than {MOST_OTHERS:,} rows",
            hint="A few hundred tell as much: give a view of some rows, such as those where "
            f"madtree.holdout({table.opened.model.id_column}, 0.01) is true.",
            sqlstate="54000",
        )
    return numbers[np.lexsort(numbers.T[::-1])]


def numbers_of_rows(
    table: NewRows,
    used: Ints,
    most: int,
    others: Sequence[str] = (),
    texts: Sequence[str] = (),
    share: float = 1.0,
    *,
    with_offset: bool = True,
) -> tuple[Floats, Floats, list[list[str | None]]]:
    """Of at most `most` rows of a table, drawn by their ids: (n_rows, n_numbers) the group, the features that trees ask
    and the offset, one that means nothing without any; (n_rows, n_others) `others`; and the texts of each row.

    Args:
        used: places of those features in the model; others, texts, share: as `RowsAtHand.of` has them.
        with_offset: False where it is not wanted.
    """
    host, model, scan = table.opened.host, table.opened.model, table.scan()
    choice = [rows_sql.as_number(scan.features[model.features[place].name]) for place in used]
    choice += [scan.offset] if with_offset and scan.offset is not None else []
    blocks = BlockScan(scan, [*choice, *others], [], [], 0, "pg_catalog.text", array_id=False)
    query = blocks.sampled(text_of(model.id_column, table.id_type.writer), texts, most, share)
    images, found = [], []
    with table.casting():
        for row in host.source.data_stream(query, _BATCH):
            images.append(bytes(row["image"]))
            found.append(row["texts"])
    host.let_in()
    numbers = sent_rows(b"".join(images), blocks.sent_stretches).astype(np.float64)
    host.let_in()
    n_own = bool(model.grouping_columns) + len(choice)
    own = numbers[:, :n_own] if n_own else np.zeros((len(numbers), 1))
    return own, numbers[:, n_own : n_own + len(others)], found
