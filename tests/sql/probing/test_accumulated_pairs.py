"""Accumulated local effects of two features, held against loops over predictions of tables with the values set."""

from __future__ import annotations

from itertools import product
from math import dist
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows
from test_partial_dependence import BOOST, MODELS, SETS, _table, dependence, train  # noqa: F401

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

PAIRS = [("x", '"Odd name"'), ("i", "x"), ("e", '"Odd name"'), ("i", "e")]
Table = dict[tuple[int, int], float]


def by_loops(
    ends: tuple[list[float], list[float]], own: dict[str, tuple[float, float]], said: dict[tuple[int, int, str], float]
) -> tuple[Table, dict[tuple[int, int], int]]:
    """Effects and counts by the places of two values, as Apley and Zhu estimate them; the nearest cell of an empty one.

    Args:
        own: the values of each row by its id; said: what is predicted where the values at two places are set.
    """
    (first, second), cells = ends, {}
    for id_, values in own.items():
        k, j = (next(n for n in range(1, len(z)) if v <= z[n]) for z, v in zip(ends, values, strict=True))
        cells.setdefault((k, j), []).append(
            said[k, j, id_] - said[k - 1, j, id_] - said[k, j - 1, id_] + said[k - 1, j - 1, id_]
        )
    middles = {
        (k, j): ((first[k] + first[k - 1]) / 2 / (first[-1] - first[0]),
                 (second[j] + second[j - 1]) / 2 / (second[-1] - second[0]))
        for k, j in product(range(1, len(first)), range(1, len(second)))
    }  # fmt: skip
    nearest = {
        cell: min(sorted(cells), key=lambda other: round(dist(middles[cell], middles[other]), 9)) for cell in middles
    }
    mean = {cell: sum(cells[other]) / len(cells[other]) for cell, other in nearest.items()}
    count = {cell: len(cells.get(cell, ())) for cell in product(range(len(first)), range(len(second)))}
    whole = {
        (k, j): sum(mean[m, n] for m in range(1, k + 1) for n in range(1, j + 1)) for k, j in count
    }  # before anything is subtracted
    of_first, of_second = [0.0], [0.0]
    for k in range(1, len(first)):
        step = [(count[k, j], whole[k, m] - whole[k - 1, m]) for j in range(1, len(second)) for m in (j - 1, j)]
        of_first.append(of_first[-1] + sum(n * change for n, change in step) / sum(n for n, _ in step))
    for j in range(1, len(second)):
        step = [(count[k, j], whole[m, j] - whole[m, j - 1]) for k in range(1, len(first)) for m in (k - 1, k)]
        of_second.append(of_second[-1] + sum(n * change for n, change in step) / sum(n for n, _ in step))
    pure = {(k, j): whole[k, j] - of_first[k] - of_second[j] for k, j in whole}
    corners = [(count[k, j], pure[k - a, j - b]) for k, j in count if k and j for a, b in product((0, 1), repeat=2)]
    centre = sum(n * value for n, value in corners) / sum(n for n, _ in corners)
    return {cell: value - centre for cell, value in pure.items()}, count


def predicted(db: psycopg.Connection, kind: str, type_: str, pair: tuple[str, str], found: list[Any]) -> list[Any]:
    """The predictions of the rows of `test` with each pair of values that was found, whose places are `at`, `at_2`."""
    values = [list(dict.fromkeys(row[name] for row in found)) for name in ("value", "value_2")]
    db.execute("DROP TABLE IF EXISTS scored, pairs, changed; CREATE TABLE pairs (at int, at_2 int, a text, b text)")
    for (k, a), (j, b) in product(*map(enumerate, values)):
        db.execute("INSERT INTO pairs VALUES (%s, %s, %s, %s)", [k, j, a, b])
    others = ", ".join(name for name in ("g", "c", *SETS, "w") if name not in (*pair, "c")) + ", c"
    first, second = pair
    db.execute(
        f"CREATE TABLE changed AS SELECT 1000 * (100 * at + at_2) + id AS id, {others}, "  # type: ignore[arg-type]
        f"a::{SETS[first]} AS {first}, b::{SETS[second]} AS {second} FROM test CROSS JOIN pairs"
    )
    db.execute(f"SELECT madtree.{kind}_predict('m', 'changed', 'scored', %s)", [type_])  # type: ignore[arg-type]
    return rows(db, "SELECT mod(id, 1000) AS own, id / 100000 AS at, mod(id / 1000, 100) AS at_2, * FROM scored")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("turn", "name"), list(enumerate(MODELS)))
def test_effects_of_two_are_those_of_loops(db: psycopg.Connection, turn: int, name: str) -> None:
    kind, dependent, more, type_, column = MODELS[name]
    pair = PAIRS[turn // 2 % len(PAIRS)]
    train(db, kind, dependent, more)
    found = dependence(db, ", ".join(pair), type=type_, accumulated=True, grid_size=6)
    every = predicted(db, kind, type_, pair, found)
    numbers = [
        "array_position('{small,medium,large}'::size[], e)" if each == "e" else f"{each}::float8" for each in pair
    ]
    has = " AND ".join(f"{each} IS NOT NULL" for each in pair)
    own = {row["id"]: (row["a"], row["b"]) for row in rows(
        db, f"SELECT id::text, {numbers[0]} AS a, {numbers[1]} AS b FROM test WHERE {has}"
    )}  # fmt: skip
    for class_ in {row["class"] for row in found}:
        of_class = [row for row in found if row["class"] == class_]
        said = {(row["at"], row["at_2"], str(row["own"])): row[column.format(class_)] for row in every}
        known = {id_: values for id_, values in own.items() if said[0, 0, id_] is not None}
        ends = tuple(sorted({row[number] for row in of_class}) for number in ("number", "number_2"))
        assert [(end[0], end[-1]) for end in ends] == [
            (min(side), max(side)) for side in zip(*known.values(), strict=True)
        ]
        effects, counts = by_loops(ends, known, said)  # type: ignore[arg-type]
        at = {(ends[0].index(row["number"]), ends[1].index(row["number_2"])): row for row in of_class}
        assert {cell: row["n"] for cell, row in at.items()} == counts
        for cell, row in at.items():
            assert abs(row["estimated"] - effects[cell]) < 1e-11 * max(1, abs(effects[cell])), cell


def test_cells_without_rows_take_what_is_nearest(db: psycopg.Connection) -> None:
    """Of features that go together, so that most cells are empty; by the loops, too."""
    db.execute('UPDATE t SET "Odd name" = x + "Odd name" / 9; UPDATE test SET "Odd name" = x + "Odd name" / 9')
    db.execute('DELETE FROM test WHERE id > 900 OR x IS NULL; UPDATE t SET v = x * "Odd name" WHERE x > -2')
    train(db, "boost", "v", BOOST)
    pair = ("x", '"Odd name"')
    found = dependence(db, ", ".join(pair), accumulated=True, grid_size=9)
    said = {(row["at"], row["at_2"], str(row["own"])): row["estimated_v"] for row in predicted(
        db, "boost", "response", pair, found
    )}  # fmt: skip
    own = {row["id"]: (row["a"], row["b"]) for row in rows(db, 'SELECT id::text, x AS a, "Odd name" AS b FROM test')}
    ends = tuple(sorted({row[number] for row in found}) for number in ("number", "number_2"))
    effects, counts = by_loops(ends, own, said)  # type: ignore[arg-type]
    assert [row["n"] for row in found] == [counts[cell] for cell in sorted(counts)]
    assert sum(not row["n"] for row in found) > 17 + 20  # the least values have none
    np.testing.assert_allclose(
        [row["estimated"] for row in found], [effects[cell] for cell in sorted(effects)], rtol=0, atol=1e-12
    )


GRID = """
CREATE TABLE grid AS SELECT 100 * a + 10 * b + n AS id, a, b, (a * b)::float8 AS y, (3 * a + b * b)::float8 AS additive
FROM generate_series(0, 4) AS a, generate_series(0, 3) AS b, generate_series(1, 2) AS n
"""


def test_a_product_is_the_product_of_deviations(db: psycopg.Connection) -> None:
    """A tree that has learned a * b by heart, of a and b that are independent: (a - mean) * (b - mean)."""
    db.execute(GRID)
    db.execute("SELECT madtree.tree_train('grid', 'm', 'id', 'y', 'a, b', min_split => 2, min_bucket => 1)")
    found = dependence(db, "a, b", "grid", accumulated=True)
    # A row is in the middle of its cell: those of a = 0 are in the one from 0 to 1.
    mean_a, mean_b = np.mean([0.5, 0.5, 1.5, 2.5, 3.5]), np.mean([0.5, 0.5, 1.5, 2.5])
    assert [(row["value"], row["value_2"]) for row in found] == [
        (str(a), str(b)) for a, b in product(range(5), range(4))
    ]
    for row in found:
        wanted = (row["number"] - mean_a) * (row["number_2"] - mean_b)
        assert abs(row["estimated"] - wanted) < 1e-12
        # The least values' rows count with those of the next.
        n = 2 * (2 if row["number"] == 1 else 1) * (2 if row["number_2"] == 1 else 1)
        assert row["n"] == (n if row["number"] and row["number_2"] else 0)


def test_of_an_additive_model_it_is_zero(db: psycopg.Connection) -> None:
    """Trees of one split each ask one feature."""
    db.execute(GRID)
    db.execute(
        "SELECT madtree.boost_train('grid', 'm', 'id', 'additive', 'a, b', num_trees => 60, "
        "max_leaf_nodes => 2, min_bucket => 1)"
    )
    assert max(abs(row["estimated"]) for row in dependence(db, "a, b", "grid", accumulated=True)) < 1e-12
    alone = dependence(db, "a", "grid", accumulated=True)
    assert max(row["estimated"] for row in alone) - min(row["estimated"] for row in alone) > 6


def test_a_feature_with_one_value_or_that_no_tree_asks(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 1}, 'x, i, e, "Odd name"')
    assert {row["estimated"] for row in dependence(db, "i, e", accumulated=True)} == {0}
    db.execute("CREATE VIEW one AS SELECT * FROM test WHERE i = 4")
    found = dependence(db, "i, x", "one", accumulated=True)
    assert {(row["value"], row["estimated"]) for row in found} == {("4", 0)}
    n_rows = rows(db, "SELECT count(*) AS n FROM one WHERE x IS NOT NULL")[0]["n"]
    assert sum(row["n"] for row in found) == n_rows > 2


def test_infinite_values_are_ends_of_the_grid(db: psycopg.Connection) -> None:
    train(db, "boost", "v", BOOST)
    db.execute("UPDATE test SET x = CASE WHEN id % 2 = 0 THEN 'Infinity'::float8 ELSE '-Infinity' END WHERE id < 30")
    found = dependence(db, 'x, "Odd name"', accumulated=True, grid_size=20)
    assert np.isfinite([row["estimated"] for row in found]).all()
    assert {float("-inf"), float("inf")} < {row["number"] for row in found}
    assert 0 in {row["n"] for row in found if row["number"] > 0 and row["number_2"] > 0}


def test_the_same_bytes_by_the_client_and_the_other_way_round(db: psycopg.Connection) -> None:
    train(db, "boost", "v", BOOST)
    found = dependence(db, 'x, "Odd name"', "t", accumulated=True, grid_size=5)
    with db.transaction():
        answer = call(PsycopgHost(db), "partial_dependence", ("m", "t", 'x, "Odd name"'), {
            "accumulated": True, "grid_size": 5,
        })  # fmt: skip
    assert answer.rows == [[*row.values()] for row in found]
    turned = {
        (row["value_2"], row["value"]): (row["n"], row["estimated"])
        for row in dependence(db, '"Odd name", x', "t", accumulated=True, grid_size=5)
    }
    for row in found:
        n, estimated = turned[row["value"], row["value_2"]]
        assert n == row["n"]
        assert abs(estimated - row["estimated"]) < 1e-12


@pytest.mark.parametrize(
    ("features", "problem", "hint"),
    [
        ("c", "accumulated => true needs features whose values have an order, not c", "Leave accumulated out"),
        ("x, c", "accumulated => true needs features whose values have an order, not c", "Leave accumulated out"),
        ("x, i", "features: x or i is NULL in all rows of test", ""),
    ],
)
def test_what_has_no_effects(db: psycopg.Connection, features: str, problem: str, hint: str) -> None:
    train(db, "tree", "v", {"max_depth": 2})
    db.execute("UPDATE test SET x = NULL WHERE i IS NOT NULL")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=problem) as refused:
        dependence(db, features, accumulated=True)
    assert (refused.value.diag.message_hint or "").startswith(hint)


def test_answers_are_bounded(db: psycopg.Connection) -> None:
    train(db, "tree", "v", {"max_depth": 2})
    db.execute('INSERT INTO test (id, x, "Odd name") SELECT n, sin(n), cos(n) FROM generate_series(1000, 3000) AS n')
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="the answer would have 1,000,000 rows"):
        dependence(db, 'x, "Odd name"', accumulated=True, grid_size=1000)
