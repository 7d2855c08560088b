"""How values are distributed at splits: what the page says is what the table and the model say."""

from __future__ import annotations

import json
import math
import re
from itertools import groupby, pairwise
from typing import Any

import psycopg
import pytest
from datasets import load_iris
from models import train_iris, train_places
from training import train

from madtree.report import build_report
from madtree.report.distributions import SPLITS, TREES

Split = dict[str, Any]


def page_values(db: psycopg.Connection, model: str, **arguments: Any) -> dict[str, Any]:
    page = build_report(db, model, **arguments)
    return json.loads(re.search(r'id="values">(.*?)</script>', page, re.DOTALL)[1])


def splits(values: dict[str, Any], tree: int = 1) -> dict[int, Split]:
    """The bars by node."""
    return {int(node): found for node, found in values["distributions"]["trees"][str(tree)].items()}


def by_class(found: Split, bars: slice) -> dict[int, int]:
    """The rows of some bars by the position of their class."""
    rows: dict[int, int] = {}
    for parts in found["classes"][bars]:
        for position, n in zip(parts[::2], parts[1::2], strict=True):
            rows[position] = rows.get(position, 0) + n
    return rows


def train_flawed(db: psycopg.Connection, **arguments: object) -> None:
    """A model `flawed`, of features of many types in which values are missing, with surrogates."""
    db.execute(
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE TABLE t AS SELECT i AS id, "
        "CASE WHEN i % 7 > 0 THEN sin(i) END AS wave, CASE WHEN i % 11 > 0 THEN i * 31 % 17 END AS n, "
        "(CASE i % 13 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE exp(i * 37 % 100 / 9.0) END)::float8 AS steep, "
        "(ARRAY['sad', 'ok', 'happy', NULL])[1 + i % 4]::mood AS mood, date '2024-01-01' + i * 7 % 300 AS day, "
        "CASE WHEN i % 5 > 0 THEN 'c' || i * i % 41 END AS code, i * 1e298::float8 * (i % 3) AS huge "
        "FROM generate_series(1, 2000) AS i"
    )
    db.execute(
        "ALTER TABLE t ADD kind text, ADD y float8; UPDATE t SET y = coalesce(wave, -1) + coalesce(n, 3) / 4.0 "
        "+ (mood = 'ok')::int + extract(month FROM day)::int / 3 + length(code) + (huge > 1e301)::int * 2 "
        "+ coalesce((steep > 100)::int, 0)"
    )
    db.execute("UPDATE t SET kind = CASE WHEN y < 3 THEN 'low' WHEN y < 6 THEN 'middle' ELSE 'high' END")
    arguments = {"max_depth": 5, "min_bucket": 10, "null_handling_params": "max_surrogates=2", **arguments}
    train(db, "t", "flawed", "kind", "wave, n, steep, mood, day, code, huge", **arguments)


def test_the_rows_of_each_side_are_those_of_the_nodes_below(db: psycopg.Connection) -> None:
    train_flawed(db, pruning_params="cp=-1")
    nodes = dict(db.execute("SELECT node_id, class_weights FROM flawed_nodes").fetchall())
    features = dict(db.execute("SELECT node_id, feature FROM flawed_nodes WHERE NOT is_leaf").fetchall())
    found = splits(page_values(db, "flawed"))
    assert len(found) == min(SPLITS, len(features))
    assert len({features[node] for node in found}) >= 5
    for node, split in found.items():
        sides = slice(0, split["left"]), slice(split["left"], None)
        for child, side in zip((2 * node + 1, 2 * node + 2), sides, strict=True):
            expected = {position: weight for position, weight in enumerate(nodes[child]) if weight}
            # A boundary of ranges is the threshold: what is right at it, and what a surrogate sends, is on its side.
            assert by_class(split, side) == expected, (node, features[node])


def test_null_as_a_category_and_weights(db: psycopg.Connection) -> None:
    train_flawed(db, null_handling_params="null_as_category=true", weights="1 + id % 2")
    rows = dict(db.execute("SELECT node_id, n_rows FROM flawed_nodes").fetchall())
    for node, split in splits(page_values(db, "flawed")).items():
        for child, side in ((2 * node + 1, slice(0, split["left"])), (2 * node + 2, slice(split["left"], None))):
            assert sum(by_class(split, side).values()) == rows[child], (node, split)


def test_ranges_hold_the_values_that_they_name(db: psycopg.Connection) -> None:
    train_iris(db)
    root, threshold = db.execute("SELECT feature, threshold FROM iris_tree_nodes WHERE node_id = 0").fetchone()
    values = [value for (value,) in db.execute(f"SELECT {root}::float8 FROM iris".encode()).fetchall()]
    split = splits(page_values(db, "iris_tree"))[0]
    bounds = [tuple(map(float, text.split(" to "))) for text in split["texts"]]
    assert split["ends"] == [f"{min(values):g}", f"{max(values):g}"]
    assert bounds[split["left"] - 1][1] == pytest.approx(threshold, abs=0.01)
    assert all(one[1] == two[0] for one, two in pairwise(bounds))
    width = bounds[1][1] - bounds[1][0]
    for parts, (low, high) in zip(split["classes"], bounds, strict=True):
        within = sum(low + 0.05 * width < value < high - 0.05 * width for value in values)
        about = sum(low - 0.05 * width <= value <= high + 0.05 * width for value in values)
        assert within <= sum(parts[1::2]) <= about
    assert sum(by_class(split, slice(None)).values()) == 150


def test_outcomes_that_are_numbers_have_mean_and_standard_deviation(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, 'c' || i % 5 AS code, (1e6 + i % 5 * 10 + i % 101)::float8 AS y "
        "FROM generate_series(1, 2000) AS i"
    )
    db.execute("INSERT INTO t VALUES (3000, 'c1', 'NaN'), (3001, 'c1', NULL), (3002, 'c1', 'Infinity')")
    db.execute("CREATE VIEW fit AS SELECT * FROM t WHERE id < 3000")
    train(db, "fit", "m", "y", "code", max_depth=2)
    figures = "SELECT code, count(*), avg(y), stddev_pop(y) FROM fit GROUP BY code"
    expected = {code: figures for code, *figures in db.execute(figures).fetchall()}
    split = splits(page_values(db, "m"))[0]
    columns = zip(split["texts"], split["rows"], split["means"], split["deviations"], strict=True)
    assert {code: figures for code, *figures in columns} == {
        code: [n, pytest.approx(mean, rel=1e-5), pytest.approx(spread, rel=1e-5)]
        for code, (n, mean, spread) in expected.items()
    }
    left = db.execute("SELECT left_levels FROM m_nodes WHERE node_id = 0").fetchone()[0]
    assert set(split["texts"][: split["left"]]) == set(left)
    other = splits(page_values(db, "m", data="fit"))[0]
    assert other == split


def test_events_over_exposures_have_rates(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, 'c' || i % 3 AS code, i % (2 + i % 3) AS n, 1 + i % 4 / 2.0 AS years "
        "FROM generate_series(1, 900) AS i"
    )
    train(db, "t", "m", "n", "code", split_criterion="poisson", exposure="years", max_depth=1)
    rates = "SELECT code, sum(n) / sum(years) FROM t GROUP BY code"
    expected = {code: float(rate) for code, rate in db.execute(rates).fetchall()}
    split = splits(page_values(db, "m"))[0]
    assert dict(zip(split["texts"], split["means"], strict=True)) == pytest.approx(expected, rel=1e-5)
    assert set(split["deviations"]) == {None}


def test_a_few_values_far_away_do_not_press_the_others_together(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 500 = 0 THEN 1e12 WHEN i % 500 = 1 THEN 'infinity' "
        "ELSE i % 100 END::float8 AS x, i % 100 > 50 AS y FROM generate_series(1, 100000) AS i"
    )
    db.execute("UPDATE t SET x = 1e5 WHERE x = 1e12 AND id > 500; UPDATE t SET x = 5 WHERE x = 1e12")
    train(db, "t", "m", "y", "x", max_depth=1)
    split = splits(page_values(db, "m"))[0]
    assert split["texts"][-1].endswith(" and more")
    assert split["ends"][1] != "1e+05"
    assert by_class(split, slice(split["left"], None)).keys() == {0, 1}
    assert sum(by_class(split, slice(None)).values()) == 100_000


def test_the_most_frequent_categories_stand_alone(db: psycopg.Connection) -> None:
    train_places(db)
    split = splits(page_values(db, "places"))[0]
    left = split["left"]
    assert len(split["texts"]) == 26
    assert [text for text in split["texts"] if text == "other values"] == ["other values"] * 2
    assert split["texts"][left - 1] == split["texts"][-1] == "other values"
    assert [sum(parts[1::2]) for parts in split["classes"]] == ([4] * 12 + [38 * 4]) * 2


def test_each_group_has_its_own_rows(db: psycopg.Connection) -> None:
    load_iris(db)
    db.execute("ALTER TABLE iris ADD odd bool; UPDATE iris SET odd = id % 2 = 1 WHERE id % 10 > 0")
    train(db, "iris", "m", "species", "petal_length, petal_width", grouping_cols="odd", max_depth=2)
    values = page_values(db, "m")
    for tree, odd in db.execute("SELECT tree_id, odd FROM m").fetchall():
        (n,) = db.execute("SELECT count(*) FROM iris WHERE odd = %s", [odd]).fetchone()
        assert sum(by_class(splits(values, tree)[0], slice(None)).values()) == n


def test_of_many_splits_those_with_the_most_rows_are_told(db: psycopg.Connection, show: Any) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i * 7919 % 1000 AS x, (i * 7919 % 1000 + hashint4(i) % 100)::float8 AS y "
        "FROM generate_series(1, 3000) AS i"
    )
    train(
        db, "t", "m", "y", "x", max_depth=7, min_bucket=5, min_split=10, pruning_params="cp=-1", split_criterion="mse"
    )
    inner = db.execute("SELECT node_id, n_rows FROM m_nodes WHERE NOT is_leaf ORDER BY n_rows DESC, node_id").fetchall()
    assert len(inner) > SPLITS
    found = splits(page_values(db, "m"))
    least = inner[SPLITS - 1][1]
    assert len(found) == SPLITS
    assert {node for node, n in inner if n > least} <= found.keys() <= {node for node, n in inner if n >= least}
    page = show("m")
    page.click("#expand")
    last = str(inner[-1][0])
    page.evaluate(f"document.querySelector('[data-node=\"{last}\"]').dispatchEvent(new Event('focus'))")
    assert "Splits by" in page.inner_text("#details")
    assert page.locator("#details svg").count() == 0
    assert f"those {SPLITS} splits of a tree that have the most rows" in page.inner_text("#details")


def test_of_many_trees_the_first_ones_are_counted(db: psycopg.Connection) -> None:
    load_iris(db)
    db.execute(
        "CREATE TABLE many AS SELECT (i * 1000 + id)::int AS id, i AS part, petal_length, species "
        "FROM iris CROSS JOIN generate_series(1, 30) AS i"
    )
    train(db, "many", "m", "species", "petal_length", grouping_cols="part", max_depth=1)
    values = page_values(db, "m")
    assert list(values["distributions"]["trees"]) == [str(tree["id"]) for tree in values["trees"][:TREES]]
    assert (
        values["distributions"]["note"] == f"How values are distributed is shown at the splits of {TREES} of the trees."
    )
    asked = page_values(db, "m", row=29_001)["distributions"]["trees"]
    assert next(iter(asked)) == str(db.execute("SELECT tree_id FROM m WHERE part = 29").fetchone()[0])
    db.execute(
        "SELECT forest_train('iris', 'f', 'id', 'species', 'petal_length, petal_width', num_trees => 9, "
        "max_tree_depth => 2)"
    )
    values = page_values(db, "f")
    assert len(values["distributions"]["trees"]) == 3  # each has all rows
    assert sum(by_class(splits(values)[0], slice(None)).values()) == 150


def test_of_a_boosted_model_the_classes_are_counted(db: psycopg.Connection) -> None:
    load_iris(db)
    db.execute(
        "SELECT boost_train('iris', 'b', 'id', 'species', 'petal_length, petal_width', num_trees => 2, max_depth => 2)"
    )
    assert by_class(splits(page_values(db, "b"))[0], slice(None)) == {0: 50, 1: 50, 2: 50}


def test_rows_are_looked_at_only_where_they_may_be(db: psycopg.Connection) -> None:
    train_iris(db)
    assert "distributions" not in page_values(db, "iris_tree", evaluate=False)
    db.execute("DROP TABLE iris")
    told = page_values(db, "iris_tree")["distributions"]
    assert list(told) == ["note"]
    assert "iris" in told["note"]


def test_bars_are_drawn_on_their_sides_of_the_threshold(db: psycopg.Connection, show: Any) -> None:
    train_flawed(db, pruning_params="cp=-1")
    found = splits(page_values(db, "flawed"))
    features = dict(db.execute("SELECT node_id, feature FROM flawed_nodes WHERE NOT is_leaf").fetchall())
    page = show("flawed", {"color_scheme": "light"})
    for scheme, most_nodes in (("light", 2), ("dark", 1)):
        if scheme == "dark":
            page.emulate_media(color_scheme=scheme)
            page.reload()
        page.click("#expand")
        by_kind = groupby(sorted(found, key=lambda node: "ends" in found[node]), key=lambda node: "ends" in found[node])
        for is_across, nodes in by_kind:
            for node in [*nodes][:most_nodes]:
                check_bars(page, node, found[node], is_across, features[node])


def check_bars(page: Any, node: int, split: Split, is_across: bool, feature: str) -> None:
    """Hold what the page draws of a split against what it was told."""
    page.evaluate(f"document.querySelector('[data-node=\"{node}\"]').dispatchEvent(new Event('focus'))")
    titles = page.locator("#details .bin title").all_text_contents()
    assert [title.split(":")[0] for title in titles] == split["texts"]
    bars = page.eval_on_selector_all(
        "#details .bin",
        "(all) => all.map((bar) => [...bar.querySelectorAll('.share')]"
        ".map((each) => each.getBoundingClientRect().toJSON()))",
    )
    line = page.locator("#details .limit").bounding_box()
    at = line["x"] if is_across else line["y"]
    start, end = ("left", "right") if is_across else ("top", "bottom")
    for i, boxes in enumerate(bars):
        for box in boxes:
            is_before = box[end] <= at + 1 if i < split["left"] else box[start] >= at - 1
            assert is_before, (feature, i)
    tallest = max(math.fsum(box["height" if is_across else "width"] for box in boxes) for boxes in bars)
    most = max(sum(parts[1::2]) for parts in split["classes"])
    for boxes, parts in zip(bars, split["classes"], strict=True):
        drawn = math.fsum(box["height" if is_across else "width"] for box in boxes)
        assert drawn == pytest.approx(sum(parts[1::2]) / most * tallest, abs=0.5)
