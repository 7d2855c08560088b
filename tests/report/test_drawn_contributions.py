"""What features contribute, on the page: what it is told, and what a browser draws of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from models import train_iris

from madtree.report import build_report, contributions

Show = Callable[..., Any]
MAKE = """
CREATE TABLE trips AS SELECT i AS id, i % 2 AS half, CASE WHEN i % 11 > 0 THEN sin(i) END AS wave,
    i * 7919 % 100 AS noise, 'c' || i % 3 AS colour, date '2024-01-01' + i * 31 % 90 AS day,
    sin(i) * 3 + i % 3 + (i * 31 % 90) / 30.0 AS delay
FROM generate_series(1, 900) AS i
"""
FEATURES = ["wave", "noise", "colour", "day"]


def grow(db: psycopg.Connection, kind: str = "tree", y: str = "delay", **more: Any) -> None:
    """A model `m`."""
    db.execute(MAKE)
    names = "".join(f", {name} => %s" for name in more)
    features = ", ".join(FEATURES)
    db.execute(
        f"SELECT madtree.{kind}_train('trips', 'm', 'id', %s, '{features}'{names})",  # type: ignore[arg-type]
        [y, *more.values()],
    )


def values_of(page: str) -> dict[str, Any]:
    text = page.split('<script type="application/json" id="values">')[1].split("</script>")[0]
    values: dict[str, Any] = json.loads(text)
    return values


@pytest.mark.parametrize("kind", ["tree", "boost"])
def test_the_page_has_what_tree_shap_says(db: psycopg.Connection, kind: str) -> None:
    grow(db, kind, **({"num_trees": 5} if kind == "boost" else {}), grouping_cols="half")
    values = values_of(build_report(db, "m", row=77))
    told = values["contributions"]
    names = [values["features"][place] for place in told["features"]]
    db.execute("SELECT madtree.tree_shap('m', 'trips', 'why')")
    why = db.execute("SELECT id::text, expected, wave, noise, colour, day FROM why").fetchall()
    by_id = {row[0]: dict(zip(("expected", *FEATURES), row[1:], strict=True)) for row in why}
    (output,) = told["outputs"]
    assert told["rows"] == contributions.MOST_ROWS == len(set(told["ids"][:-1]))
    assert (told["ids"][-1], told["chosen"], told["type"]) == ("77", True, "raw" if kind == "boost" else "response")
    assert output["class"] is None
    for number, id_ in enumerate(told["ids"]):
        row = by_id[id_]
        assert output["expected"][number] == pytest.approx(row["expected"], rel=1e-4)
        for place, name in enumerate(names):
            assert output["terms"][place][number] == pytest.approx(row[name], rel=1e-4, abs=1e-12)
        assert output["rest"][number] == pytest.approx(
            sum(row[name] for name in FEATURES if name not in names), abs=1e-6
        )
    sizes = [sum(map(abs, output["terms"][place])) for place in range(len(names))]
    assert sizes == sorted(sizes, reverse=True)
    assert told["others"] == 4 - len(names)
    shown = dict(db.execute("SELECT id::text, day::text FROM trips").fetchall())
    assert told["texts"][names.index("day")] == [shown[id_] for id_ in told["ids"]]
    assert told["numbers"][names.index("colour")] is None
    assert told["numbers"][names.index("wave")][-1] is None
    for name, dependence in zip(names, told["dependences"], strict=True):
        call = f"madtree.partial_dependence('m', 'trips', '{name}', grid_size => 25, max_rows => 500)"
        wanted = db.execute(f"SELECT value, number, estimated FROM {call}").fetchall()  # type: ignore[arg-type]
        assert dependence["texts"] == [row[0] for row in wanted]
        assert dependence["numbers"] == ([row[1] for row in wanted] if name != "colour" else None)
        assert dependence["outputs"] == [pytest.approx([row[2] for row in wanted], rel=1e-4)]
        if name == "colour":  # whose values have no order
            assert "effects" not in dependence
            continue
        call = call.replace("grid_size", "accumulated => true, grid_size")
        wanted = db.execute(f"SELECT number, estimated FROM {call} ORDER BY number").fetchall()  # type: ignore[arg-type]
        assert dependence["effects"]["numbers"] == [row[0] for row in wanted]
        assert dependence["effects"]["outputs"] == [pytest.approx([row[1] for row in wanted], rel=1e-4)]


def test_several_classes_can_be_chosen_from(db: psycopg.Connection) -> None:
    train_iris(db)
    told = values_of(build_report(db, "iris_tree"))["contributions"]
    assert [output["class"] for output in told["outputs"]] == ["setosa", "versicolor", "virginica"]
    assert (told["chosen"], told["rows"], told["type"]) == (False, 150, "prob")
    for dependence in told["dependences"]:
        assert [sum(each) for each in zip(*dependence["outputs"], strict=True)] == pytest.approx(
            [1] * len(dependence["texts"]), abs=1e-3
        )
    for number in range(150):  # probabilities of a row add up to 1
        ends = [
            output["expected"][number] + output["rest"][number] + sum(own[number] for own in output["terms"])
            for output in told["outputs"]
        ]
        assert sum(ends) == pytest.approx(1, abs=1e-3)


def test_what_there_is_not_is_said(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(db)
    assert "contributions" not in values_of(build_report(db, "m", evaluate=False))
    monkeypatch.setattr(contributions, "MOST_ASKED", 3)
    assert values_of(build_report(db, "m"))["contributions"]["note"].endswith("models of at most 3 features.")
    monkeypatch.undo()
    monkeypatch.setattr(contributions, "find_spec", lambda name: None)
    assert "needs numpy" in values_of(build_report(db, "m"))["contributions"]["note"]
    monkeypatch.undo()
    db.execute("UPDATE trips SET colour = 'c' || id")  # more categories than are drawn
    told = values_of(build_report(db, "m"))["contributions"]
    assert [each is None for each in told["dependences"]] == [numbers is None for numbers in told["numbers"]]
    db.execute("DELETE FROM trips")
    assert values_of(build_report(db, "m"))["contributions"]["note"] == "No row of trips has a tree that predicts it."
    db.execute("DROP TABLE trips")
    values = values_of(build_report(db, "m"))
    assert values["contributions"]["note"] == values["figures"]["note"]


def test_a_browser_draws_rows_a_feature_and_a_row(show: Show, db: psycopg.Connection) -> None:
    grow(db)
    page = show("m", row=77)
    section = page.locator("#contributions")
    swarm, single = (section.locator("svg").nth(number) for number in range(2))
    names = swarm.locator("text.feature").all_text_contents()
    assert swarm.locator("circle").count() == 601 * len(names)
    assert section.locator("h3").all_inner_texts() == ["Of each row", "Of the row 77", f"By {names[0]}"]
    labels = single.locator("text.feature").all_text_contents()
    assert (labels[0], labels[-1]) == ("expected", "prediction")
    db.execute("SELECT madtree.tree_predict('m', 'trips', 'predicted')")
    ((predicted,),) = db.execute("SELECT estimated_delay FROM predicted WHERE id = 77").fetchall()
    assert float(single.locator("text.said").last.text_content()) == pytest.approx(predicted, rel=5e-3)
    section.locator("select").first.select_option(label="colour")
    assert section.locator("h3").nth(2).inner_text() == "By colour"
    assert section.locator("svg").count() == 4
    assert section.locator("svg").nth(3).locator("circle").count() == 3
    assert section.locator("path.effects").count() == 0
    assert {"c0", "c1", "c2"} <= {*section.locator("svg").nth(2).locator(".axis text").all_text_contents()}
    section.locator("svg").first.locator("circle").nth(5).click(force=True)
    assert section.locator("h3").nth(1).inner_text() != "Of the row 77"
    section.locator("select").first.select_option(label="wave")
    drawn = [section.locator(f"path.curve{which}").get_attribute("d") for which in (":not(.effects)", ".effects")]
    solid, dashed = ([float(y) for y in re.findall(r",([-0-9.]+)", line or "")] for line in drawn)
    assert len(solid) == 25
    assert 2 <= len(dashed) <= 25
    # Features that do not go together: both lines tell the same, and lie on each other but for what few rows do.
    assert max(solid) - min(solid) > 100
    assert abs(sum(solid) / len(solid) - sum(dashed) / len(dashed)) < 20
    assert "Broken line: accumulated effects" in section.locator("p.hint").first.inner_text()
    section.locator("select").first.select_option(label="day")
    page.set_viewport_size({"width": 360, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_is_the_same_everywhere_has_an_axis_with_room(show: Show, db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("CREATE VIEW once AS SELECT * FROM trips WHERE id = 7")
    db.execute("SELECT madtree.boost_train('once', 'm', 'id', 'delay', 'wave, day', num_trees => 2)")
    page = show("m")
    ticks = page.locator("#contributions .axis text, #ensemble .axis text").all_text_contents()
    numbers = [tick for tick in ticks if not tick.startswith("2024")]
    assert len(numbers) > 12
    assert max(map(len, numbers)) <= 4
    assert "All contributions of a row add up to its score." in page.locator("#contributions p.hint").last.inner_text()
    assert page.locator("#picker option").first.text_content().endswith(" 1 row")


def test_timestamps_are_told_by_their_days_and_do_not_overlap(show: Show, db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute(
        "CREATE VIEW timed AS SELECT *, timestamptz '2024-01-01 07:00+00' + id * interval '1 hour' AS at FROM trips"
    )
    db.execute(
        "SELECT madtree.boost_train('timed', 'm', 'id', 'id % 71', 'at', num_trees => 2, offsets => 'wave', "
        "classification => false)"
    )
    page = show("m")
    section = page.locator("#contributions")
    for number in (2, 3):
        ticks = section.locator("svg").nth(number).locator("g.axis").last.locator("text")
        boxes = [ticks.nth(at).bounding_box() for at in range(ticks.count())]
        assert len(boxes) > 2
        assert all(re.fullmatch(r"2024-\d\d-\d\d", text) for text in ticks.all_text_contents())
        assert all(one["x"] + one["width"] < other["x"] for one, other in pairwise(boxes))
    assert section.locator("svg").nth(1).locator("text.feature").last.text_content() == "score without its offset"


def test_what_is_left_is_no_rounding() -> None:
    assert contributions._rest(0.1 + 0.2, [0.1, 0.2 + 1e-17, 0.0]) == 0.0
    assert contributions._rest(0.3 + 5.55e-17, [0.1, 0.2]) == 0.0
    assert contributions._rest(0.5, [0.1, 0.2]) == pytest.approx(0.2)
    assert contributions._rest(0.25, []) == 0.25
