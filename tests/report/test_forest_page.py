"""The page of a forest: its out-of-bag error, importances with their spread, and trees to choose from."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from madtree.errors import MadtreeError
from madtree.report import build_report

Show = Callable[..., Any]


def grow(db: psycopg.Connection, y: str = "late", **more: Any) -> None:
    """A forest `f`, of which the error of some numbers of trees is known."""
    db.execute("DROP TABLE IF EXISTS rows")
    db.execute(
        "CREATE TABLE rows AS SELECT i AS id, i % 2 AS half, sin(i) AS wave, i * 7919 % 100 AS noise, i % 7 AS day, "
        "sin(i) + i % 7 / 5.0 > 0.5 AS late, sin(i) + i % 7 / 5.0 AS delay FROM generate_series(1, 400) AS i"
    )
    more = {"num_trees": 8, **more}
    names = "".join(f", {name} => %({name})s" for name in more)
    db.execute(
        f"SELECT madtree.forest_train('rows', 'f', 'id', '{y}', 'wave, noise, day', "  # type: ignore[arg-type]
        f"max_tree_depth => 3, replace => true{names})",
        more,
    )
    db.execute("ALTER TABLE f ADD COLUMN IF NOT EXISTS oob_error float8")
    db.execute(
        "UPDATE f SET oob_error = CASE WHEN sample_id IN (1, 2, 4) THEN 0.5 / sample_id "
        "WHEN sample_id = 8 THEN (SELECT g.oob_error FROM f_group AS g WHERE g.gid = f.gid) END"
    )


def values_of(page: str) -> dict[str, Any]:
    text = page.split('<script type="application/json" id="values">')[1].split("</script>")[0]
    values: dict[str, Any] = json.loads(text)
    return values


def test_the_page_has_what_the_tables_say(db: psycopg.Connection) -> None:
    grow(db, grouping_cols="half")
    page = build_report(db, "f")
    values = values_of(page)
    groups = db.execute(
        "SELECT oob_error, oob_var_importance, oob_var_importance_sd FROM f_group ORDER BY gid"
    ).fetchall()
    assert [forest["group"] for forest in values["ensembles"]] == ["half = 0", "half = 1"]
    for forest, (error, permuted, spread) in zip(values["ensembles"], groups, strict=True):
        assert forest["error"] == pytest.approx(error)
        assert [trees for trees, _ in forest["curve"]] == [1, 2, 4, 8]
        assert forest["curve"][-1][1] == forest["error"]
        order = forest["importance"]["features"]
        assert forest["importance"]["permuted"] == pytest.approx([permuted[f] for f in order])
        assert forest["importance"]["permuted"] == sorted(forest["importance"]["permuted"], reverse=True)
        assert forest["importance"]["sd"] == pytest.approx([spread[f] for f in order])
        assert sum(forest["importance"]["shares"]) == pytest.approx(100)
    # The first tree of each forest, then the second of each.
    assert [(tree["gid"], tree["group"]) for tree in values["trees"]][:3] == [
        (1, "half = 0, tree 1"), (2, "half = 1, tree 1"), (1, "half = 0, tree 2"),
    ]  # fmt: skip
    # Trees have seen the training rows: nothing is measured on them.
    assert "metrics" not in values["figures"]
    assert "madtree.forest_predict(&#x27;f&#x27;" in page
    assert "Classification forest of late" in page
    assert [tree["id"] for tree in values_of(build_report(db, "f", trees=[7, 3]))["trees"]] == [3, 7]


def test_what_was_not_asked_for_is_left_out(db: psycopg.Connection) -> None:
    grow(db, "delay", importance=False)
    db.execute("UPDATE f SET oob_error = NULL")
    (forest,) = values_of(build_report(db, "f"))["ensembles"]
    assert forest["curve"] == []
    assert forest["importance"]["permuted"] is None
    assert forest["importance"]["sd"] is None
    assert len(forest["importance"]["shares"]) == 3


def test_a_tree_that_the_forest_does_not_have_is_told_with_those_that_it_has(db: psycopg.Connection) -> None:
    grow(db)
    with pytest.raises(MadtreeError, match="trees must be some of f's trees, 1 to 8, not 99") as caught:
        build_report(db, "f", trees=[2, 99])
    assert caught.value.hint is None


def test_a_single_tree_has_no_spread(db: psycopg.Connection) -> None:
    grow(db, num_trees=1)
    (forest,) = values_of(build_report(db, "f"))["ensembles"]
    assert None not in forest["importance"]["permuted"]
    assert forest["importance"]["sd"] == [None, None, None]


def test_a_browser_draws_no_spread_of_a_single_tree(show: Show, db: psycopg.Connection) -> None:
    grow(db, num_trees=1)
    page = show("f")
    assert page.locator("#importance .deviation").count() == 0
    assert page.locator("#importance title").first.text_content().endswith("standard deviation over the trees –")


@pytest.mark.parametrize("y", ["late", "delay"])
def test_a_browser_draws_the_curve_and_the_spread(show: Show, db: psycopg.Connection, y: str) -> None:
    grow(db, y)
    page = show("f")
    assert page.locator("#ensemble-section").is_visible()
    assert page.locator("#ensemble .point").count() == 4
    assert page.locator("#importance .permuted").count() == 3
    assert page.locator("#importance .deviation").count() % 3 == 0
    assert page.locator("#importance .deviation").count() > 0
    assert page.locator("#picker-label").inner_text().startswith("Tree")
    assert page.locator("#picker option").count() == 8
    before = page.locator("#details").inner_text()
    page.locator("#picker").select_option("3")
    assert page.locator("#details").inner_text() != before
    assert page.locator("#picker option:checked").inner_text().startswith("tree 4 ")
    assert page.locator("#ensemble .point").count() == 4
    # A tile for each number, and no figures of a single tree's.
    assert page.locator("#ensemble .tile").count() == (4 if y == "delay" else 3)
    assert page.locator("#cp-section").is_hidden()


def test_the_page_of_a_tree_has_nothing_of_it(show: Show, db: psycopg.Connection) -> None:
    grow(db)
    db.execute("SELECT madtree.tree_train('rows', 'm', 'id', 'late', 'wave, day')")
    page = show("m")
    assert page.locator("#ensemble-section").is_hidden()
    assert page.locator("#importance .bar").count() > 0


def test_each_groups_forest_has_its_own_figures(show: Show, db: psycopg.Connection) -> None:
    """Trees are numbered through all groups, forests by group: a tree of the first has the number of the second."""
    grow(db, grouping_cols="half")
    said = dict(
        db.execute(
            "SELECT tree_id, value FROM madtree.tree_evaluate('f', 'rows') "
            "WHERE metric = 'balanced_accuracy' AND tree_id IS NOT NULL"
        ).fetchall()
    )
    page = show("f", data="rows")
    for option in (0, 2, 1):  # tree 1 of half = 0, its tree 2, tree 1 of half = 1
        page.locator("#picker").select_option(str(option))
        gid = 1 + option % 2
        own = page.locator("#errors .block").nth(1)
        assert own.locator("h3").inner_text().endswith(f"half = {gid - 1}")
        accuracy = own.locator(".tile", has_text="balanced accuracy").locator("dd").inner_text()
        assert float(accuracy.rstrip(" %")) == pytest.approx(100 * said[gid], abs=0.1)
    assert page.locator("#errors .block h3").first.inner_text().endswith("all groups together")
    page.locator("#groups summary").click()
    assert page.locator("#groups th").all_inner_texts() == ["tree", "rows", "leaves", "depth"]


def test_nothing_is_said_of_rows_that_were_not_asked_for_however_wide_the_page(
    show: Show, db: psycopg.Connection
) -> None:
    grow(db)
    page = show("f")
    assert page.locator("#errors-section").is_hidden()
    page.set_viewport_size({"width": 390, "height": 700})
    page.wait_for_function("document.querySelector('#ensemble svg').getBoundingClientRect().width < 400")
    page.wait_for_timeout(300)
    assert page.locator("#errors-section").is_hidden()
