"""Elements as text, each on lines of its own: what `xml.etree` writes after its `indent`, in a third of the time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from xml.etree.ElementTree import Element

from madtree.errors import MadtreeError
from madtree.render.mark import NOT_XML

LINES_AT_ONCE = 1_000  # in a piece of text
_ODD = re.compile(f'[&<>"\t\n\r]|{NOT_XML.pattern}')  # most texts have none of these
_IN_TEXTS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})  # a parser makes a line feed of \r
_IN_ATTRIBUTES = _IN_TEXTS | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#09;"})


class InlineTable(Element):
    """A table of categories and what they are mapped to, whose rows become text one by one: there may be very many.

    Attributes:
        rows: some categories each with the text to which they are mapped; None: each to itself.
    """

    def __init__(self, rows: Sequence[tuple[Sequence[str], str | None]]) -> None:
        super().__init__("InlineTable")
        self.rows = rows


class XmlWriter:
    """Writes elements as pieces of text, so that a large document is not held as elements.

    Methods raise MadtreeError where XML cannot hold a text.
    """

    def __init__(self, name: str, between: Callable[[], None] = lambda: None) -> None:
        """`name`: of the model, for errors; `between`: to be called by who makes many elements, after each."""
        self._name, self.between = name, between

    def whole(self, element: Element, level: int) -> Iterator[str]:
        """An element with all that is in it, some of it after the other."""
        parts: list[str] = []
        waiting: list[tuple[Element | str, int]] = [(element, level)]
        while waiting:
            item, depth = waiting.pop()
            if len(parts) >= LINES_AT_ONCE:
                yield "".join(parts)
                parts.clear()
            if isinstance(item, str):
                parts.append(item)
                continue
            pad, opening = " " * depth, self._opening(item)
            if isinstance(item, InlineTable) and any(own for own, _ in item.rows):
                parts.append(f"{pad}<{opening}>\n")
                waiting.append((f"{pad}</{item.tag}>\n", depth))
                for row in self._rows(item, f"{pad} "):
                    parts.append(row)
                    if len(parts) >= LINES_AT_ONCE:
                        yield "".join(parts)
                        parts.clear()
            elif len(item):
                parts.append(f"{pad}<{opening}>\n")
                waiting.append((f"{pad}</{item.tag}>\n", depth))
                waiting += [(child, depth + 1) for child in reversed(item)]
            elif item.text:
                parts.append(f"{pad}<{opening}>{self._text(item.text, _IN_TEXTS)}</{item.tag}>\n")
            else:
                parts.append(f"{pad}<{opening} />\n")
        yield "".join(parts)

    def around(self, element: Element, level: int, rest: Iterator[str]) -> Iterator[str]:
        """An element with what is in it and, behind that, the elements that `rest` writes."""
        yield f"{' ' * level}<{self._opening(element)}>\n"
        for child in element:
            yield from self.whole(child, level + 1)
        yield from rest
        yield f"{' ' * level}</{element.tag}>\n"

    def _rows(self, table: InlineTable, pad: str) -> Iterator[str]:
        for categories, to in table.rows:
            for category in categories:
                ends = (self._cell(name, text) for name, text in (("from", category), ("to", to or category)))
                yield f"{pad}<row>\n{''.join(f'{pad} {end}' for end in ends)}{pad}</row>\n"

    def _cell(self, tag: str, text: str) -> str:
        return f"<{tag}>{self._text(text, _IN_TEXTS)}</{tag}>\n" if text else f"<{tag} />\n"

    def _opening(self, element: Element) -> str:
        attributes = [f' {name}="{self._text(value, _IN_ATTRIBUTES)}"' for name, value in element.items()]
        return element.tag + "".join(attributes)

    def _text(self, text: str, escapes: dict[int, str]) -> str:
        if not _ODD.search(text):
            return text
        if found := NOT_XML.search(text):
            raise MadtreeError(
                f"model: {self._name} has a text that XML cannot hold, with U+{ord(found[0]):04X} in it: {text!r}",
                hint="madtree.tree_to_json writes it as it is.",
            )
        return text.translate(escapes)
