"""Which way a row goes at a node: everything that answers this gives the answers of one table.

A row's direction is worked out in the learner (routing), by the scorer of blocks, by the SQL expression, by tree_path,
by the predicates of tree_rules, in the Python client, and by whoever reads the JSON or the PMML document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import json_tree
import numpy as np
import psycopg
import pytest
from make_model import Nodes, Sketch, Value, inner, leaf, route, stand_in, write_model
from pmml_tree import Evaluator
from psycopg_host import PsycopgHost
from shares import share

from madtree.client.tree_arrays import EnsembleArrays
from madtree.client.walked_trees import FlatTree
from madtree.explain.path import tree_path
from madtree.learn.binning.encode import EdgeEncoder, KeyEncoder
from madtree.learn.data.block import Block, CodeLayout, Codes
from madtree.learn.route.leaves import WayDown
from madtree.learn.route.routing import Routing, category_table
from madtree.model.read import read_model
from madtree.score.predict import tree_predict
from madtree.sqltext import values
from madtree.sqltext.relation import Column
from madtree.trees import Feature, FeatureKind, Model, Node, Split

C, O, U = FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED  # noqa: E741
MOODS = ("sad", "it's ok", "happy")
DAY = 86_400.0
BIG = 2.0**53
TINY = 5e-324


def features(schema: str) -> list[Feature]:
    return [
        Feature("x", "double precision", C),
        Feature("s", "double precision", C),
        Feature("v", "numeric", C),
        Feature("d", "date", C),
        Feature("n", "integer", O),
        Feature("k", "bigint", O),
        Feature("m", f"{schema}.mood", O, MOODS),
        Feature("b", "boolean", U),
        Feature("t", "text", U),
    ]


@dataclass(frozen=True)
class Case:
    """A node, and the directions of rows.

    Attributes:
        split: feature, and threshold or levels, as `make_model.inner` takes them.
        rows: values as SQL text by feature, NULL for the others; and the direction: L, R, or M for the majority's.
        surrogates: of the node.
        seen: with null_as_category, the categories of each text feature that training has seen.
    """

    name: str
    split: dict[str, Any]
    rows: Sequence[tuple[dict[str, str], str]]
    surrogates: Sequence[dict[str, Any]] = ()
    seen: dict[str, Sequence[str]] = field(default_factory=dict)


def of(feature: str, **directions: str) -> list[tuple[dict[str, str], str]]:
    """Rows in which one feature has these values, separated by blanks; those of M end with NULL."""
    return [({feature: value}, side) for side, listed in directions.items() for value in listed.split()] + [({}, "M")]


A_OR_B = {"feature": "t", "left_levels": ("a",), "right_levels": ("b",)}
NULL_LEFT = {"feature": "t", "left_levels": ("a", None), "right_levels": ("b",)}
NULL_RIGHT = {"feature": "t", "left_levels": ("b",), "right_levels": ("a", None)}
ABC = {"t": ("a", "b", "c"), "b": ("false", "true")}
TRUE_LEFT = {"feature": "b", "left_levels": ("true",), "right_levels": ("false",)}
X = {"feature": "x", "threshold": 1.5}

CASES = [
    Case(
        "float",
        X,
        of("x", L="1.5 1.4999999999999998 -0.0 -Infinity -1e308", R="1.5000000000000002 Infinity 1e308", M="NaN"),
    ),
    Case("zero", {"feature": "x", "threshold": 0.0}, of("x", L="0 -0.0 -5e-324", R="5e-324", M="NaN")),
    Case("negative zero", {"feature": "x", "threshold": -0.0}, of("x", L="0 -0.0 -5e-324", R="5e-324", M="NaN")),
    Case("tiny", {"feature": "x", "threshold": TINY}, of("x", L="0 5e-324 -1", R="1e-323")),
    Case("infinity", {"feature": "x", "threshold": math.inf}, of("x", L="Infinity 1e308 -Infinity", M="NaN")),
    Case("minus infinity", {"feature": "x", "threshold": -math.inf}, of("x", L="-Infinity", R="-1e308 0", M="NaN")),
    Case("integer", {"feature": "n", "threshold": 2.5}, of("n", L="2 -2147483648", R="3 2147483647")),
    Case("integer hit", {"feature": "n", "threshold": 2.0}, of("n", L="2 1", R="3")),
    Case(
        "bigint",  # 2**53 + 1 is no float8: it becomes 2**53
        {"feature": "k", "threshold": BIG},
        of("k", L="9007199254740992 9007199254740993 -1", R="9007199254740994 9223372036854775807"),
    ),
    Case(
        "numeric",  # a float8 that rounds to 0.1 is 0.1
        {"feature": "v", "threshold": 0.1},
        of("v", L="0.1 0.10000000000000000555 -Infinity", R="0.10000000000000002 1e100 Infinity", M="NaN"),
    ),
    Case(
        "date",
        {"feature": "d", "threshold": 1.5 * DAY},
        of("d", L="1970-01-02 1969-12-31 -infinity", R="1970-01-03 infinity"),
    ),
    Case("date hit", {"feature": "d", "threshold": DAY}, of("d", L="1970-01-02", R="1970-01-03")),
    Case(
        "enum",
        {"feature": "m", "threshold": 1.5},
        [({"m": "sad"}, "L"), ({"m": "it's ok"}, "R"), ({"m": "happy"}, "R"), ({}, "M")],
    ),
    Case(
        "enum hit",
        {"feature": "m", "threshold": 2.0},
        [({"m": "sad"}, "L"), ({"m": "it's ok"}, "L"), ({"m": "happy"}, "R"), ({}, "M")],
    ),
    Case("boolean", TRUE_LEFT, of("b", L="true", R="false")),
    Case("not", {"feature": "b", "left_levels": ("false",), "right_levels": ("true",)}, of("b", L="false", R="true")),
    Case("text", A_OR_B, of("t", L="a", R="b", M="c A NULL unseen")),
    Case(
        "odd text",
        {"feature": "t", "left_levels": ("", "it's", 'q"'), "right_levels": (" ", "NULL", "b\\")},
        [({"t": v}, "L") for v in ("", "it's", 'q"')] + [({"t": v}, "R") for v in (" ", "NULL", "b\\")] + [({}, "M")],
    ),
    Case("null left", NULL_LEFT, [*of("t", L="a unseen NULL", R="b", M="c")[:-1], ({}, "L")], seen=ABC),
    Case("null right", NULL_RIGHT, [*of("t", L="b", R="a unseen", M="c")[:-1], ({}, "R")], seen=ABC),
    Case(
        "null alone",
        {"feature": "t", "left_levels": (None,), "right_levels": ("a", "b", "c")},
        [*of("t", L="unseen", R="a b c")[:-1], ({}, "L")],
        seen=ABC,
    ),
    Case("null elsewhere", A_OR_B, of("t", L="a", R="b", M="c unseen"), seen=ABC),
    Case(
        "null boolean",
        {"feature": "b", "left_levels": ("true", None), "right_levels": ("false",)},
        [({"b": "true"}, "L"), ({"b": "false"}, "R"), ({}, "L")],
        seen=ABC,
    ),
    Case(
        "surrogate",
        X,
        [
            *(({"x": "1", "s": s}, "L") for s in ("4", "6")),
            *(({"x": "2", "s": s}, "R") for s in ("4", "6")),
            *of("s", L="5 4 -Infinity", R="5.000000000000001 Infinity", M="NaN"),
            ({"x": "NaN", "s": "5"}, "L"),
        ],
        [{"feature": "s", "threshold": 5.0}],
    ),
    Case(
        "reversed surrogate",
        X,
        [*of("s", R="5 4 -0.0 -Infinity", L="5.000000000000001 Infinity", M="NaN"), ({"x": "NaN", "s": "6"}, "L")],
        [{"feature": "s", "threshold": 5.0, "low_goes_left": False}],
    ),
    *(
        Case(
            f"surrogate {feature} {'low' if low else 'high'} left",
            X,
            of(feature, **{"L" if low else "R": at_most, "R" if low else "L": above}),
            [{"feature": feature, "threshold": threshold, "low_goes_left": low}],
        )
        for feature, threshold, at_most, above in (
            ("n", 2.0, "2 1", "3"),
            ("k", BIG, "9007199254740993", "9007199254740994"),
            ("v", 0.1, "0.1 0.10000000000000000555", "0.2"),
            ("d", DAY, "1970-01-02 -infinity", "1970-01-03"),
            ("m", 2.5, "sad", "happy"),
        )
        for low in (True, False)
    ),
    Case(
        "several surrogates",
        X,
        [
            ({"t": "a", "s": "6", "b": "false"}, "L"),  # the first tells
            ({"t": "b", "s": "4", "b": "true"}, "R"),
            ({"t": "c", "s": "4", "b": "true"}, "R"),  # its category is absent: the second, reversed
            ({"t": "unseen", "s": "6"}, "L"),
            ({"t": "c", "s": "NaN", "b": "true"}, "L"),  # the third
            ({"s": "NaN", "b": "false"}, "R"),
            ({"t": "c"}, "M"),
            ({"x": "1", "t": "b", "s": "4", "b": "false"}, "L"),  # none is asked
        ],
        [A_OR_B, {"feature": "s", "threshold": 5.0, "low_goes_left": False},
         TRUE_LEFT],
    ),
    Case(
        "surrogates of text",
        A_OR_B,
        [({"t": "a", "x": "2"}, "L"), ({"t": "b", "x": "1"}, "R"), ({"t": "c", "x": "1"}, "L"), ({"x": "2"}, "R"),
         ({"t": "unseen", "x": "2"}, "R"), ({"t": "c", "x": "NaN"}, "M"), ({"t": "unseen"}, "M")],
        [X],
    ),
    Case(
        "surrogates beside null",
        NULL_RIGHT,
        [({"x": "1"}, "R"), ({"t": "unseen", "x": "1"}, "R"), ({"t": "c", "x": "1"}, "L"), ({"t": "c"}, "M"),
         ({"t": "b", "x": "2"}, "L")],
        [X],
        ABC,
    ),
    Case(
        "null in a surrogate",
        X,
        [({"t": "a"}, "L"), ({"t": "b"}, "R"), ({"t": "c"}, "M"), ({"t": "unseen"}, "L"), ({}, "L"),
         ({"x": "2", "t": "a"}, "R")],
        [NULL_LEFT],
        ABC,
    ),
]  # fmt: skip
LEFT_LEAF, RIGHT_LEAF = 1, 2


@dataclass(frozen=True)
class Row:
    """A row of the table `rows`, and the tree that it goes through."""

    id: int
    tree: int
    case: Case
    majority_left: bool
    given: dict[str, str]
    expected: str


class World:
    """The models: `plain` without and `nulls` with null_as_category, with two trees for each case; and their rows."""

    def __init__(self, db: psycopg.Connection, schema: str) -> None:
        self.db, self.schema = db, schema
        self.features = features(schema)
        self.rows: dict[str, list[Row]] = {"plain": [], "nulls": []}
        self.trees: dict[str, list[Nodes]] = {"plain": [], "nulls": []}
        db.execute(f"CREATE TYPE {schema}.mood AS ENUM ('sad', 'it''s ok', 'happy')")
        columns = ", ".join(f"{f.name} {f.type}" for f in self.features)
        for name, trees in self.trees.items():
            db.execute(f"CREATE TABLE {name}_rows (id int PRIMARY KEY, g int, {columns})")
            self._add(name, [case for case in CASES if bool(case.seen) == (name == "nulls")])
            groups = [(number,) for number in range(len(trees))]
            sketch = Sketch(
                self.features, trees, classes=(), grouping=[Column("g", "g", "integer")], groups=groups,
                levels=self._seen() if name == "nulls" else None,
            )  # fmt: skip
            write_model(db, schema, name, sketch)

    def _add(self, name: str, cases: Sequence[Case]) -> None:
        for case in cases:
            for majority_left in (True, False):
                number = len(self.trees[name])
                surrogates = tuple(stand_in(**split) for split in case.surrogates)
                root = inner(0, majority_left=majority_left, surrogates=surrogates, **case.split)
                self.trees[name].append({0: root, 1: leaf(1, 1.0, None), 2: leaf(2, 2.0, None)})
                for given, side in case.rows:
                    expected = ("L" if majority_left else "R") if side == "M" else side
                    row = Row(len(self.rows[name]), number, case, majority_left, given, expected)
                    self.rows[name].append(row)
                    names = ", ".join(["id", "g", *given])
                    marks = ", ".join(["%s"] * (2 + len(given)))
                    self.db.execute(
                        f"INSERT INTO {name}_rows ({names}) VALUES ({marks})", [row.id, number, *given.values()]
                    )

    def _seen(self) -> dict[str, dict[str, list[str]]]:
        by_feature: dict[str, dict[str, list[str]]] = {"t": {}, "b": {}}
        for row in self.rows["nulls"]:
            for feature, seen in row.case.seen.items():
                by_feature[feature][str(row.tree)] = list(seen)
        return by_feature

    def model(self, name: str) -> Model:
        return read_model(PsycopgHost(self.db), name)

    def observed(self, name: str) -> list[dict[str, Value]]:
        """Each row's values as splits compare them: numbers as float8, categories as text."""
        columns = [values.category(f) if f.kind is U else f"({values.number(f)})::float8" for f in self.features]
        found = self.db.execute(f"SELECT {', '.join(columns)} FROM {name}_rows ORDER BY id").fetchall()
        return [dict(zip((f.name for f in self.features), row, strict=True)) for row in found]


@pytest.fixture(scope="module")
def world(dsn: str) -> Any:
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(
            "DROP SCHEMA IF EXISTS directions CASCADE; CREATE SCHEMA directions; SET search_path = directions, madtree"
        )
        yield World(db, "directions")
        db.execute("DROP SCHEMA directions CASCADE")


def by_specification(world: World, name: str) -> list[str]:
    by_name = {f.name: f for f in world.features}
    found = []
    for row, values_of in zip(world.rows[name], world.observed(name), strict=True):
        end = route(world.trees[name][row.tree], by_name, values_of.__getitem__, row.case.seen or None)
        found.append(side_of(end.node_id))
    return found


def by_prediction(in_blocks: bool) -> Callable[[World, str], list[str]]:
    def predict(world: World, name: str) -> list[str]:
        world.db.execute("DROP TABLE IF EXISTS out")
        tree_predict(PsycopgHost(world.db), name, f"{name}_rows", "out", "leaf", in_blocks=in_blocks)
        return [side_of(node) for (node,) in world.db.execute("SELECT node_id FROM out ORDER BY id").fetchall()]

    return predict


def by_path(world: World, name: str) -> list[str | None]:
    """A call for each row: of one in eleven, mostly another of each case, and None for the others."""
    host, rows = PsycopgHost(world.db), world.rows[name]
    asked = {row.id for row in share(rows, 11, len(name))}

    def step(row: Row) -> str:
        branch = tree_path(host, name, f"{name}_rows", str(row.id))[0]["branch"]
        return {"left": "L", "right": "R"}[branch]

    return [step(row) if row.id in asked else None for row in rows]


def by_rules(world: World, name: str) -> list[str]:
    found: dict[int, str] = {}
    for tree, node, predicate in world.db.execute(
        "SELECT tree_id, node_id, predicate FROM madtree.tree_rules(%s)", [name]
    ).fetchall():
        query = f"SELECT id FROM {name}_rows WHERE g = {tree} AND ({predicate})".replace("%", "%%")
        for (id_,) in world.db.execute(query, []).fetchall():
            assert id_ not in found, "two rules take the row"
            found[id_] = side_of(node)
    return [found[row.id] for row in world.rows[name]]


def by_client(world: World, name: str) -> list[str]:
    model = world.model(name)
    observed = world.observed(name)
    columns = {
        f.name: np.array([row[f.name] for row in observed], object if f.kind is U else np.float64)
        for f in world.features
    }
    found = []
    for number, row in enumerate(world.rows[name]):
        flat = FlatTree.of(model.trees[row.tree])
        of_row = {feature: column[number : number + 1] for feature, column in columns.items()}
        found.append(side_of(flat.nodes[int(flat.apply(of_row, 1)[0])].node_id))
    return found


def by_json(world: World, name: str) -> list[str]:
    document = json.loads(world.db.execute("SELECT madtree.tree_to_json(%s)::text", [name]).fetchone()[0])
    found = []
    for row, of_row in zip(world.rows[name], world.observed(name), strict=True):
        tree = json_tree.find_tree(document, [str(row.tree)])
        found.append(side_of(json_tree.find_leaf(document, tree, of_row)["node_id"]))
    return found


def by_pmml(world: World, name: str) -> list[str]:
    evaluator = Evaluator(world.db.execute("SELECT madtree.tree_to_pmml(%s)", [name]).fetchone()[0])
    found = []
    for row, of_row in zip(world.rows[name], world.observed(name), strict=True):
        known = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in of_row.items()}
        known["m"] = row.given.get("m")
        found.append(side_of(int(evaluator.leaf({**known, "g": str(row.tree)}).get("id"))))
    return found


def by_forest_of_client(world: World, name: str) -> list[str]:
    """All trees are walked down together, as a forest's."""
    model = world.model(name)
    observed = world.observed(name)
    columns = {
        f.name: np.array([row[f.name] for row in observed], object if f.kind is U else np.float64)
        for f in world.features
    }
    places = EnsembleArrays.of(model, model.trees)
    leaves = places.apply(columns, len(observed))
    found = (leaves[number, row.tree] for number, row in enumerate(world.rows[name]))
    return [side_of(int(places.nodes.node_id[place])) for place in found]


def step_by_step(routing: Routing, codes: Codes) -> int:
    """As rows are routed while trees grow."""
    (end,) = routing.advance(np.zeros(1, np.int32), codes)
    return int(end)


def down_grown_trees(routing: Routing, codes: Codes) -> int:
    """As out-of-bag rows go."""
    routing.rounds = routing.deepest = 1
    (end,) = WayDown(routing).leaves(Block(codes, np.zeros(1, np.uint8)), 0, 1)
    return int(end)


def by_learner(way: Callable[[Routing, Codes], int]) -> Callable[[World, str], list[str | None]]:
    def predict(world: World, name: str) -> list[str | None]:
        """By codes; None for a category that training has not seen."""
        found: list[str | None] = []
        for row, of_row in zip(world.rows[name], world.observed(name), strict=True):
            found.append(learners_side(way, world.trees[name][row.tree][0], row, world.features, of_row))
        return found

    return predict


def learners_side(
    way: Callable[[Routing, Codes], int],
    node: Node,
    row: Row,
    features: Sequence[Feature],
    of_row: dict[str, Value],
) -> str | None:
    position = {f.name: at for at, f in enumerate(features)}
    splits: list[Split] = [node, *node.surrogates]
    codes = np.zeros((len(features), 1), np.uint8)
    tables: list[Any] = []
    for split in splits:
        feature, value = features[position[str(split.feature)]], of_row[str(split.feature)]
        if feature.kind is not U:
            number = np.array([math.nan if value is None else value], np.float64)
            codes[position[feature.name]] = EdgeEncoder(np.array([split.threshold]), np.uint8).codes(number)
            tables.append(None)
            continue
        named = [*(split.left_levels or ()), *(split.right_levels or ())]
        seen = sorted({*(level for level in named if level is not None), *row.case.seen.get(feature.name, ("c",))})
        if row.case.seen and value is not None and value not in seen:
            return None
        keys = np.array([*range(len(seen)), *([math.nan] if row.case.seen else [])], np.float64)
        key = math.nan if value is None else float(seen.index(str(value))) if value in seen else -1.0
        codes[position[feature.name]] = KeyEncoder(keys, np.uint8).codes(np.array([key]))
        code_of = {level: at for at, level in enumerate([*seen, None], 1)}
        sides = ([code_of[level] for level in levels or ()] for levels in (split.left_levels, split.right_levels))
        tables.append(category_table(len(keys) + 1, *(np.array(side, np.int64) for side in sides)))
    routing = Routing.leaves(0, 1)
    routing.add_leaves(1, 2)
    routing.child[0] = 1
    routing.feature[0] = position[str(node.feature)]
    routing.cut[0] = 1
    routing.missing_right[0] = not node.majority_left
    routing.surrogates[0] = len(node.surrogates)
    starts = [-1 if table is None else int(routing.add_tables([table])[0]) for table in tables]
    routing.table[0] = starts[0]
    routing.surrogate_table = np.array(starts[1:], np.int32)
    routing.surrogate_feature = np.array([position[s.feature] for s in node.surrogates], np.int32)
    routing.surrogate_cut = np.ones(len(node.surrogates), np.int32)
    routing.surrogate_low_right = np.array([not s.low_goes_left for s in node.surrogates], np.uint8)
    layout = CodeLayout.for_widths(np.full(len(features), 8))
    return side_of(way(routing, Codes(layout, codes, np.zeros((0, 1), np.uint16))))


def side_of(leaf_id: int) -> str:
    return {LEFT_LEAF: "L", RIGHT_LEAF: "R"}[leaf_id]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ["plain", "nulls"])
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(by_specification, id="specification"),
        pytest.param(by_learner(step_by_step), id="learner"),
        pytest.param(by_learner(down_grown_trees), id="learner-grown"),
        pytest.param(by_prediction(in_blocks=False), id="sql-case"),
        pytest.param(by_prediction(in_blocks=True), id="block-scorer"),
        pytest.param(by_path, id="tree_path"),
        pytest.param(by_rules, id="tree_rules"),
        pytest.param(by_client, id="client"),
        pytest.param(by_forest_of_client, id="client-forest"),
        pytest.param(by_json, id="json"),
        pytest.param(by_pmml, id="pmml"),
    ],
)
def test_a_row_goes_the_same_way_whoever_is_asked(
    world: World, name: str, answer: Callable[[World, str], list[str | None]]
) -> None:
    wrong = [
        f"{row.case.name} {row.given}, majority {'left' if row.majority_left else 'right'}: {found}, not {row.expected}"
        for row, found in zip(world.rows[name], answer(world, name), strict=True)
        if found not in (row.expected, None)
    ]
    assert wrong == []


def test_the_table_has_every_kind_of_split() -> None:
    """Of a node's own and of surrogates."""
    kinds = {f.name: (f.kind, bool(f.labels), f.type == "boolean") for f in features("s")}
    for splits in ([case.split for case in CASES], [split for case in CASES for split in case.surrogates]):
        assert {kinds[split["feature"]] for split in splits} == set(kinds.values())
    assert {split.get("low_goes_left", True) for case in CASES for split in case.surrogates} == {True, False}
