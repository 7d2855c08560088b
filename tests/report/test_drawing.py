"""The drawn tree under a pointer, a finger and the keyboard."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from models import ODD, train_cars, train_iris, train_odd, train_places, write_chain, write_random
from training import train

from madtree.report import build_report

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def seen(page: Any) -> list[str]:
    """Numbers of the nodes that are drawn, in the order of reading."""
    return page.eval_on_selector_all("[role=treeitem]", "nodes => nodes.map(node => node.dataset.node)")


def node(page: Any, number: int) -> Any:
    return page.locator(f'[role=treeitem][data-node="{number}"]')


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.dataset.node")


def details(page: Any) -> str:
    return page.inner_text("#details")


def test_a_click_closes_a_node_and_another_opens_it(show_iris: Any) -> None:
    page = show_iris()
    assert seen(page) == ["0", "1", "2", "5", "6"]
    node(page, 2).click()
    assert seen(page) == ["0", "1", "2"]
    assert node(page, 2).get_attribute("aria-expanded") == "false"
    assert "2 leaves below" in node(page, 2).get_attribute("aria-label")
    node(page, 2).click()
    assert seen(page) == ["0", "1", "2", "5", "6"]
    node(page, 0).click()
    assert seen(page) == ["0"]


def test_a_tooltip_has_all_categories_of_a_list_that_is_cut(db: psycopg.Connection, show: Any) -> None:
    train_places(db)
    page = show("places")
    split = page.locator("#details strong").first
    assert split.inner_text().endswith(" more}")
    assert split.get_attribute("title").count("place number") == 50
    node(page, 2).hover()
    step = page.locator("#details li").first
    assert step.get_attribute("title").startswith("place not in {")
    assert step.get_attribute("title").count("place number") == 50
    page.locator("#outline summary").click()
    page.wait_for_selector(".outline tbody tr")
    assert page.locator("#outline td[title]").count() == 2


def test_nodes_move_to_their_places_when_motion_is_wanted(show_iris: Any) -> None:
    page = show_iris({"reduced_motion": "no-preference"})
    node(page, 2).click()
    node(page, 2).click()
    page.wait_for_timeout(500)
    places = page.eval_on_selector_all("[role=treeitem]", "nodes => nodes.map(node => node.getAttribute('transform'))")
    assert len(set(places)) == 5


def test_pointer_and_focus_tell_of_a_node(show_iris: Any) -> None:
    page = show_iris()
    assert "Node 0" in details(page)
    node(page, 5).hover()
    text = details(page)
    assert "Node 5 · leaf" in text
    assert "petal_length > 2.45" in text
    assert "petal_width <= 1.75" in text
    assert "species = versicolor" in text
    assert page.locator("#details tbody tr").all_inner_texts() == [
        " versicolor\t49\t90.7%",
        " virginica\t5\t9.3%",
    ]
    page.mouse.move(2, 2)
    assert "Node 0" in details(page)
    node(page, 6).focus()
    assert "Node 6 · leaf" in details(page)


def test_the_keyboard_walks_opens_and_closes(show_iris: Any) -> None:
    page = show_iris()
    page.focus("#zoom-in")
    page.keyboard.press("Tab")
    assert focused(page) == "0"
    steps = [
        ("ArrowRight", "0 1 2 5 6", "1"), ("ArrowDown", "0 1 2 5 6", "2"), ("End", "0 1 2 5 6", "6"),
        ("ArrowUp", "0 1 2 5 6", "5"), ("ArrowLeft", "0 1 2 5 6", "2"), ("ArrowLeft", "0 1 2", "2"),
        ("ArrowRight", "0 1 2 5 6", "2"), ("ArrowRight", "0 1 2 5 6", "5"), ("Home", "0 1 2 5 6", "0"),
        ("Enter", "0", "0"), ("Space", "0 1 2 5 6", "0"), ("ArrowUp", "0 1 2 5 6", "0"),
    ]  # fmt: skip
    for key, expected, at in steps:
        page.keyboard.press(key)
        assert (seen(page), focused(page)) == (expected.split(), at), key
    assert page.locator('[role=treeitem][tabindex="0"]').count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#tree')") is None


def test_the_focus_is_seen(show_iris: Any) -> None:
    page = show_iris()
    width = "node => getComputedStyle(node.querySelector('.card')).strokeWidth"
    before = node(page, 1).evaluate(width)
    page.focus("#zoom-in")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert float(node(page, 1).evaluate(width).removesuffix("px")) >= 4 > float(before.removesuffix("px"))


def test_a_node_out_of_sight_is_moved_into_it(show_whole: Any) -> None:
    page = show_whole()
    page.click("#expand")
    node(page, 0).focus()
    page.keyboard.press("End")
    frame, box = page.locator("#tree").bounding_box(), node(page, int(focused(page))).bounding_box()
    assert frame["x"] <= box["x"]
    assert box["x"] + box["width"] <= frame["x"] + frame["width"]
    assert frame["y"] <= box["y"]
    assert box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_roles_and_words_for_screen_readers(show_iris: Any) -> None:
    page = show_iris()
    assert page.get_by_role("tree", name="Decision tree").count() == 1
    root = page.get_by_role("treeitem", name="Root; splits by petal_length <= 2.45; predicts setosa", expanded=True)
    assert root.get_attribute("aria-level") == "1"
    leaf = page.get_by_role("treeitem", name="no, petal_width > 1.75; leaf; predicts virginica; 46 rows")
    assert [leaf.get_attribute(name) for name in ("aria-level", "aria-posinset", "aria-setsize", "aria-expanded")] == [
        "3", "2", "2", None,
    ]  # fmt: skip


def test_edges_are_as_wide_as_their_share_of_rows(show_iris: Any) -> None:
    page = show_iris()
    widths = page.eval_on_selector_all(".edge", "edges => edges.map(edge => Number(edge.getAttribute('stroke-width')))")
    assert sorted(widths) == pytest.approx([16 * rows / 150 for rows in (46, 50, 54, 100)])


def test_zoom_and_drag_move_the_drawing(show_iris: Any) -> None:
    page = show_iris()
    width = lambda: node(page, 0).bounding_box()["width"]  # noqa: E731
    before = width()
    page.click("#zoom-out")
    assert width() == pytest.approx(before / 1.3, rel=0.02)
    page.click("#zoom-in")
    page.mouse.move(300, 560)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert width() > before * 1.1
    page.click("#fit")
    at = node(page, 0).bounding_box()
    frame = page.locator("#tree").bounding_box()
    x, y = frame["x"] + 30, frame["y"] + 30
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 20)
    page.mouse.up()
    moved = node(page, 0).bounding_box()
    assert (moved["x"] - at["x"], moved["y"] - at["y"]) == pytest.approx((60, 20), abs=1)


def layouts(page: Any) -> int:
    """How often the browser has laid the page out, which is what makes drawing slow."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return int(metrics["LayoutCount"])


def test_a_large_tree_begins_closed_and_stays_quick(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_random(db, schema, "big", depth=20, split_share=0.74, seed=10, classes=())
    leaves = db.execute("SELECT n_leaves, tree_depth FROM big").fetchone()
    assert leaves == (2054, 20)
    page = show("big")
    assert len(seen(page)) <= 31
    before = layouts(page)
    page.click("#expand")
    assert layouts(page) - before < 50  # and not one for each node
    assert len(seen(page)) == 2 * 2054 - 1
    node(page, 0).focus()
    page.keyboard.press("End")
    page.click("#collapse")
    assert seen(page) == ["0", "1", "2"]


def test_a_tree_of_depth_60_can_be_opened_to_its_last_leaf(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_chain(db, schema, "m")
    page = show("m")
    page.click("#expand")
    node(page, 0).focus()
    page.keyboard.press("End")
    assert "Node 2305843009213693950 · leaf" in details(page)
    assert page.locator("#details ol li").count() == 60


def test_a_tree_of_one_leaf(db: psycopg.Connection, show: Any) -> None:
    db.execute("CREATE TABLE t AS SELECT i AS id, i AS x, true AS y FROM generate_series(1, 30) AS i")
    train(db, "t", "stump", "y", "x")
    page = show("stump")
    assert seen(page) == ["0"]
    node(page, 0).click()
    assert "Node 0 · leaf" in details(page)
    assert page.inner_text("#importance") == "1 feature of no importance"


def test_another_group_is_chosen(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, grouping_cols="cyl", min_bucket=1)
    page = show("cars_tree")
    options = page.locator("#picker option").all_inner_texts()
    assert options == ["cyl = 8 · 14 rows", "cyl = 4 · 11 rows", "cyl = 6 · 7 rows"]
    assert "14" in node(page, 0).get_attribute("aria-label")
    page.select_option("#picker", label="cyl = 6 · 7 rows")
    assert "7 rows" in node(page, 0).get_attribute("aria-label")
    assert page.get_by_role("tree", name="Decision tree, cyl = 6").count() == 1
    page.click("#groups summary")
    page.get_by_role("button", name="cyl = 4").click()
    assert "11 rows" in node(page, 0).get_attribute("aria-label")
    assert page.input_value("#picker") == "1"


def test_a_group_without_a_tree_says_so(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_random(db, schema, "m", depth=2, groups=2)
    db.execute("DELETE FROM m_nodes WHERE tree_id = 0")
    db.execute("UPDATE m SET n_nodes = 0, n_leaves = 0, n_rows = 0, message = 'nothing to learn' WHERE tree_id = 0")
    page = show("m")
    page.select_option("#picker", index=1)
    assert details(page) == "nothing to learn"
    assert seen(page) == []
    assert page.locator(".toolbar button:enabled").count() == 0
    page.emulate_media(media="print")
    page.emulate_media(media="screen")
    page.select_option("#picker", index=0)
    assert page.locator(".toolbar button:disabled").count() == 0
    assert len(seen(page)) == 7


@pytest.mark.parametrize("model", ["odd", "wide", "regression"])
def test_nothing_runs_over_a_phone(db: psycopg.Connection, schema: str, show: Any, model: str) -> None:
    name = model
    if model == "odd":
        name = train_odd(db)
    elif model == "wide":
        write_random(db, schema, name, depth=6, classes=tuple(f"class number {i}" for i in range(50)), groups=3)
    else:
        train_cars(db, pruning_params="n_folds=5")
        name = "cars_tree"
    page = show(name, PHONE)
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("visualViewport.scale") == 1
    before = len(seen(page))
    node(page, 0).tap()
    assert len(seen(page)) == 1 < before


def test_odd_names_are_text(db: psycopg.Connection, show: Any) -> None:
    page = show(train_odd(db))
    assert page.inner_text("h1") == '"M </script> <b>"'
    body = page.inner_text("body")
    assert ODD.replace('"', '""') in body
    assert "</script><script>alert(1)</script>" in body
    assert '""' in page.inner_text("#legend")  # the empty class
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_what_is_below_them(show_iris: Any, scheme: str) -> None:
    page = show_iris({"color_scheme": scheme})
    pairs = [
        ("body", "color", "body", "backgroundColor"),
        (".what", "color", "body", "backgroundColor"),
        (".node .heading", "fill", ".node .card", "fill"),
        (".is-leaf .detail", "fill", ".is-leaf .card", "fill"),
    ]
    for text, ink, below, paper in pairs:
        colours = [
            page.eval_on_selector(selector, f"element => getComputedStyle(element).{style}")
            for selector, style in ((text, ink), (below, paper))
        ]
        assert contrast(*colours) >= 4.5, (text, colours)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio of two colours as rgb(r, g, b)."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_paper_shows_a_small_tree_open(show_iris: Any) -> None:
    page = show_iris()
    node(page, 0).click()
    page.emulate_media(media="print")
    page.wait_for_selector('[role=treeitem][data-node="5"]', state="attached")
    assert seen(page) == ["0", "1", "2", "5", "6"]
    assert page.locator(".toolbar").is_hidden()
    assert page.locator("#outline").is_hidden()
    page.emulate_media(media="screen")
    page.wait_for_selector('[role=treeitem][data-node="5"]', state="detached")
    assert seen(page) == ["0"]


def test_paper_shows_the_rest_of_a_large_tree_as_a_table(show_whole: Any) -> None:
    page = show_whole()
    page.emulate_media(media="print")
    page.wait_for_selector(".outline tbody tr")
    assert page.locator(".outline tbody tr:visible").count() == 255
    assert page.inner_text("#print-note") == "The drawing has the upper 13 of 255 nodes, the table all."
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")
    page.wait_for_selector("#outline:not([open])")


def test_the_table_has_every_node(show_iris: Any) -> None:
    page = show_iris()
    page.click("#outline summary")
    assert [row.split("\t")[:5] for row in page.locator(".outline tbody tr").all_inner_texts()] == [
        ["0", "(all)", "150", "setosa", "33.3%"],
        ["1", "petal_length <= 2.45", "50", "setosa ●", "100%"],
        ["2", "petal_length > 2.45", "100", "versicolor", "50%"],
        ["5", "petal_width <= 1.75", "54", "versicolor ●", "90.7%"],
        ["6", "petal_width > 1.75", "46", "virginica ●", "97.8%"],
    ]


def test_without_scripts_there_is_a_still_picture(db: psycopg.Connection, browser: Any, tmp_path: Any) -> None:
    train_iris(db)
    file = tmp_path / "report.html"
    file.write_text(build_report(db, "iris_tree"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("noscript svg").is_visible()
    assert page.locator(".toolbar").is_hidden()
    context.close()
