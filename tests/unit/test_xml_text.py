"""Elements as text: as `xml.etree` writes them, and nothing that XML cannot hold."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import pytest

from madtree.errors import MadtreeError
from madtree.render.xml_text import XmlWriter

ODD = ["", "a", "<&>", 'it\'s "so"', "two\nlines", "tab\tand\rreturn", "é, 漢字, 😀", "]]>"]


def test_it_is_what_the_standard_library_writes() -> None:
    root = Element("Root", {"name": "é"})
    for text in ODD:
        child = SubElement(root, "Child", {"a": text, "b": text})
        SubElement(child, "Text").text = text
        SubElement(SubElement(child, "Inner"), "Empty")
    written = "".join(XmlWriter("m").whole(root, 1))
    ElementTree.indent(root, " ", 1)
    expected = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")
    assert written == f" {expected}\n"
    read = ElementTree.fromstring(written)
    assert [child.attrib["a"] for child in read] == ODD
    assert [child[0].text or "" for child in read] == ODD


def test_what_is_written_in_pieces_is_the_same() -> None:
    root = Element("Root", {"a": "<"})
    children = [Element("Child", {"n": str(number)}) for number in range(3)]
    root.append(children[0])
    write = XmlWriter("m")
    rest = (text for child in children[1:] for text in write.whole(child, 1))
    pieces = "".join(write.around(root, 0, rest))
    root.extend(children[1:])
    assert pieces == "".join(write.whole(root, 0))


@pytest.mark.parametrize("place", ["attribute", "text"])
def test_what_xml_cannot_hold_is_refused(place: str) -> None:
    element = Element("A", {"a": "x\x01"} if place == "attribute" else {})
    element.text = "x\x01"
    with pytest.raises(MadtreeError, match=r"m has a text that XML cannot hold, with U\+0001 in it"):
        list(XmlWriter("m").whole(element, 0))
