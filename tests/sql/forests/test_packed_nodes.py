"""The view `<output>_nodes` of a forest says what a table with a row for each node says, to the bit."""

from __future__ import annotations

import math
import random
import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE_BOTH, grow_bare
from psycopg import sql as psql
from psycopg_host import PsycopgHost

from madtree.errors import MadtreeError
from madtree.learn.prune import CategorySets, NodeColumns, PackedNodes, TreeKeys
from madtree.model import find_to_use, read_trees
from madtree.model.arrays import read_arrays
from madtree.model.arrays.packed_nodes import read_packed
from madtree.model.write import ModelOutput, write_packed
from madtree.sqltext import packed_nodes
from madtree.sqltext.kinds import create_tables
from madtree.sqltext.tables import NODE_COLUMNS
from madtree.trees import MOST_ROWS_IN_BAG, TREE, NodeLayout, Numbering

FEATURES = ["x", '"odd {0} `name`"', "it's \\ there", "k", "flag"]
UNORDERED = [None, None, None, ("a", 'b "quoted"', "c,{}", None, ""), ("false", "true")]
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, math.pi, 5e-324, -5e-324, 2.225073858507201e-308, 2.2250738585072014e-308,
    2.2250738585072019e-308, 1.7976931348623157e308, -1.7976931348623157e308, math.inf, -math.inf, math.nan,
    1 + 2**-52, 1 - 2**-53, 2.0**52, 2.0**53 - 1, 2.0**-1022 * (1 + 2**-52), 2.0**-1074 * 12345, 1e-310,
]  # fmt: skip
SHAPE = {0: None, 1: 0, 2: 0, 5: 2, 6: 2, 11: 5, 12: 5}  # a tree's nodes and their parents


def bits(value: Any) -> Any:
    """Floats by their bits, so that neither -0.0 is 0.0 nor NaN unequal to itself."""
    if isinstance(value, list):
        return [bits(each) for each in value]
    return struct.pack(">d", value).hex() if isinstance(value, float) else value


def some_float(draw: random.Random) -> float:
    kind = draw.random()
    if kind < 0.4:
        return draw.choice(SPECIAL)
    if kind < 0.7:
        return float(np.frombuffer(draw.randbytes(8), ">f8")[0])
    return draw.uniform(-1000, 1000)


def some_nodes(draw: random.Random, n_trees: int, layout: NodeLayout) -> list[dict[str, Any]]:
    """Nodes of trees, as a table of rows would have them; depths beyond what any float tells apart."""
    n_classes = layout.n_classes
    asked = [f for f, known in enumerate(UNORDERED) if known is None or layout.has_categories]
    rows = []
    for tree in range(1, n_trees + 1):
        ids = sorted(SHAPE) if tree > 1 else [0, 1, 2, 2**61 - 2, 2**61 - 1, 2**62 - 2, 2**53, 2**53 - 1]
        for node_id in sorted(ids):
            split = node_id in SHAPE.values()
            f = draw.choice(asked) if split else None
            known = UNORDERED[f] if f is not None else None
            left = [c for c in known if draw.random() < 0.5] if known else None
            row = {
                "tree_id": tree,
                "node_id": node_id,
                "parent_id": (node_id - 1) // 2 if node_id else None,
                "depth": (node_id + 1).bit_length() - 1,
                "is_leaf": not split,
                "feature": FEATURES[f] if f is not None else None,
                "threshold": some_float(draw) if split and not known else None,
                "left_levels": left,
                "majority_left": draw.random() < 0.5 if split else None,
                "n_rows": draw.choice([0, 1, MOST_ROWS_IN_BAG, draw.randrange(10**6)]),
                **{name: some_float(draw) for name in ("weight", "impurity", "risk", "complexity")},
                "improvement": some_float(draw) if split else None,
                "prediction": draw.randrange(n_classes) if n_classes else some_float(draw),
                "class_weights": [some_float(draw) for _ in range(n_classes)] if n_classes else None,
                "right_levels": [c for c in known if c not in left] if known and left is not None else None,
            }
            if not layout.weighted:
                row["weight"] = float(row["n_rows"])
            if not layout.has_risk:
                most = MOST_ROWS_IN_BAG // n_classes
                counts = [draw.choice([0, 1, most, draw.randrange(10**6)]) for _ in range(n_classes)]
                row["prediction"] = counts.index(max(counts))
                row["n_rows"], row["weight"] = sum(counts), float(sum(counts))
                row["risk"], row["class_weights"] = float(sum(counts) - max(counts)), list(map(float, counts))
            rows.append(row)
    return rows


def arrays_of(rows: list[dict[str, Any]], layout: NodeLayout) -> PackedNodes:
    """The same nodes as training hands them over."""
    n_classes = layout.n_classes

    def numbers(name: str, dtype: Any = np.float64, none: Any = np.nan) -> Any:
        return np.array([none if row[name] is None else row[name] for row in rows], dtype)

    def sets(name: str) -> CategorySets:
        found = []
        for row in rows:
            known = UNORDERED[FEATURES.index(row["feature"])] if row["feature"] else None
            found.append(None if row[name] is None else np.array([known.index(c) for c in row[name]], np.int32))  # type: ignore[union-attr]
        return CategorySets.of(found)

    member = numbers("tree_id", np.int64) - 1
    nodes = NodeColumns(
        key=TreeKeys(np.ones_like(member), member),
        node_id=numbers("node_id", np.int64),
        depth=numbers("depth", np.int32),
        feature=np.array([FEATURES.index(row["feature"]) if row["feature"] else -1 for row in rows], np.int32),
        threshold=numbers("threshold"),
        left=sets("left_levels"),
        right=sets("right_levels"),
        majority_left=numbers("majority_left", np.bool_, True),
        n_rows=numbers("n_rows", np.int64),
        **{name: numbers(name) for name in ("weight", "impurity", "risk", "complexity", "improvement")},
        prediction=numbers("prediction", np.int64 if n_classes else np.float64),
        class_weights=np.array([row["class_weights"] or [] for row in rows], np.float64).reshape(len(rows), n_classes),
    )
    ids, counts = np.unique(member, return_counts=True)
    unordered = np.array([known is not None and layout.has_categories for known in UNORDERED])
    key = TreeKeys(np.ones_like(ids), ids)
    return PackedNodes.of(nodes, key, counts, unordered, layout)


def written(
    db: psycopg.Connection,
    schema: str,
    name: str,
    rows: list[dict[str, Any]],
    layout: NodeLayout,
    type_: str | None,
    labels: list[str],
) -> None:
    """A forest's table of packed nodes and its view, filled by what trains forests."""
    at = schema, name
    db.execute(create_tables(*at, TREE, (), None))  # type: ignore[arg-type]
    before = replace(layout, n_classes=0)
    view = packed_nodes.create_view(*at, packed_nodes.decoded_nodes(*at, before, FEATURES, type_))
    db.execute(view)  # type: ignore[arg-type]
    db.execute(packed_nodes.store_whole(*at))  # type: ignore[arg-type]
    task = SimpleNamespace(
        output_schema=schema,
        output_name=name,
        is_classification=type_ is not None,
    )
    numbering = Numbering(len({row["tree_id"] for row in rows}))
    output = ModelOutput(PsycopgHost(db), task, UNORDERED)  # type: ignore[arg-type]
    write_packed(output, arrays_of(rows, layout), numbering)
    view = packed_nodes.create_view(*at, packed_nodes.decoded_nodes(*at, layout, FEATURES, type_, labels))
    db.execute(view)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_", "labels"),
    [
        (None, []),
        ("text", ['plain "and" \\ odd', "it's, {b}", "", "NULL"]),
        ("boolean", ["false", "true"]),
        ("character varying(9)", ["one"]),
        ("timestamp with time zone", ["2026-01-02 03:04:05.123456+00", "1999-12-31 23:59:59+00"]),
        ("pg_temp.mood", ["sad", "so so"]),
        ("pg_temp.short", ["a", "b"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("has_categories", [False, True], ids=["numbers", "categories"])
def test_the_view_is_the_table_of_rows(
    db: psycopg.Connection, schema: str, type_: str | None, labels: list[str], weighted: bool, has_categories: bool
) -> None:
    name = 'odd "m" {0} `x`'
    db.execute(
        "CREATE TYPE pg_temp.mood AS ENUM ('so so', 'sad'); "
        "CREATE DOMAIN pg_temp.short AS text CHECK (length(value) < 9)"
    )
    layout = NodeLayout(type_ is not None, len(labels), weighted, has_categories)
    rows = some_nodes(random.Random(str(type_)), 9, layout)
    written(db, schema, name, rows, layout, type_, labels)
    # The oracle: one row of values after the other, by psycopg, into a table with the columns of a tree model's nodes.
    kinds = ", ".join(f"{column} {kind or type_ or 'float8'}" for column, kind in NODE_COLUMNS)
    db.execute(f"CREATE TEMP TABLE by_rows ({kinds})")  # type: ignore[arg-type]
    places = ", ".join(f"%({column})s::{kind or type_ or 'float8'}" for column, kind in NODE_COLUMNS)
    for row in rows:
        values = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        if labels:
            values["prediction"] = labels[row["prediction"]]
            values["class_weights"] = [None if math.isnan(each) else each for each in row["class_weights"]]
        db.execute(f"INSERT INTO by_rows VALUES ({places})", values)  # type: ignore[arg-type]
    view = psql.Identifier(schema, f"{name}_nodes")
    read = psql.SQL("SELECT * FROM {} ORDER BY tree_id, node_id")
    found = db.execute(read.format(view)).fetchall()
    expected = db.execute(read.format(psql.Identifier("by_rows"))).fetchall()
    assert [list(map(bits, row)) for row in found] == [list(map(bits, row)) for row in expected]
    described = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = %s::regclass "
        "AND attnum > 0 ORDER BY attnum"
    )
    assert db.execute(described, [view.as_string(db)]).fetchall() == db.execute(described, ["by_rows"]).fetchall()


def test_a_sample_that_is_too_large_for_a_record_is_refused() -> None:
    layout = NodeLayout(False, 0, weighted=False, has_categories=False)
    rows = some_nodes(random.Random(1), 1, layout)
    rows[0]["n_rows"] = MOST_ROWS_IN_BAG
    arrays_of(rows, layout)
    rows[0]["n_rows"] = MOST_ROWS_IN_BAG + 1
    with pytest.raises(MadtreeError, match=r"sample has 4,294,967,296 rows, and .* at most 4,294,967,295"):
        arrays_of(rows, layout)


def test_one_tree_is_decoded_alone_and_what_nobody_asks_for_is_not(db: psycopg.Connection, schema: str) -> None:
    layout = NodeLayout(True, 2, weighted=False, has_categories=True)
    rows = some_nodes(random.Random(1), 300, layout)
    written(db, schema, "m", rows, layout, "text", ["a", "b"])

    def plan(query: str) -> str:
        db.execute("ANALYZE m_packed; SET enable_seqscan = off")
        return "\n".join(line for (line,) in db.execute(f"EXPLAIN (VERBOSE, ANALYZE, TIMING off) {query}"))  # type: ignore[arg-type]

    one = plan("SELECT * FROM m_nodes WHERE tree_id = 7 ORDER BY node_id LIMIT 3")
    assert "Index Cond: (t.tree_id = 7)" in one
    assert "loops=300" not in one
    assert db.execute("SELECT count(*) FROM m_nodes WHERE tree_id = 7").fetchone() == (len(SHAPE),)
    few = plan("SELECT node_id, impurity FROM m_nodes")
    assert "SubPlan" in one  # the weights of the classes
    assert "SubPlan" not in few
    assert few.count("encode(") * 4 < one.count("encode(")


# Bytes of a record but for `class_weights`.
SIZES = {
    ("c", None, "x, y, h"): 52,
    ("c", None, "x, y, k, h"): 64,
    ("c", "1 + z % 3", "x, y, h"): 68,
    ("c", "1", "x, y, k, h"): 80,
    ("v", None, "x, y, h"): 64,
    ("v", None, "x, y, k, h"): 76,
    ("v", "1", "x, y, h"): 72,
    ("v", "1 + z % 3", "x, y, k, h"): 84,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("groups", [None, "g"])
@pytest.mark.parametrize(("dependent", "weights", "features"), SIZES)
def test_who_writes_nodes_and_who_reads_them_agree(
    db: psycopg.Connection, dependent: str, weights: str | None, features: str, groups: str | None
) -> None:
    """Also of trees that no row was drawn for."""
    db.execute(MAKE_BOTH)
    db.execute("DELETE FROM t WHERE id > 60 AND g > 0")
    more = {"sample_ratio": 0.05, "sampling": "poisson", "num_trees": 9, "min_split": 2}
    grow_bare(db, "f", dependent, features, weights=weights, grouping_cols=groups, **more)
    host = PsycopgHost(db)
    opened = find_to_use(host, "f", False)
    size = SIZES[dependent, weights, features] + (8 if weights else 4) * (3 if dependent == "c" else 0)
    lengths = db.execute("SELECT octet_length(nodes) FROM f_packed ORDER BY tree_id").fetchall()
    trees = read_trees(opened)
    assert [length for (length,) in lengths] == [size * len(tree.nodes) for tree in trees]
    shown = [(tree.tree_id, node) for tree in trees for node in tree.nodes.values()]
    view = db.execute("SELECT tree_id, node_id, n_rows, weight, risk FROM f_nodes ORDER BY tree_id, node_id").fetchall()
    assert view == [(tree, node.node_id, node.n_rows, node.weight, node.risk) for tree, node in shown]
    scored = read_packed(opened, ["class_weights"])
    for name, of in (("node_id", lambda node: node.node_id), ("majority_left", lambda node: bool(node.majority_left))):
        assert scored[name].tolist() == [of(node) for _, node in shown]
    assert scored["tree_id"].tolist() == [tree for tree, _ in shown]
    names = [None, *(feature.name for feature in opened.model.features)]
    assert [names[feature] for feature in scored["feature"]] == [node.feature for _, node in shown]
    assert scored["class_weights"].tolist() == [list(node.class_weights or ()) for _, node in shown]


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_what_shows_trees_reads_the_bytes_as_the_view_does(db: psycopg.Connection, dependent: str) -> None:
    db.execute(MAKE_BOTH)
    surrogates = "max_surrogates=2" if dependent == "c" else "null_as_category=true"
    grow_bare(db, "f", dependent, num_trees=3, null_handling_params=surrogates)
    host = PsycopgHost(db)
    opened = find_to_use(host, "f", False)
    trees = read_trees(opened)
    found = [(tree.tree_id, node) for tree in trees for node in tree.nodes.values()]
    expected = db.execute("SELECT * FROM f_nodes ORDER BY tree_id, node_id").fetchall()
    for (tree_id, node), row in zip(found, expected, strict=True):
        values = {name: getattr(node, name, tree_id) for name, _ in NODE_COLUMNS}
        lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
        assert list(map(bits, (values | lists).values())) == list(map(bits, row))
    assert any(node.left_levels for _, node in found)
    assert any(node.surrogates for _, node in found) == (dependent == "c")
    assert read_trees(opened, 2) == trees[1:2]


# Values that the fields of a record never have.
WRONG: list[tuple[str, float, str]] = [
    ("node_id", -1, "has a number that no node has"),
    ("feature", 9, "asks what is no feature of the model"),
    ("feature", -9, "asks what is no feature of the model"),
    ("feature", -(2**31), "asks what is no feature of the model"),
    ("prediction", 4, "predicts no class of the model"),
    ("prediction", 0, "predicts no class of the model"),
    ("prediction", -(2**31), "predicts no class of the model"),
    ("categories", 10**6, "names categories that its tree does not have"),
    ("n_left", -1, "names categories that its tree does not have"),
    ("threshold", math.nan, "has no threshold"),
    ("weight", -1.0, "has a negative weight"),
    ("weight", math.nan, "has an unfit weight, impurity"),
    ("risk", math.nan, "has an unfit weight, impurity"),
    ("impurity", math.nan, "has an unfit weight, impurity"),
    ("improvement", math.nan, "has an unfit improvement"),
]


def places(layout: NodeLayout) -> dict[str, tuple[int, str]]:
    """Of each field where it begins in a record, and struct's code."""
    found, at = {}, 0
    for name, kind in layout.fields:
        found[name] = (at, {"i4": ">i", "u4": ">I", "i8": ">q", "f8": ">d"}[kind])
        at += int(kind[1:])
    return found


@pytest.mark.parametrize("weights", [None, "1 + z % 3"])
def test_a_record_that_is_no_node_is_said(db: psycopg.Connection, weights: str | None) -> None:
    db.execute(MAKE_BOTH)
    grow_bare(db, "f", "c", num_trees=1, weights=weights)
    host = PsycopgHost(db)
    opened = find_to_use(host, "f", False)
    (whole,) = db.execute("SELECT nodes FROM f_packed").fetchone()  # type: ignore[misc]
    layout = NodeLayout(True, 3, weighted=weights is not None, has_categories=True)
    size, found = layout.size, places(layout)
    assert ("weight" in found, "risk" in found) == (bool(weights), bool(weights))
    nodes = read_trees(opened)[0].nodes
    by_number = next(n for n, node in enumerate(nodes.values()) if node.threshold is not None)
    by_category = next(n for n, node in enumerate(nodes.values()) if node.left_levels is not None)

    def forge(node: int, field: str, value: float) -> None:
        offset, code = found[field]
        at = size * node + offset
        forged = whole[:at] + struct.pack(code, value) + whole[at + struct.calcsize(code) :]
        db.execute("UPDATE f_packed SET nodes = %s", [forged])

    for name, value, problem in WRONG:
        if name in found:
            forge(by_category if name in ("categories", "n_left") else by_number, name, value)
            with pytest.raises(MadtreeError, match=f"f is damaged: node -?[0-9]+ of tree 1 ({problem})"):
                read_trees(opened)
            if name != "risk":  # which no walk and no client needs
                with pytest.raises(MadtreeError, match=r"f is damaged: (a )?node"):
                    read_arrays(opened, ["weight", "impurity", "improvement"])
            db.execute("SELECT * FROM f_nodes")
    forge(by_category, "threshold", 0.5)
    with pytest.raises(MadtreeError, match="has a threshold besides its categories"):
        read_trees(opened)
    with pytest.raises(psycopg.Error, match="has a threshold besides its categories"), db.transaction():
        db.execute("SELECT madtree.forest_predict('f', 't', 'p')")
    unfit = [[math.nan, 1, 1], [-1.0, 1, 1], [0, 0, 0], [math.inf, 1, 1]] if weights else [[0, 0, 0]]
    for weights_of_classes in unfit:
        packed = struct.pack(">3d" if weights else ">3I", *weights_of_classes)
        forged = whole[: size - len(packed)] + packed + whole[size:]
        db.execute("UPDATE f_packed SET nodes = %s", [forged])
        with pytest.raises(MadtreeError, match="node 0 of tree 1 has no weight for each class"):
            read_trees(opened)
        with pytest.raises(psycopg.Error, match="node 0 of tree 1 has no weight for each class"), db.transaction():
            db.execute("SELECT madtree.forest_predict('f', 't', 'p')")
    db.execute("UPDATE f_packed SET nodes = %s, tree_id = 2", [whole])
    with pytest.raises(MadtreeError, match=r"tree 1 has no nodes|tree 2 is not there, but nodes of it are"):
        read_trees(opened)
