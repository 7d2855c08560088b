"""Writes a calibrated copy of a model of classes: a tree with other probabilities in its leaves, or a boosted model,
whose score is what all trees of the former one say together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, listed, rows_at_once, watched
from madtree.learn.data import Array, Floats, Ints
from madtree.model import MOST_STEPS_OF_ALL, ModelTables, base_scores, make_tables
from madtree.model.write.columns_text import chunks, integers, rows_of_floats
from madtree.records import dataclass
from madtree.sqltext import array_text as text
from madtree.sqltext import calibrated as sql
from madtree.sqltext import models as models_sql
from madtree.sqltext import packed_nodes as packed_sql
from madtree.sqltext.boost_tables import BOOST_SUMMARY_COLUMNS, GROUP_COLUMNS, STEP_COLUMNS
from madtree.sqltext.cut import create_nodes
from madtree.sqltext.predict import class_array
from madtree.sqltext.prune import Columns, Name, create_copies, fill_alike
from madtree.sqltext.tables import CALIBRATION_COLUMNS
from madtree.sqltext.values import Kept
from madtree.trees import BOOSTED, ISOTONIC, FittedMaps, Joining, Model, SigmoidFunction, StepFunction

_TEXT, _INT = "pg_catalog.text", "pg_catalog.int4"
_LEFT_OUT = frozenset(("_cv", "_rounds", "_nodes", "_oob", "_outcomes"))
_GROUPS_AT_ONCE, _STEPS_AT_ONCE = 10_000, 100_000
_MOST_WEIGHTS = 2**25  # of the classes in leaves
_REPLACED = frozenset(("prediction", "impurity", "risk", "class_weights"))  # become others where trees voted


@dataclass(frozen=True)
class Calibrated:
    """What is to be written.

    Attributes:
        given: the new model's name, as the user wrote it.
        method, table: of the calibration.
    """

    given: str
    method: str
    table: str
    maps: FittedMaps


def write_calibrated(host: Host, tables: ModelTables, model: Model, new: Name, made: Calibrated) -> None:
    """Create and fill the tables of the calibrated model."""
    if model.kind.joining is Joining.NONE:
        _write_tree(host, tables, model, new, made)
    else:
        _Sum(host, tables, model, new, made).write()


def _parts(tables: ModelTables, left_out: frozenset[str] = _LEFT_OUT) -> dict[str, Columns]:
    """The tables that are copied, and their columns."""
    parts: dict[str, Columns] = {
        suffix: tables.kept_columns(suffix) for suffix in tables.facts.tables if suffix not in left_out
    }
    parts["_summary"] = {**parts["_summary"], **_kept(CALIBRATION_COLUMNS)}
    return parts


def _kept(columns: Sequence[tuple[str, str]]) -> Columns:
    return {name: Kept(f"pg_catalog.{kind}") for name, kind in columns}


def _fill_summary(
    host: Host, tables: ModelTables, new: Name, columns: Columns, values: Mapping[str, str], made: Calibrated
) -> None:
    statement = sql.fill_summary((tables.schema, tables.name), new, columns, values)
    host.command(statement, [_TEXT] * 4, [made.given, made.method, tables.given, made.table])


def _write_tree(host: Host, tables: ModelTables, model: Model, new: Name, made: Calibrated) -> None:
    """A copy whose leaves have as much weight as before, parted among the classes as the map says."""
    old, parts = (tables.schema, tables.name), _parts(tables, frozenset({"_cv"}))
    make_tables(host, *new, "output_model", create_copies(new, parts), None)
    host.command(sql.fill_inner_nodes(old, new, parts["_nodes"]))
    trees, nodes, weights = _leaves(host, tables, len(model.classes))
    total = weights.sum(axis=1)
    own = np.empty_like(weights)
    for place, tree in enumerate(watched(host, trees)):
        share = (weights[place] / total[place]).tolist()
        own[place] = made.maps.shares(tree if model.grouping_columns else 0, share)
    statement = sql.fill_leaves(old, new, parts["_nodes"], class_array(model.classes, tables.prediction_type))
    encoders = [
        integers(trees),
        integers(nodes),
        integers(own.argmax(axis=1) + 1),
        rows_of_floats(own * total[:, None], len(model.classes)),
    ]
    for part in chunks(np.full(len(trees), 20 * (len(model.classes) + 1))):
        host.command(statement, [_TEXT] * len(encoders), [encode(part) for encode in encoders])
    for suffix in parts.keys() - {"_nodes", "_summary"}:
        host.command(fill_alike(old, new, suffix, parts[suffix]))
    _fill_summary(host, tables, new, parts["_summary"], {}, made)


def _leaves(host: Host, tables: ModelTables, n_classes: int) -> tuple[list[int], list[int], Floats]:
    """The leaves' trees, their ids, and (n_leaves, n_classes) the weights of the classes.

    Raises:
        MadtreeError: they have too many weights, or not one for each class.
    """
    at = tables.schema, tables.name
    n_leaves = host.query(models_sql.size(*at))[0]["leaves"]
    if n_leaves * n_classes > _MOST_WEIGHTS:
        raise MadtreeError(
            f"model: {tables.given} has {n_leaves:,} leaves and {n_classes:,} classes, and at most {_MOST_WEIGHTS:,} "
            "weights of classes in leaves are calibrated",
            sqlstate="54000",
        )
    trees: list[int] = []
    nodes: list[int] = []
    weights = np.empty((n_leaves, n_classes))
    for row in watched(host, host.stream(sql.leaves(*at, n_classes), batch=rows_at_once(n_classes))):
        if row["class_weights"] is None or len(trees) == n_leaves:
            raise MadtreeError(f"{tables.given} is damaged: not each of its leaves has a weight for each class")
        weights[len(trees)] = row["class_weights"]
        trees.append(row["tree_id"])
        nodes.append(row["node_id"])
    return trees, nodes, weights[: len(trees)]


@dataclass(frozen=True)
class _Sum:
    """A boosted model to be written, from one, or from a model whose trees vote."""

    host: Host
    tables: ModelTables
    model: Model
    new: Name
    made: Calibrated

    @property
    def _is_boosted(self) -> bool:
        return self.model.kind.joining is Joining.SUM

    def write(self) -> None:
        host, old, new = self.host, (self.tables.schema, self.tables.name), self.new
        parts, values = self._parts(), self._values()
        layout = replace(self.model, kind=BOOSTED).node_layout
        nodes = create_nodes(new, layout, [feature.name for feature in self.model.features])
        make_tables(host, *new, "output_model", f"{create_copies(new, parts)};\n{nodes}", None)
        sizes = listed(host, packed_sql.packed_lengths(*old))
        former = [int(row["tree_id"]) for row in watched(host, sizes)]
        numbers = [text.integers(range(1, len(former) + 1)), text.integers(former)]
        for suffix in ("", "_surrogates"):
            if suffix in parts:
                statement = sql.fill_renumbered(old, new, suffix, parts[suffix], values.get(suffix, {}))
                host.command(statement, [_TEXT] * 2, numbers)
        if "_statistics" in parts:
            host.command(fill_alike(old, new, "_statistics", parts["_statistics"]))
        record = np.dtype(layout.big_endian)
        lengths = np.array([int(row["size"]) for row in sizes])
        for part in chunks(lengths):
            self._write_packed(former[part], lengths[part], part.start, record)
        groups = sql.fill_groups(old, new, parts["_group"], values["_group"])
        for literals in self._group_literals():
            host.command(groups, [_TEXT] * len(sql.GROUP_PARAMETERS), literals)
        _fill_summary(host, self.tables, new, parts["_summary"], values["_summary"], self.made)

    def _parts(self) -> dict[str, Columns]:
        """The tables, and their columns."""
        parts = _parts(self.tables)
        parts["_summary"] = {**parts["_summary"], **_kept((("loss", "text"), ("quantile", "float8")))}
        if not self._is_boosted:
            own = set(parts["_group"])
            parts[""] = {name: kept for name, kept in parts[""].items() if not name.startswith("oob_")}
            parts[""] = {**parts[""], **_kept((("round", "int4"), ("class", "text")))}
            parts["_group"] = {name: kept for name, kept in parts["_group"].items() if not name.startswith("oob_")}
            parts["_group"] = {**parts["_group"], **_kept([each for each in GROUP_COLUMNS if each[0] not in own])}
            more = [each for each in BOOST_SUMMARY_COLUMNS if each[0] not in parts["_summary"]]
            parts["_summary"] = {**parts["_summary"], **_kept(more)}
        steps = STEP_COLUMNS if self.made.method == ISOTONIC else ()
        former = {name: kept for name, kept in parts["_group"].items() if name not in dict(STEP_COLUMNS)}
        return {**parts, "_group": {**former, **_kept(steps)}}

    def _values(self) -> dict[str, dict[str, str]]:
        """SQL of columns that the former tables lack, or have otherwise, by table."""
        loss = ISOTONIC if self.made.method == ISOTONIC else "log_loss"
        summary = {"loss": f"'{loss}'::pg_catalog.text", "quantile": "NULL::pg_catalog.float8"}
        if self._is_boosted:
            return {"_summary": summary, "_group": {"training_loss": "NULL", "validation_loss": "NULL"}}
        lacking = set(self._parts()["_group"]) - set(self.tables.kept_columns("_group"))
        missing = set(self._parts()["_summary"]) - set(self.tables.kept_columns("_summary"))
        return {
            "": {"round": "s.sample_id", "class": "NULL"},
            "_group": {**dict.fromkeys(lacking, "NULL"), "n_rounds": "s.n_trees"},
            "_summary": {
                **dict.fromkeys(missing, "NULL"),
                "method": f"'{BOOSTED.trains}'::pg_catalog.text",
                **summary,
            },
        }

    def _write_packed(self, trees: Sequence[int], lengths: Ints, first: int, record: Any) -> None:
        """The nodes of some trees that follow each other, of so many bytes; `first`: how many come before."""
        old = self.tables.schema, self.tables.name
        numbering, former = self.model.numbering, np.dtype(self.model.node_layout.big_endian)
        row = self.host.query(packed_sql.packed_between(*old), [_INT, _INT], [trees[0], trees[-1]])[0]
        data, counts = bytes(row["nodes"] or b""), lengths // former.itemsize
        if len(data) != lengths.sum() or (lengths % former.itemsize).any():
            raise MadtreeError(f"{self.tables.given} is damaged: the nodes of a tree are cut off")
        nodes = np.frombuffer(data, former)
        groups = [numbering.group(tree) for tree in trees]
        factor = np.repeat([self._factor(group) for group in groups], counts)
        made = self._records(nodes, factor, record)
        ends = np.cumsum(counts) * record.itemsize
        literals = [
            text.integers(range(first + 1, first + len(trees) + 1)),
            text.integers(list(trees)),
            text.integers((ends - counts * record.itemsize).tolist()),
            text.integers((counts * record.itemsize).tolist()),
        ]
        types = [_TEXT] * len(literals) + ["pg_catalog.bytea"]
        self.host.command(sql.fill_packed(old, self.new), types, [*literals, made.tobytes()])

    def _factor(self, group: int) -> float:
        """By what the numbers of a group's leaves are multiplied."""
        (own,) = self.made.maps.of_group(group if self.model.grouping_columns else 0)
        return own.factor if isinstance(own, SigmoidFunction) else 1.0

    def _records(self, nodes: Array, factor: Floats, record: Any) -> Array:
        """The nodes as a boosted model has them."""
        made, former = np.zeros(len(nodes), record), nodes.dtype.names or ()
        for name in record.names:
            if self._is_boosted or (name not in _REPLACED and name in former):
                made[name] = nodes[name]
        if self._is_boosted:
            made["prediction"] = nodes["prediction"] * factor
            return made
        weights = nodes["class_weights"].astype(np.float64)
        total = weights.sum(axis=1)
        if not (total > 0).all():
            raise MadtreeError(f"{self.tables.given} is damaged: a node has no weight for each class")
        share = weights[:, -1] / total
        if "weight" not in former:  # each row counts one
            made["weight"] = nodes["n_rows"]
        made["prediction"] = share / self.model.n_members * factor
        # Of the outcome as a number, 0 or 1.
        made["impurity"] = share * (1 - share)
        made["risk"] = total * made["impurity"]
        return made

    def _group_literals(self) -> Iterator[list[str]]:
        """Of each group what its scores mean, some groups after the other.

        Raises:
            MadtreeError: all steps together are more than are read again.
        """
        host, model = self.host, self.model
        rows = listed(host, sql.groups(self.tables.schema, self.tables.name))
        bases = base_scores(host, self.tables, model) if self._is_boosted else [[0.0]] * len(rows)
        said: list[tuple[int, float, StepFunction | None]] = []
        size = total = 0
        for row, (base,) in watched(host, list(zip(rows, bases, strict=True))):
            number = int(row["gid"])
            (own,) = self.made.maps.of_group(number if model.grouping_columns else 0)
            if isinstance(own, SigmoidFunction):
                said.append((number, base * own.factor + own.offset, None))
            else:
                said.append((number, base, own))
                size, total = size + len(own.scores), total + len(own.scores)
            if total > MOST_STEPS_OF_ALL:
                raise MadtreeError(
                    f"calibration_table: the steps of all groups would be more than {MOST_STEPS_OF_ALL:,}",
                    hint="Calibrate with method => 'sigmoid'.",
                    sqlstate="54000",
                )
            if size > _STEPS_AT_ONCE or len(said) == _GROUPS_AT_ONCE:
                yield _literals(said)
                said, size = [], 0
        if said:
            yield _literals(said)


def _literals(said: Sequence[tuple[int, float, StepFunction | None]]) -> list[str]:
    steps = [own for *_, own in said]
    return [
        text.integers([number for number, *_ in said]),
        text.floats([base for _, base, _ in said]),
        *(_arrays(steps, name) for name in ("scores", "probabilities")),
    ]


def _arrays(steps: Sequence[StepFunction | None], name: str) -> str:
    """Their points as a literal of array literals."""
    return text.joined(["NULL" if own is None else f'"{text.floats(getattr(own, name))}"' for own in steps])
