"""Writes a calibrated copy of a model of many trees a group: a boosted model, whose scores are what all trees of the
former one say together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import listed, watched
from madtree.learn.data import Array, Floats, Ints, Runs
from madtree.model import MOST_POINTS, MOST_POINTS_OF_ALL, UsableModel, base_scores
from madtree.model.write.calibrated import Calibrated, check_leaves
from madtree.model.write.columns_text import chunks
from madtree.model.write.copies import NewModel
from madtree.records import dataclass
from madtree.sqltext import array_text as text
from madtree.sqltext import calibrated as sql
from madtree.sqltext import packed_nodes as packed_sql
from madtree.sqltext.boost_tables import BOOST_SUMMARY_COLUMNS, GROUP_COLUMNS, isotonic_columns
from madtree.sqltext.copies import Columns, ModelCopy
from madtree.sqltext.query import Binary
from madtree.sqltext.tables import CALIBRATION_COLUMNS
from madtree.sqltext.values import Kept
from madtree.trees import (
    BOOSTED,
    ISOTONIC,
    LOSSES,
    SIGMOID,
    CalibrationMap,
    IsotonicFunction,
    Joining,
    SigmoidFunction,
)

_TEXT, _INT = "pg_catalog.text", "pg_catalog.int4"
_SCORES_AT_ONCE, _POINTS_AT_ONCE = 10_000, 100_000
_LEFT_OUT = frozenset(("_cv", "_rounds", "_nodes", "_oob", "_outcomes"))
_REPLACED = frozenset(("prediction", "impurity", "risk", "class_weights"))  # become others where trees voted


def write_calibrated_sum(opened: UsableModel, new: NewModel, calibration: Calibrated) -> None:
    """Create and fill the tables of the calibrated model.

    Raises:
        MadtreeError: its copies of trees, or its points, would be too many.
    """
    _Sum(opened, new, calibration).write()


@dataclass(frozen=True)
class _Sum:
    """A boosted model to be written, from one, or from a model whose trees vote: of each of these as many copies as
    there are scores, which follow each other.
    """

    opened: UsableModel
    new: NewModel
    calibration: Calibrated

    @property
    def _is_boosted(self) -> bool:
        return self.opened.model.kind.joining is Joining.SUM

    @property
    def _n_scores(self) -> int:
        return LOSSES[self._loss].n_scores(len(self.opened.model.classes))

    @property
    def _n_copies(self) -> int:
        return 1 if self._is_boosted else self._n_scores

    @property
    def _loss(self) -> str:
        """The one whose scores mean what the new model's do."""
        if self.calibration.method == ISOTONIC:
            return ISOTONIC
        return SIGMOID if len(self.opened.model.classes) > 2 else "log_loss"

    def write(self) -> None:
        host, copy = self.opened.host, self._copy()
        if self._n_copies > 1:
            check_leaves(self.opened, self._n_copies)
        values = self._values(copy)
        layout = replace(self.opened.model, kind=BOOSTED).node_layout
        self.new.make(host, copy.create_nodes(layout, self.opened.model.feature_names, None, ()))
        sizes = listed(host, packed_sql.packed_lengths(*copy.old))
        former = [int(row["tree_id"]) for row in watched(host, sizes)]
        numbers = self._numbers(former, 0)
        for suffix in ("", "_surrogates"):
            if suffix in copy.parts:
                host.command(sql.fill_renumbered(copy, suffix, values.get(suffix, {})), [_TEXT] * 2, numbers)
        if "_statistics" in copy.parts:
            host.command(copy.fill_statistics())
        record = np.dtype(layout.big_endian)
        lengths = np.array([int(row["size"]) for row in sizes])
        for part in chunks(lengths * self._n_copies):
            self._write_packed(copy, former[part], lengths[part], part.start, record)
        groups = sql.fill_groups(copy, values["_group"])
        for literals in self._group_literals():
            host.command(groups, [_TEXT] * len(sql.GROUP_PARAMETERS), literals)
        given = self.calibration.summary_values(self.opened.tables)
        self.new.write_summary(host, copy, given, values["_summary"])

    def _copy(self) -> ModelCopy:
        """With the tables, and their columns."""
        more = () if self._is_boosted else BOOST_SUMMARY_COLUMNS
        names = [*dict(CALIBRATION_COLUMNS), "loss", "quantile", *dict(more)]
        copy = self.new.of(self.opened.tables, _LEFT_OUT, names)
        parts = {**copy.parts}
        if not self._is_boosted:
            own = set(parts["_group"])
            parts[""] = {name: kept for name, kept in parts[""].items() if not name.startswith("oob_")}
            parts[""] = {**parts[""], **_kept((("round", "int4"), ("class", "text")))}
            parts["_group"] = {name: kept for name, kept in parts["_group"].items() if not name.startswith("oob_")}
            parts["_group"] = {**parts["_group"], **_kept([each for each in GROUP_COLUMNS if each[0] not in own])}
        known = isotonic_columns(self._n_scores)
        columns = known if self.calibration.method == ISOTONIC else ()
        former = {name: kept for name, kept in parts["_group"].items() if name not in dict(known)}
        return replace(copy, parts={**parts, "_group": {**former, **_kept(columns)}})

    def _values(self, copy: ModelCopy) -> dict[str, dict[str, str]]:
        """SQL of columns that the former tables lack, or have otherwise, by table."""
        summary = {"loss": f"'{self._loss}'::pg_catalog.text", "quantile": "NULL::pg_catalog.float8"}
        if self._is_boosted:
            return {"_summary": summary, "_group": {"training_loss": "NULL", "validation_loss": "NULL"}}
        lacking = set(copy.parts["_group"]) - set(self.opened.tables.kept_columns("_group"))
        missing = set(copy.parts["_summary"]) - set(self.opened.tables.kept_columns("_summary"))
        of_trees = {"round": "s.sample_id", "class": "NULL"}
        of_groups = {**dict.fromkeys(lacking, "NULL"), "n_rounds": "s.n_trees"}
        if self._n_copies > 1:
            of_trees |= sql.copied_trees(self.opened.model.classes)
            of_groups["n_trees"] = sql.copied_trees_of_group(self._n_copies)
        return {
            "": of_trees,
            "_group": of_groups,
            "_summary": {
                **dict.fromkeys(missing, "NULL"),
                "method": f"'{BOOSTED.trains}'::pg_catalog.text",
                **summary,
            },
        }

    def _write_packed(self, copy: ModelCopy, trees: Sequence[int], lengths: Ints, first: int, record: Any) -> None:
        """The nodes of some trees that follow each other, of so many bytes; `first`: how many come before."""
        numbering, former = self.opened.model.numbering, np.dtype(self.opened.model.node_layout.big_endian)
        statement = Binary(packed_sql.packed_between(*copy.old))
        row = self.opened.host.query(statement, [_INT, _INT], [trees[0], trees[-1]])[0]
        data, counts = bytes(row["nodes"] or b""), lengths // former.itemsize
        if len(data) != lengths.sum() or (lengths % former.itemsize).any():
            raise self.opened.tables.damaged("the nodes of a tree are cut off")
        copies = Runs(np.repeat(counts, self._n_copies))
        # Where a copy's nodes are, less where they are among those of all copies.
        shift = np.repeat(Runs(counts).firsts, self._n_copies) - copies.firsts
        nodes = np.frombuffer(data, former)[copies.spread(shift, 1)]
        groups = [numbering.group(tree) for tree in trees]
        scores = self._scores(trees, groups)
        of_copies = zip(np.repeat(groups, self._n_copies).tolist(), scores, strict=True)
        factor = np.repeat([self._factor(*each) for each in of_copies], copies.sizes)
        packed = self._records(nodes, factor, copies.spread(np.array(scores)), record)
        starts, sizes = copies.firsts * record.itemsize, copies.sizes * record.itemsize
        literals = [*self._numbers(trees, first), text.integers(starts.tolist()), text.integers(sizes.tolist())]
        types = [_TEXT] * len(literals) + ["pg_catalog.bytea"]
        self.opened.host.command(sql.fill_packed(copy), types, [*literals, packed.tobytes()])

    def _numbers(self, trees: Sequence[int], first: int) -> list[str]:
        """The ids of the new trees, and of the former ones that they are copies of; `first`: former trees before."""
        n_copies = self._n_copies
        new = range(first * n_copies + 1, (first + len(trees)) * n_copies + 1)
        return [text.integers(new), text.integers(np.repeat(trees, n_copies).tolist())]

    def _scores(self, trees: Sequence[int], groups: Sequence[int]) -> list[int]:
        """To which score each of the new trees adds."""
        if self._n_copies > 1:
            return [*range(self._n_copies)] * len(trees)
        numbering = self.opened.model.numbering
        firsts = [numbering.tree_id(group, 1) for group in groups]
        return [(tree - own) % self._n_scores for tree, own in zip(trees, firsts, strict=True)]

    def _maps(self, group: int) -> Sequence[CalibrationMap]:
        """Those of a group, one for each score."""
        return self.calibration.maps.of_group(group if self.opened.model.grouping_columns else 0)

    def _factor(self, group: int, score: int) -> float:
        """By what the numbers of leaves that add to a group's score are multiplied."""
        own = self._maps(group)[score]
        return own.factor if isinstance(own, SigmoidFunction) else 1.0

    def _records(self, nodes: Array, factor: Floats, score: Ints, record: Any) -> Array:
        """The nodes as a boosted model has them; `factor` and `score` (n_nodes,)."""
        packed, former = np.zeros(len(nodes), record), nodes.dtype.names or ()
        for name in record.names:
            if self._is_boosted or (name not in _REPLACED and name in former):
                packed[name] = nodes[name]
        if self._is_boosted:
            packed["prediction"] = nodes["prediction"] * factor
            return packed
        weights = nodes["class_weights"].astype(np.float64)
        total = weights.sum(axis=1)
        if not (total > 0).all():
            raise self.opened.tables.damaged("a node has no weight for each class")
        own = weights[:, -1] if self._n_scores == 1 else weights[np.arange(len(weights)), score]
        share = own / total
        if "weight" not in former:  # each row counts one
            packed["weight"] = nodes["n_rows"]
        packed["prediction"] = share / self.opened.model.n_members * factor
        # Of the outcome as a number, 0 or 1.
        packed["impurity"] = share * (1 - share)
        packed["risk"] = total * packed["impurity"]
        return packed

    def _group_literals(self) -> Iterator[list[str]]:
        """Of each group what its scores mean, some groups after the other.

        Raises:
            MadtreeError: the points of a group, or of all together, are more than are read again.
        """
        host = self.opened.host
        rows = listed(host, sql.groups(*self.opened.tables.at))
        bases = base_scores(self.opened) if self._is_boosted else [[0.0] * self._n_scores] * len(rows)
        scales: list[_Scale] = []
        size = total = 0
        for row, base in watched(host, list(zip(rows, bases, strict=True))):
            own = _Scale.of(int(row["gid"]), base, self._maps(int(row["gid"])))
            n_points = sum(len(each.scores) for each in own.isotonic)
            size, total = size + n_points, total + n_points
            if n_points > MOST_POINTS or total > MOST_POINTS_OF_ALL:
                most = f"a group would be more than {MOST_POINTS:,}"
                if n_points <= MOST_POINTS:
                    most = f"all groups would be more than {MOST_POINTS_OF_ALL:,}"
                raise MadtreeError(
                    f"calibration_table: the points of {most}",
                    hint="Calibrate with method => 'sigmoid'.",
                    sqlstate="54000",
                )
            scales.append(own)
            if size > _POINTS_AT_ONCE or len(scales) * self._n_scores >= _SCORES_AT_ONCE:
                yield _literals(scales)
                scales, size = [], 0
        if scales:
            yield _literals(scales)


def _kept(columns: Sequence[tuple[str, str]]) -> Columns:
    return {name: Kept(f"pg_catalog.{kind}") for name, kind in columns}


@dataclass(frozen=True)
class _Scale:
    """What the scores of a group mean: those before any tree, and the function of each, none with a sigmoid."""

    group: int
    base: Sequence[float]
    isotonic: Sequence[IsotonicFunction]

    @classmethod
    def of(cls, group: int, base: Sequence[float], maps: Sequence[CalibrationMap]) -> _Scale:
        shifted = [
            each * own.factor + own.offset if isinstance(own, SigmoidFunction) else each
            for each, own in zip(base, maps, strict=True)
        ]
        return cls(group, shifted, [own for own in maps if isinstance(own, IsotonicFunction)])

    def points(self, name: str) -> list[float]:
        """Of all points, one behind the other."""
        return [number for own in self.isotonic for number in getattr(own, name)]


def _literals(scales: Sequence[_Scale]) -> list[str]:
    """One for each column of `sql.GROUP_PARAMETERS`."""
    ends = [np.cumsum([len(function.scores) for function in own.isotonic]).tolist() for own in scales]
    return [
        text.integers([own.group for own in scales]),
        _arrays([text.floats(own.base) for own in scales]),
        *(_arrays([text.floats(own.points(name)) for own in scales]) for name in ("scores", "probabilities")),
        _arrays([text.integers(each) for each in ends]),
    ]


def _arrays(literals: Sequence[str]) -> str:
    """A literal of array literals."""
    return text.joined([f'"{each}"' for each in literals])
