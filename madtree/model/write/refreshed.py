"""Writes a copy of a model with what other rows say in its nodes."""

from __future__ import annotations

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host, listed, watched
from madtree.learn.data import Array
from madtree.learn.walk import first_nodes
from madtree.model import UsableModel
from madtree.model.arrays import RefreshedNodes
from madtree.model.write.columns_text import Encoder, chunks, floats, integers, rows_of_floats
from madtree.model.write.copies import NewModel
from madtree.sqltext import array_text as text
from madtree.sqltext import packed_nodes as packed_sql
from madtree.sqltext import refresh as sql
from madtree.sqltext.calibrated import PACKED_PARAMETERS, fill_packed
from madtree.sqltext.copies import ModelCopy
from madtree.sqltext.predict import class_array
from madtree.sqltext.query import Binary
from madtree.sqltext.tables import REFRESH_COLUMNS
from madtree.trees import MOST_ROWS_IN_BAG

_TEXT, _INT = "pg_catalog.text", "pg_catalog.int4"
# Tables that tell of the training's rows.
_OF_TRAINING = frozenset({"_cv", "_statistics", "_rounds", "_outcomes"})
_FILLED = frozenset({"", "_nodes", "_packed", "_group", "_summary"})


def write_refreshed(opened: UsableModel, new: NewModel, table: str, refresh: RefreshedNodes) -> None:
    """Create and fill the tables of the refreshed model; `table` is the rows' one, as the user wrote it.

    Raises:
        MadtreeError: more rows have come to a tree than its records can tell.
    """
    host, tables, model = opened.host, opened.tables, opened.model
    left_out = _OF_TRAINING | {"_nodes"} if tables.is_packed else _OF_TRAINING
    copy = new.of(tables, left_out, [*dict(REFRESH_COLUMNS)])
    if tables.is_packed:
        class_type = tables.prediction_type if model.has_class_leaves else None
        new.make(host, copy.create_nodes(model.node_layout, model.feature_names, class_type, model.classes))
        _write_packed(opened, copy, refresh)
    else:
        new.make(host, copy.create())
        _write_nodes(opened, copy, refresh)
    roots = first_nodes(refresh.tree_id)
    _command(host, sql.fill_trees(copy), [integers(refresh.tree_id[roots]), integers(refresh.n_rows[roots])])
    if "_group" in copy.parts:
        of_groups = [
            integers(refresh.groups.number),
            rows_of_floats(refresh.groups.base, max(refresh.groups.base.shape[1], 1)),
            floats(refresh.groups.threshold),
            integers(refresh.groups.n_rows),
        ]
        _command(host, sql.fill_groups(copy), of_groups)
    for suffix in copy.parts.keys() - _FILLED:
        host.command(copy.fill(suffix))
    given = {
        "refreshed_model": tables.given,
        "refresh_table": table,
        "total_rows_processed": refresh.total,
    }
    new.write_summary(host, copy, given)


def _command(host: Host, statement: str, encoders: list[Encoder]) -> None:
    whole = slice(None)
    host.command(statement, [_TEXT] * len(encoders), [encode(whole) for encode in encoders])


def _write_nodes(opened: UsableModel, copy: ModelCopy, refresh: RefreshedNodes) -> None:
    """Copy the nodes, which are rows."""
    there = np.flatnonzero(refresh.n_rows)
    encoders = [integers(each[there]) for each in (refresh.tree_id, refresh.node_id, refresh.n_rows)]
    encoders.append(floats(refresh.weight[there]))
    classes = None
    if refresh.class_weights is None:
        encoders.append(floats(refresh.prediction[there]))
    else:
        classes = class_array(opened.model.classes, opened.tables.prediction_type)
        encoders += [
            integers(refresh.prediction[there]),
            rows_of_floats(refresh.class_weights[there], len(opened.model.classes)),
        ]
    _command(opened.host, sql.fill_nodes(copy, classes), encoders)


def _write_packed(opened: UsableModel, copy: ModelCopy, refresh: RefreshedNodes) -> None:
    """Copy the nodes, which are packed, some trees after the other."""
    if (most := int(refresh.n_rows.max(initial=0))) > MOST_ROWS_IN_BAG:
        raise MadtreeError(
            f"new_table: {most:,} rows come to a tree, and each may have at most {MOST_ROWS_IN_BAG:,}",
            hint="Give a view of some of them.",
            sqlstate="54000",
        )
    host = opened.host
    record = np.dtype(opened.model.node_layout.big_endian)
    roots = first_nodes(refresh.tree_id)
    trees, n_nodes = refresh.tree_id[roots], np.diff(roots, append=len(refresh.tree_id))
    lengths = n_nodes * record.itemsize
    found = [int(row["size"]) for row in watched(host, listed(host, packed_sql.packed_lengths(*copy.old)))]
    if found != lengths.tolist():
        raise opened.tables.damaged("the nodes of a tree are cut off")
    types = [_TEXT] * len(PACKED_PARAMETERS) + ["pg_catalog.bytea"]
    ends = roots + n_nodes
    for part in chunks(lengths):
        own = trees[part]
        row = host.query(Binary(packed_sql.packed_between(*copy.old)), [_INT, _INT], [int(own[0]), int(own[-1])])[0]
        nodes = np.frombuffer(bytes(row["nodes"] or b""), record).copy()
        _refresh(nodes, refresh, slice(int(roots[part][0]), int(ends[part][-1])))
        last = np.cumsum(lengths[part])
        literals = [
            text.integers(own.tolist()),
            text.integers(own.tolist()),
            text.integers((last - lengths[part]).tolist()),
            text.integers(lengths[part].tolist()),
        ]
        host.command(fill_packed(copy), types, [*literals, nodes.tobytes()])


def _refresh(nodes: Array, refresh: RefreshedNodes, part: slice) -> None:
    """Enter what rows say into records (n,), which are those of a part of all nodes."""
    rows = refresh.n_rows[part]
    there, names = np.flatnonzero(rows), nodes.dtype.names or ()
    nodes["n_rows"] = rows
    nodes["prediction"][there] = refresh.prediction[part][there]
    if "weight" in names:
        nodes["weight"] = np.where(rows > 0, refresh.weight[part], 0.0)
    if refresh.class_weights is not None:
        nodes["class_weights"][there] = refresh.class_weights[part][there]
