"""Array literals, for handing a column of values to the server as one text parameter."""

from __future__ import annotations

from collections.abc import Sequence


def integers(values: Sequence[int]) -> str:
    return joined(list(map(str, values)))


def floats(values: Sequence[float]) -> str:
    """Floats that read back to the same bits; NaN stands for NULL."""
    return joined(list(map(repr, values))).replace("nan", "NULL")


def texts(values: Sequence[str | None]) -> str:
    return joined([quoted(value) for value in values])


def rows_of_floats(flat: Sequence[float], width: int) -> str:
    """A text[] literal of float8[] literals of `width` elements each; NaN stands for NULL."""
    row = '"{' + ",".join(["%r"] * width) + '}"'
    count = len(flat) // width
    # One formatting of the whole is four times as fast as one a row.
    return (joined([row] * count) % tuple(flat)).replace("nan", "NULL")


def rows_of_texts(rows: Sequence[Sequence[str | None] | None]) -> str:
    """A text[] literal of text[] literals of any lengths, or NULLs."""
    known: dict[str | None, str] = {}
    elements: list[str] = []
    for row in rows:
        if row is None:
            elements.append("NULL")
            continue
        for value in row:
            if value not in known:
                # Escaped twice: as an element of its row, and within the row as an element of the whole.
                known[value] = _escaped(quoted(value))
        elements.append('"{' + ",".join([known[value] for value in row]) + '}"')
    return joined(elements)


def quoted(value: str | None) -> str:
    """One element: a text in double quotes, or NULL."""
    return "NULL" if value is None else '"' + _escaped(value) + '"'


def joined(elements: Sequence[str]) -> str:
    """The literal of elements that are text already."""
    return "{" + ",".join(elements) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
