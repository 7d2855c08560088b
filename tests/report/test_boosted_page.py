"""The page of a boosted model: its losses by round, the best one marked, and its features' gains."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from madtree.report import build_report
from madtree.report.ensembles import MAX_ROUNDS

Show = Callable[..., Any]
STOPPED = {"validation_params": "fraction=0.3, n_iter_no_change=5", "learning_rate": 0.5, "num_trees": 60}


def grow(db: psycopg.Connection, y: str = "late", **more: Any) -> None:
    """A boosted model `b`."""
    db.execute(
        "CREATE TABLE rows AS SELECT i AS id, i % 2 AS half, sin(i) AS wave, i * 7919 % 100 AS noise, i % 7 AS day, "
        "sin(i) + i % 7 / 5.0 + i * 31 % 11 / 9.0 > 0.9 AS late, sin(i) + i % 7 / 5.0 AS delay "
        "FROM generate_series(1, 400) AS i"
    )
    more = {"num_trees": 8, **more}
    names = "".join(f", {name} => %({name})s" for name in more)
    call = f"SELECT madtree.boost_train('rows', 'b', 'id', '{y}', 'wave, noise, day', max_leaf_nodes => 4{names})"
    db.execute(call, more)  # type: ignore[arg-type]


def values_of(page: str) -> dict[str, Any]:
    text = page.split('<script type="application/json" id="values">')[1].split("</script>")[0]
    values: dict[str, Any] = json.loads(text)
    return values


def test_the_page_has_what_the_tables_say(db: psycopg.Connection) -> None:
    grow(db, grouping_cols="half", **STOPPED)
    values = values_of(build_report(db, "b"))
    groups = db.execute("SELECT n_rounds, n_trees, training_loss, validation_loss FROM b_group ORDER BY gid").fetchall()
    assert [boosted["group"] for boosted in values["ensembles"]] == ["half = 0", "half = 1"]
    for gid, (boosted, group) in enumerate(zip(values["ensembles"], groups, strict=True), 1):
        assert [boosted[name] for name in ("rounds", "trees", "training", "validation")] == pytest.approx(group)
        losses = db.execute(
            "SELECT round, training_loss, validation_loss FROM b_rounds WHERE gid = %s ORDER BY round", [gid]
        ).fetchall()
        assert boosted["losses"] == [pytest.approx(row) for row in losses]
        best = min(boosted["losses"][1:], key=lambda row: row[2])
        assert best[0] == boosted["rounds"] < len(losses) - 1
        assert boosted["loss"] == "log loss"
        assert boosted["importance"]["permuted"] is None
        assert sum(boosted["importance"]["shares"]) == pytest.approx(100)


def test_the_whole_model_is_offered_as_an_expression_and_unused_features_are_counted(db: psycopg.Connection) -> None:
    grow(db)
    db.execute("ALTER TABLE rows ADD nothing int")
    db.execute("SELECT madtree.boost_train('rows', 'c', 'id', 'late', 'wave, nothing', num_trees => 3)")
    page = build_report(db, "c")
    assert "SELECT madtree.boost_sql(&#x27;c&#x27;);" in page
    assert "tree_sql" not in page
    (boosted,) = values_of(page)["ensembles"]
    importance = boosted["importance"]
    assert [importance[name] for name in ("features", "unused", "others")] == [[0], 1, 0]


def test_no_more_rounds_are_drawn_than_can_be_told_apart(db: psycopg.Connection) -> None:
    grow(db)
    db.execute("INSERT INTO b_rounds SELECT 1, i, 0.5, 0.25 FROM generate_series(9, 4321) AS i")
    db.execute("UPDATE b_group SET n_rounds = 1234")
    (boosted,) = values_of(build_report(db, "b"))["ensembles"]
    rounds = [row[0] for row in boosted["losses"]]
    assert MAX_ROUNDS / 2 < len(rounds) <= MAX_ROUNDS
    assert {0, 1234, 4321} <= set(rounds)
    db.execute("DROP TABLE b_rounds")
    (boosted,) = values_of(build_report(db, "b"))["ensembles"]
    assert boosted["losses"] == []


def test_a_browser_draws_the_losses_and_marks_the_best_round(show: Show, db: psycopg.Connection) -> None:
    grow(db, **STOPPED)
    ((n_rounds,),) = db.execute("SELECT n_rounds FROM b_group").fetchall()
    page = show("b")
    assert page.locator("#ensemble-title").inner_text() == "Loss by round"
    assert page.locator("#ensemble path.curve").count() == 2
    assert page.locator("#ensemble .point title").text_content().startswith(f"Best round {n_rounds}: ")
    assert page.locator("#ensemble .best").text_content() == f"best: round {n_rounds}"
    assert page.locator("#ensemble .tile").count() == 4
    assert page.locator("#importance .bar").count() > 0
    before = page.locator("#details").inner_text()
    page.locator("#picker").select_option("2")
    assert page.locator("#details").inner_text() != before
    assert page.locator("#ensemble path.curve").count() == 2


def test_without_rows_held_out_no_round_is_marked(show: Show, db: psycopg.Connection) -> None:
    grow(db, "delay")
    page = show("b")
    assert page.locator("#ensemble path.curve").count() == 1
    assert page.locator("#ensemble .point, #ensemble .best").count() == 0
    assert page.locator("#ensemble .tile").count() == 3
    assert page.locator("#cp-section").is_hidden()


@pytest.mark.parametrize("y", ["late", "delay"])
def test_its_trees_say_what_they_add(db: psycopg.Connection, show: Show, y: str) -> None:
    grow(db, y)
    said = f"added to the raw score of {y}"
    (value,) = db.execute("SELECT prediction FROM b_nodes WHERE tree_id = 1 AND node_id = 0").fetchone()
    page = show("b")
    outcome = page.inner_text("#details .outcome")
    assert outcome.startswith(f"{said}: ")
    assert float(outcome.split(": ")[1].replace(",", "")) == pytest.approx(value, rel=1e-3, abs=1e-9)
    assert f"{said}: " in page.inner_text("#legend")
    assert "±" not in page.locator(".node .detail").first.text_content()
    assert "impurity" not in page.inner_text("#details dl")
    (text,) = db.execute("SELECT madtree.get_tree('b', 1, 1, false)").fetchone()
    assert text.splitlines()[1] == f" []: rows, {said}"
    (dot,) = db.execute("SELECT madtree.get_tree('b', 1, 1)").fetchone()
    assert dot.startswith(f'digraph "Boosted tree, {said}"')
    rules = db.execute("SELECT prediction, mean, sd FROM madtree.tree_rules('b', 1)").fetchall()
    leaves = db.execute("SELECT prediction FROM b_nodes WHERE tree_id = 1 AND is_leaf").fetchall()
    assert sorted(float(prediction) for prediction, _, _ in rules) == sorted(leaf for (leaf,) in leaves)
    assert {(mean, sd) for _, mean, sd in rules} == {(None, None)}
    last = db.execute(
        "SELECT explanation FROM tree_path('b', 'rows', '1', tree_id => 1) WHERE reason = 'leaf'"
    ).fetchone()
    assert last[0].endswith(said)


def test_of_many_classes_each_tree_names_its_own(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE rows AS SELECT i AS id, i % 10 AS x, 'c' || i % 3 AS y FROM generate_series(1, 300) AS i")
    db.execute("SELECT boost_train('rows', 'b', 'id', 'y', 'x', num_trees => 2)")
    said = [tree["says"] for tree in values_of(build_report(db, "b"))["trees"]]
    assert said == [f"added to the raw score of y = c{position}" for position in (0, 1, 2)] * 2
