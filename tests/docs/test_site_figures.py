"""The figures of the documentation are what the scripts draw from the learner's own computations.

`MADTREE_UPDATE_DOCS=1 pytest tests/docs` writes them anew; run it twice where a page's numbers have changed, too.
"""

from __future__ import annotations

import os
import re
from xml.etree import ElementTree

import pytest
from pages import DOCS
from sitegen.figures import DIRECTORY, draw_all
from sitegen.figures.cpcurve import rows_of
from sitegen.figures.forestcosts import costs_of
from sitegen.figures.surrogate import homes

FIGURES = draw_all()


@pytest.mark.parametrize("name", FIGURES)
def test_the_file_is_what_is_drawn(name: str) -> None:
    file = DIRECTORY / name
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        file.write_text(FIGURES[name])
    assert file.read_text() == FIGURES[name]


@pytest.mark.parametrize("name", FIGURES)
def test_words_stay_within_the_picture(name: str) -> None:
    root = ElementTree.fromstring(FIGURES[name])
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        size, text = float(element.attrib["font-size"]), element.text or ""
        reach = {"middle": 0.5, "end": 1.0}.get(element.attrib.get("text-anchor", ""), 0.0)
        left = float(element.attrib["x"]) - reach * 0.55 * size * len(text)
        assert left >= 0, text
        assert left + 0.55 * size * len(text) <= width, text
        assert size <= float(element.attrib["y"]) <= height - 2, text


def test_every_figure_is_shown_and_every_picture_has_words_for_those_who_do_not_see_it() -> None:
    shown = [
        match
        for page in DOCS.rglob("*.md")
        for match in re.findall(r"!\[(.*?)\]\((?:\.\./)?figures/(.*?)\)", page.read_text())
    ]
    assert {name for _, name in shown} == set(FIGURES) == {path.name for path in DIRECTORY.iterdir()}
    assert all(len(words) > 20 for words, _ in shown)


def test_a_page_without_its_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cp table"):
        rows_of("nothing here")
    with pytest.raises(ValueError, match="no table of costs"):
        costs_of("nothing here")


def test_the_surrogates_picture_has_the_agreement_that_the_page_prints() -> None:
    page = (DOCS / "missing-values.md").read_text()
    printed = re.search(r"^ +0 \| +1 \| area +\| +109\.5 \| t +\| +([\d.]+)", page, re.MULTILINE)
    assert printed
    with_rooms = sum(i % 50 != 7 for i in range(1, 401))
    alike = sum((area <= 109.5) == (rooms <= 5.5) for area, rooms in homes())
    assert round(alike / with_rooms, 3) == float(printed[1])
