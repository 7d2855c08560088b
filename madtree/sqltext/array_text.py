"""Array literals, for handing a column of values to the server as one text parameter."""

from __future__ import annotations

from collections.abc import Sequence


def integers(values: Sequence[int]) -> str:
    return joined(list(map(str, values)))


def floats(values: Sequence[float] | Sequence[int]) -> str:
    """Floats that read back to the same bits; NaN stands for NULL."""
    return joined_floats(list(map(repr, values)))


def joined_floats(texts: Sequence[str]) -> str:
    """What `floats` makes of such texts of them."""
    return joined(texts).replace("nan", "NULL")


def texts(values: Sequence[str | None]) -> str:
    return joined([quoted(value) for value in values])


def rows_of_floats(flat: Sequence[float] | Sequence[int], width: int) -> str:
    """A text[] literal of float8[] literals of `width` elements each; NaN stands for NULL."""
    row = '"{' + ",".join(["%r"] * width) + '}"'
    count = len(flat) // width
    # One formatting of the whole is four times as fast as one a row.
    return (joined([row] * count) % tuple(flat)).replace("nan", "NULL")


def text_rows(rows: Sequence[Sequence[str | None] | None]) -> list[str]:
    """Of each row of texts, of any length, its text[] literal as an element of a text[] literal; or NULL."""
    escaped = _Escaped()
    return ["NULL" if row is None else '"{' + ",".join(map(escaped.__getitem__, row)) + '}"' for row in rows]


class _Escaped(dict[str | None, str]):
    """Texts escaped twice: as an element of a row, and within the row as an element of the whole."""

    def __missing__(self, value: str | None) -> str:
        self[value] = _escaped(quoted(value))
        return self[value]


def quoted(value: str | None) -> str:
    """One element: a text in double quotes, or NULL."""
    return "NULL" if value is None else '"' + _escaped(value) + '"'


def joined(elements: Sequence[str]) -> str:
    """The literal of elements that are text already."""
    return "{" + ",".join(elements) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
