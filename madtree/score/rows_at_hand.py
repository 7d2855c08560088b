"""Rows of a table that are at hand: predicted again and again with other numbers, or for what is unknown of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.learn.data import Bools, Floats, Ints, finished, sent_rows
from madtree.learn.walk import MOST_ROWS
from madtree.model import INTERVAL, ModelTables, NewData, casting, kept, output_columns, unquoted
from madtree.model.arrays import ModelArrays, read_arrays
from madtree.records import dataclass
from madtree.request import Type, find_source
from madtree.score.additive import SumScale
from madtree.score.block_plan import build_plan
from madtree.score.block_scorer import score_rows
from madtree.score.kinds import SCORING
from madtree.score.new_rows import fit_to_source, scan_of
from madtree.score.outcome_bytes import count_type, numbers_in
from madtree.score.outcomes import Outcomes, ScoredLeaves
from madtree.score.shap_background import MOST_ROWS as MOST_OTHERS
from madtree.sqltext import rows as rows_sql
from madtree.sqltext.condition import QUALIFIED
from madtree.sqltext.predict import Scan
from madtree.sqltext.scoreblocks import BlockScan
from madtree.sqltext.values import text_of
from madtree.trees import Joining, Model

_NOT_SUMS = ("response", "leaf")  # types of prediction of classes that are no numbers
_NOT_NUMBERS = (INTERVAL, "leaf")  # those of numbers that are not one
_BATCH = 500  # rows that come over a connection at once
_MOST_NUMBERS = 2**27  # that are predicted of all rows, and at once: 1 GB
_WANTED = "Give a table or view that has rows; of a grouped model, of groups that it knows."
_BACKGROUND = "background"  # the argument


@dataclass(frozen=True)
class PredictedNumbers:
    """Which of a model's predictions are asked for.

    Attributes:
        type_: one that is numbers.
        classes: positions of the classes; none of a model of numbers.
    """

    type_: str
    classes: Sequence[int]


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
    wanted = valid[0] if type_ is None else type_.strip().lower()
    if wanted not in valid:
        what = "classes" if model.is_classification else "numbers"
        raise MadtreeError(f"type must be one of {', '.join(valid)} for {kind.in_words} of {what}, not {type_!r}")
    return wanted


def feature_places(model: Model, lists: Sequence[Sequence[str]], argument: str) -> list[list[int]]:
    """The places of features among the model's, from 0, by the names that the user gives them in each list.

    Raises:
        MadtreeError: the model has no such feature, or one is twice in a list.
    """
    known = {unquoted(feature.name): place for place, feature in enumerate(model.features)}
    found: list[dict[int, None]] = [{} for _ in lists]
    for names, own in zip(lists, found, strict=True):
        for name in names:
            place = known.get(unquoted(name))
            if place is None or place in own:
                listed = f"Its features are {', '.join(feature.name for feature in model.features[:20])}."
                wrong = f"no feature of {model.name}" if place is None else "named twice"
                raise MadtreeError(f"{argument}: {name} is {wrong}", hint=listed if place is None else None)
            own[place] = None
    return [[*places] for places in found]


@dataclass(frozen=True)
class Predictor:
    """Predicts rows that are at hand.

    Attributes:
        used: the features that trees ask, by their places in the model.
    """

    used: Ints
    _plan: bytes
    _read: Callable[[bytes], Floats]

    @classmethod
    def of(cls, host: Host, tables: ModelTables, model: Model, choice: PredictedNumbers) -> Predictor:
        def make() -> Predictor:
            arrays, of_node, read = _said(host, tables, model, choice)
            grouped = bool(model.grouping_columns)
            return cls(arrays.used, build_plan(arrays.trees, of_node, grouped=grouped, between=host.let_in), read)

        what = "predictions", choice.type_, *choice.classes
        return kept(host, tables, what, make, lambda made: len(made._plan))

    def predicted(self, host: Host, numbers: Floats) -> Floats:
        """(n, n_outputs) of rows (n, n_numbers): the group, the features that are used, the offset; NaN where a row has
        no tree.
        """
        return self._read(finished(score_rows(self._plan, numbers), host.let_in))


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
        host: Host,
        tables: ModelTables,
        model: Model,
        choice: PredictedNumbers,
        scan: Scan,
        id_type: Type,
        most: int,
        others: Sequence[str] = (),
        texts: Sequence[str] = (),
        argument: str = "new_data_table",
        share: float = 1.0,
    ) -> RowsAtHand:
        """At most `most` rows of the scan, drawn by their ids; those of a group without trees are left out.

        Args:
            others, texts: SQL of other numbers, of type float8, and of texts; argument: the table's, for errors; share:
                that of `BlockScan.sampled`.

        Raises:
            MadtreeError: no row is left, or what is predicted of all of them is too much.
        """
        grouped = bool(model.grouping_columns)

        predictor = Predictor.of(host, tables, model, choice)
        used = predictor.used
        beside = [] if scan.offset is None else [scan.offset]
        own, more, found = numbers_of_rows(host, model, scan, used, id_type, most, others, texts, beside, share)
        column = {int(place): grouped + number for number, place in enumerate(used)}
        n_predicted = len(choice.classes if model.kind.joining is Joining.NONE else model.classes) or 1
        if len(own) * n_predicted > _MOST_NUMBERS:
            raise MadtreeError(
                f"{scan.source} has {len(own):,} rows to be predicted, and {model.name} {n_predicted:,} classes: at "
                f"most {_MOST_NUMBERS:,} numbers are predicted together",
                hint="Take fewer rows.",
                sqlstate="54000",
            )
        at_hand = cls(host, own, more, found, column, n_predicted, predictor)
        host.let_in()
        known = ~np.isnan(at_hand.predicted(own)[:, 0]) if len(own) else np.zeros(0, np.bool_)
        host.let_in()
        if not known.any():
            problem = f"{argument}: {scan.source} has no row that {model.name} predicts"
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


@dataclass(frozen=True)
class BackgroundTable:
    """The table, as it was given and as its rows are read."""

    given: str
    data: NewData
    scan: Scan

    @classmethod
    def checked(cls, host: Host, tables: ModelTables, model: Model, given: str) -> BackgroundTable:
        """The argument `background`.

        Raises:
            MadtreeError: there is no such table, or it lacks a column.
        """
        source = find_source(host.source, given, _BACKGROUND)
        data = fit_to_source(host, model, source, given, _BACKGROUND)
        return cls(given, data, scan_of(host, tables, model, source, data, "", ""))

    def numbers(self, host: Host, model: Model, used: Ints) -> Floats:
        """(n_rows, n_numbers) of its rows, as the model's plan takes them: the group, then the features that trees ask.

        Rows are in order of these: the table's own is none to rely on.

        Raises:
            MadtreeError: there are no rows, or too many.
        """
        id_type = self.data.types[model.id_column]
        with casting(model, self.data.features, self.given, _BACKGROUND):
            numbers, *_ = numbers_of_rows(host, model, self.scan, used, id_type, MOST_OTHERS + 1)
        if not len(numbers):
            raise MadtreeError(f"{_BACKGROUND}: {self.given} has no rows", sqlstate="P0002")
        if len(numbers) > MOST_OTHERS:
            raise MadtreeError(
                f"{_BACKGROUND}: {self.given} has more than {MOST_OTHERS:,} rows",
                hint="A few hundred tell as much: give a view of some rows, such as those where "
                f"madtree.holdout({model.id_column}, 0.01) is true.",
                sqlstate="54000",
            )
        return numbers[np.lexsort(numbers.T[::-1])]


def numbers_of_rows(
    host: Host,
    model: Model,
    scan: Scan,
    used: Ints,
    id_type: Type,
    most: int,
    others: Sequence[str] = (),
    texts: Sequence[str] = (),
    beside: Sequence[str] = (),
    share: float = 1.0,
) -> tuple[Floats, Floats, list[list[str | None]]]:
    """Of at most `most` rows of a scan, drawn by their ids: (n_rows, n_numbers) the group and the features that trees
    ask, one that means nothing without any; (n_rows, n_others) `others`; and the texts of each row.

    Args:
        used: places of those features in the model; `others` and `texts` as `RowsAtHand.of` has them.
        beside: SQL of numbers that belong to the features, behind these; share: that of `BlockScan.sampled`.
    """
    features = [scan.features[model.features[place].name] for place in used]
    choice = [*map(rows_sql.as_number, features), *beside]
    blocks = BlockScan(scan, [*choice, *others], [], [], 0, "pg_catalog.text", array_id=False)
    query = blocks.sampled(text_of(model.id_column, id_type.writer), texts, most, share)
    images, found = [], []
    for row in host.source.data_stream(query, _BATCH):
        images.append(bytes(row["image"]))
        found.append(row["texts"])
    host.let_in()
    numbers = sent_rows(b"".join(images), blocks.sent_stretches).astype(np.float64)
    host.let_in()
    n_own = bool(model.grouping_columns) + len(choice)
    own = numbers[:, :n_own] if n_own else np.zeros((len(numbers), 1))
    return own, numbers[:, n_own : n_own + len(others)], found


def _said(
    host: Host, tables: ModelTables, model: Model, choice: PredictedNumbers
) -> tuple[ModelArrays, Any, Callable[[bytes], Floats]]:
    """The trees, what their nodes say (`Outcomes.of_node`), and how the scorer's bytes are read: as (n_rows,
    n_outputs).
    """
    if model.kind.joining is Joining.NONE:
        arrays = read_arrays(host, tables, model)
        said = SCORING[model.kind].numbers(SumScale(host, tables, model, choice.type_, choice.classes), arrays).values
        by_leaf = np.concatenate((np.full((1, said.shape[1]), np.nan), said))
        of_node = np.arange(1, len(by_leaf))
        size = Outcomes.of_tree(of_node, []).row_bytes
        return arrays, of_node, lambda said: by_leaf.take(np.frombuffer(said, f"<u{size}"), axis=0)
    by_shares = choice.type_ in SCORING[model.kind].by_shares
    arrays = read_arrays(host, tables, model, ["class_weights"] if by_shares else [])
    outputs = output_columns(model, choice.type_, QUALIFIED, "none")
    scored = ScoredLeaves(host, tables, model, choice.type_, arrays.nodes, outputs)
    of_rows = SCORING[model.kind].outcomes(scored).of_node
    assert not isinstance(of_rows, np.ndarray)
    members, classes = model.n_members, list(choice.classes)

    def votes(encoded: bytes) -> Floats:
        counts = np.frombuffer(encoded, count_type(members)).reshape(-1, len(model.classes))[:, classes]
        return np.where(counts <= members, counts / members, np.nan)

    def numbers(encoded: bytes) -> Floats:
        if choice.type_ != "raw" or not classes:
            return numbers_in(encoded, len(model.classes) if classes else 1)[:, classes or [0]]
        scores = numbers_in(encoded, model.n_scores)
        if model.n_scores > 1:
            return scores[:, classes]
        return scores if classes[0] == len(model.classes) - 1 else -scores

    return arrays, of_rows, votes if of_rows.what == "votes" else numbers
