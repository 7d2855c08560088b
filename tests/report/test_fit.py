"""How much of a tree is drawn, where, and whether it can be read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import psycopg
import pytest
from models import LEVELS, train_cars, write_chain, write_random
from training import train

# Of every node that is drawn: its number, the box of its card in px of the window, its depth.
CARDS = """() => [...document.querySelectorAll("[role=treeitem]")].map((node) => {
  const { x, y, width, height } = node.querySelector(".card").getBoundingClientRect();
  return { number: node.dataset.node, x, y, width, height, depth: Number(node.getAttribute("aria-level")) };
})"""
DESKTOP, PHONE = {"viewport": {"width": 1400, "height": 900}}, {"viewport": {"width": 390, "height": 844}}


def cards(page: Any) -> list[dict[str, Any]]:
    return page.evaluate(CARDS)


def outside(page: Any) -> list[str]:
    """Numbers of the nodes that are not wholly in sight."""
    frame = page.locator("#tree").bounding_box()
    right, bottom = frame["x"] + frame["width"], frame["y"] + frame["height"]
    return [
        card["number"]
        for card in cards(page)
        if card["x"] < frame["x"]
        or card["y"] < frame["y"]
        or card["x"] + card["width"] > right
        or card["y"] + card["height"] > bottom
    ]


def smallest_letters(page: Any) -> float:
    """Height of the smallest text in a card, in px of the window."""
    size = "(text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"
    return page.eval_on_selector_all(".node text", f"(all) => Math.min(...all.map({size}))")


def leaves_in_sight(page: Any) -> tuple[int, int]:
    """How many leaves are drawn, and how many the signs say are below closed nodes."""
    signs = page.locator(".is-closed .sign text").all_text_contents()
    below = sum(int(text.removeprefix("+ ").split()[0].replace(",", "")) for text in signs)
    return page.locator(".node.is-leaf").count(), below


@pytest.mark.parametrize("context", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_is_seen_at_first_and_by_fit_can_be_read(show_whole: Any, context: dict[str, Any]) -> None:
    page = show_whole(context)
    assert page.locator("#tree").bounding_box()["height"] == pytest.approx(0.7 * context["viewport"]["height"], abs=1)
    for button in (None, "#expand"):
        if button:
            page.click(button)
            assert len(cards(page)) == 255
            page.click("#fit")
        assert outside(page) == []
        assert smallest_letters(page) >= 8
        drawn, below = leaves_in_sight(page)
        assert drawn + below == 128
        assert 7 <= len(cards(page)) < 40
    closed = page.locator(".node.is-closed").first
    number = closed.get_attribute("data-node")
    closed.click()
    kids = {str(2 * int(number) + 1), str(2 * int(number) + 2)}
    assert kids <= {card["number"] for card in cards(page)}
    assert not {number, *kids} & set(outside(page))


def test_fit_leaves_what_fits_as_it_is(show_iris: Any) -> None:
    page = show_iris(DESKTOP)
    page.click('[data-node="2"]')
    page.click("#zoom-in")
    page.click("#fit")
    assert [card["number"] for card in cards(page)] == ["0", "1", "2"]
    assert outside(page) == []


def test_fit_goes_no_deeper_than_there_is_room(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_chain(db, schema, "m")
    page = show("m", DESKTOP)
    page.click("#expand")
    assert outside(page) == []
    page.click("#fit")
    assert outside(page) == []
    assert sum(leaves_in_sight(page)) == 61
    assert smallest_letters(page) >= 8


@pytest.mark.parametrize("as_list", [False, True])
def test_expand_all_stays_in_its_mode(show_whole: Any, as_list: bool) -> None:
    page = show_whole(DESKTOP)
    if as_list:
        page.click("#turn")
    page.click("#expand")
    assert page.get_attribute("#turn", "aria-pressed") == str(as_list).lower()
    shown = cards(page)
    assert len(shown) == 255
    levels = {round(card["y"]) for card in shown}
    assert len(levels) == (255 if as_list else 8)
    if not as_list:
        assert outside(page) == []
        note = page.locator("#afar").bounding_box()
        assert min(card["y"] for card in shown) > note["y"] + note["height"]


def test_no_card_covers_another(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_random(db, schema, "m", depth=9, split_share=0.8, seed=3, classes=("no", "a class of a longer name"))
    page = show("m", DESKTOP)
    for _ in range(2):
        shown = cards(page)
        assert len(shown) > 10
        for depth in {card["depth"] for card in shown}:
            level = sorted((card for card in shown if card["depth"] == depth), key=lambda card: card["x"])
            assert all(left["x"] + left["width"] < right["x"] for left, right in pairwise(level))
        page.click("#expand")


def test_another_width_of_the_window_cuts_nothing_off(show_whole: Any) -> None:
    page = show_whole(DESKTOP)
    before = len(cards(page))
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_function("document.querySelector('.node .card').getBoundingClientRect().right < 800")
    assert len(cards(page)) == before
    assert outside(page) == []


def test_a_click_from_afar_comes_nearer(show_whole: Any) -> None:
    page = show_whole(DESKTOP)
    page.click("#expand")
    box = page.locator('[data-node="200"] .card').bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "Node 200" in page.inner_text("#details")
    assert page.locator('[data-node="200"] .heading').is_visible()
    assert "200" not in outside(page)
    assert smallest_letters(page) >= 8
    assert page.locator("#afar").is_hidden()


def test_words_take_the_room_that_there_is(db: psycopg.Connection, schema: str, show: Any) -> None:
    long = LEVELS["colour"][3]
    db.execute(
        f"CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN '{long}' ELSE 'red' END AS colour, "
        "i % 2 = 0 AS y FROM generate_series(1, 100) AS i".encode()
    )
    train(db, "t", "m", "y", "colour")
    page = show("m", DESKTOP)
    for _ in range(2):
        assert page.locator('[data-node="0"] .heading').text_content() == f"colour in {{{long}}}"
        page.click("#turn")
    phone = show("m", PHONE)
    assert phone.locator('[data-node="0"] .heading').text_content().endswith("…")
    assert outside(phone) == []


def test_the_details_scroll_to_the_last_class(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_random(db, schema, "m", depth=2, classes=tuple(f"class {i}" for i in range(50)))
    page = show("m", DESKTOP)
    shown = page.locator("#details tbody tr").count()
    (weights,) = db.execute("SELECT class_weights FROM m_nodes WHERE node_id = 0").fetchone()
    assert shown == sum(weight > 0 for weight in weights) > 30
    last = page.locator("#details tbody tr").last
    panel = page.locator("#details").bounding_box()
    assert last.bounding_box()["y"] > panel["y"] + panel["height"]
    page.focus("#details")
    page.keyboard.press("End")
    page.wait_for_function(
        "() => { const panel = document.getElementById('details'); "
        "return panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 1; }"
    )
    box = last.bounding_box()
    assert box["y"] + box["height"] <= panel["y"] + panel["height"]


def test_numbers_in_cards_are_short(db: psycopg.Connection, show: Any) -> None:
    train_cars(db)
    page = show("cars_tree", DESKTOP)
    assert page.locator('[data-node="0"] .detail').text_content() == "32 rows · 20.09 ± 5.93"
    assert "mpg = 20.0906" in page.inner_text("#details")
