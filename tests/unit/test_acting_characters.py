"""Characters in names and categories that change how a text is read are shown by their escapes."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

from madtree.client.result import Result
from madtree.render.labels import CONTROL, category_text, lines, one_line, quoted
from madtree.render.mark import document, text
from madtree.report.page import page

ACTING = ("\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\ufeff", "\u00ad", "\u2028", "\x1b", "\x9b", "\U000e0041")
NAME = "A{}B"


@pytest.mark.parametrize("character", ACTING, ids=ascii)
def test_it_is_shown_by_its_escape(character: str) -> None:
    name = NAME.format(character)
    escape = json.dumps(character)[1:-1]
    assert escape.startswith("\\u")
    for shown in (one_line(name), lines(name), quoted(name), category_text(name), text(0, 0, name, 12, "black")):
        assert f"A{escape}B" in shown
        assert not CONTROL.search(shown)
    assert character not in document(10, 10, name, [], "white")
    assert f"<td>A{escape}B</td>" in Result([name], [25], [(name,)])._repr_html_()
    assert lines(f"{name}\n{name}") == f"A{escape}B\nA{escape}B"


@pytest.mark.parametrize("character", [each for each in ACTING if each >= " "], ids=ascii)
def test_a_page_has_none_but_shows_their_escapes(character: str) -> None:
    name = NAME.format(character)
    places = (
        "name what made tiles picker heading picked listed notes parameters predict expression expression_note picture"
    )
    made = page(name, {"classes": [name]}, dict.fromkeys(places.split(), f"<p>{name}</p>\n<p></p>"))
    values = re.search(r'id="values">(.*?)</script>', made, re.DOTALL)
    assert values
    shown = f"A{json.dumps(character)[1:-1]}B"
    assert json.loads(values[1]) == {"classes": [shown]}
    assert f"<p>{shown}</p>\n<p></p>" in made
    assert f"<title>{shown}" in made
    assert name not in made


def test_all_that_change_the_order_are_among_them_and_what_languages_need_is_not() -> None:
    marks = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    every = map(chr, range(0x110000))
    found = {each for each in every if unicodedata.bidirectional(each) in marks} | set("\u200e\u200f\u061c")
    assert len(found) == 12
    assert all(CONTROL.fullmatch(each) for each in found)
    written = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f33e Stra\u00dfe"
    assert category_text(written) == one_line(written) == written
