"""Rows that a query returned, in the shape that the caller's library likes."""

from __future__ import annotations

import html
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload
from unicodedata import normalize

from madtree.client.calls import CallError
from madtree.host import read_json
from madtree.render.labels import lines
from madtree.wording import count_text

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import psycopg
    import pyarrow as pa

    from madtree.engine import Answer

RowT = TypeVar("RowT")  # one of those in functions.pyi, for editors and type checkers

_BOOL, _INTS, _FLOATS, _TEXTS = 16, (21, 23, 20), (700, 701), (25, 1043, 19)  # type OIDs, fixed in PostgreSQL
_JSON = 114
_SHOWN = 20  # rows that a notebook shows


class Result(Sequence[RowT], Generic[RowT]):
    """Rows as named tuples, and the same as arrays or data frames.

    A column whose name is no identifier of Python's, or another's too, is `_0`, `_1`, ... in the tuples, by its place.

    Attributes:
        columns: their names.
        types: OIDs of their PostgreSQL types.
    """

    def __init__(self, columns: Sequence[str], types: Sequence[int], rows: Sequence[Any]) -> None:
        self.columns, self.types = tuple(columns), tuple(types)
        self._rows = list(rows)

    @classmethod
    def of(cls, cursor: psycopg.Cursor[Any]) -> Result[Any]:
        """The rows of a statement that was executed."""
        described = cursor.description or []
        names = [column.name for column in described]
        return cls(names, [column.type_code for column in described], _named(names, cursor if described else []))

    @classmethod
    def of_answer(cls, answer: Answer) -> Result[Any]:
        """The rows that the client's engine answers with."""
        is_json = [oid == _JSON for oid in answer.types]
        rows = ((read_json(v) if own else v for v, own in zip(row, is_json, strict=True)) for row in answer.rows)
        return cls(answer.columns, answer.types, _named(answer.columns, rows))

    @overload
    def __getitem__(self, index: int) -> RowT: ...
    @overload
    def __getitem__(self, index: slice) -> Result[RowT]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Result(self.columns, self.types, self._rows[index])
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[RowT]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and (self.columns, self._rows) == (other.columns, other._rows)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Result({count_text(len(self), 'row')} of {', '.join(self.columns)})"

    def column(self, name: str) -> list[Any]:
        """The values of one column. Raises KeyError if there is none of that name."""
        if name not in self.columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}")
        place = self.columns.index(name)
        return [row[place] for row in self._rows]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict of column name to value for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._rows]

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A structured array, shape (n_rows,), with a field for each column.

        Integers are int64, or float64 with NaN where there are NULLs; numbers float64, NULL as NaN; booleans bool;
        all else, and booleans with NULLs, objects, NULL as None.
        """
        import numpy as np

        arrays = [_as_numpy(list(v), oid) for v, oid in zip(self._by_column(), self.types, strict=True)]
        table = np.empty(len(self), dtype=[(n, a.dtype) for n, a in zip(self.columns, arrays, strict=True)])
        for name, array in zip(self.columns, arrays, strict=True):
            table[name] = array
        return table

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame; integers and booleans with NULLs have pandas' nullable types."""
        import pandas as pd

        series = {}  # by their places: two columns may have one name
        for place, (oid, values) in enumerate(zip(self.types, self._by_column(), strict=True)):
            has_null = any(value is None for value in values)
            if oid in _INTS:
                dtype: Any = "Int64" if has_null else "int64"
            elif oid == _BOOL:
                dtype = "boolean" if has_null else "bool"
            else:
                dtype = "float64" if oid in _FLOATS else None
            # An object array keeps lists and dicts whole, and texts of an empty column texts.
            series[place] = pd.Series(list(values), dtype=dtype or (object if not values else None))
        frame = pd.DataFrame(series)
        frame.columns = pd.Index(self.columns, dtype=object)
        return frame

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame."""
        import polars as pl

        known: dict[int, Any] = {_BOOL: pl.Boolean}
        known |= dict.fromkeys(_INTS, pl.Int64) | dict.fromkeys(_FLOATS, pl.Float64) | dict.fromkeys(_TEXTS, pl.String)
        columns = zip(self.columns, self.types, self._by_column(), strict=True)
        return pl.DataFrame([pl.Series(n, list(v), dtype=known.get(oid), strict=False) for n, oid, v in columns])

    def to_arrow(self) -> pa.Table:
        """An Arrow table."""
        import pyarrow as pa

        known: dict[int, Any] = {_BOOL: pa.bool_()}
        known |= dict.fromkeys(_INTS, pa.int64()) | dict.fromkeys(_FLOATS, pa.float64())
        known |= dict.fromkeys(_TEXTS, pa.string())
        arrays = [pa.array(v, type=known.get(oid)) for oid, v in zip(self.types, self._by_column(), strict=True)]
        return pa.table(arrays, names=list(self.columns))

    def _by_column(self) -> list[tuple[Any, ...]]:
        return list(zip(*self._rows, strict=True)) if self._rows else [()] * len(self.columns)

    def _repr_html_(self) -> str:
        def cells(tag: str, values: Sequence[Any]) -> str:
            texts = ("" if value is None else html.escape(lines(str(value))) for value in values)
            return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

        body = "".join(cells("td", row) for row in self._rows[:_SHOWN])
        rest = f"<p>{len(self) - _SHOWN:,} more rows</p>" if len(self) > _SHOWN else ""
        return f"<table><thead>{cells('th', self.columns)}</thead><tbody>{body}</tbody></table>{rest}"


class MetricRow(NamedTuple):
    """A metric of a model, or of one of its trees."""

    tree_id: int | None
    group_values: dict[str, Any] | None
    metric: str
    value: float | None


class Evaluation(Result[MetricRow]):
    """What `tree_evaluate` tells: a row for each metric, of the whole model first, and of each tree where grouped.

    Attributes:
        metrics: of the whole model, by name; None where a metric is not defined on the table.
        by_tree: the same of each tree, by its number.
    """

    @classmethod
    def of_rows(cls, rows: Result[Any]) -> Evaluation:
        return cls(rows.columns, rows.types, list(rows))

    @property
    def metrics(self) -> dict[str, float | None]:
        first = self._rows[0].tree_id if self._rows else None
        return {row.metric: row.value for row in self._rows if row.tree_id == first}

    @property
    def by_tree(self) -> dict[int, dict[str, float | None]]:
        found: dict[int, dict[str, float | None]] = {}
        for row in self._rows:
            if row.tree_id is not None:
                found.setdefault(row.tree_id, {})[row.metric] = row.value
        return found


class Contributions(Result[Any]):
    """What `tree_shap` tells of a table's rows: the id, then what is expected and a column for each feature, or a row
    for each feature of each row.

    Attributes:
        features: their number, where each has a column and nothing else has one; else 0.
    """

    features = 0

    @classmethod
    def of_rows(cls, rows: Result[Any], features: int) -> Contributions:
        found = cls(rows.columns, rows.types, list(rows))
        found.features = features
        return found

    def to_explanation(self, data: Any = None) -> Any:
        """A `shap.Explanation` of these rows, which the plots of the package shap take.

        Parameters
        ----------
        data
            The features' values, in the order of these rows, by which some plots are coloured: an array of shape
            (n_rows, n_features), or a frame.

        Returns
        -------
        shap.Explanation
            `values` of shape (n_rows, n_features), or (n_rows, n_features, n_classes) where several classes are
            explained, and `base_values` to match. Rows of an unknown group have NaN.

        Raises
        ------
        CallError
            Features have no columns (``layout="long"``), or pairs of them do (``interactions=True``), or an id is there
            several times.
        ImportError
            The package shap is not installed.
        """
        import numpy as np

        if not self.features:
            raise CallError("an explanation needs a column for each feature", "Leave layout and interactions out.")
        names = list(self.columns[-self.features :])
        by_id: dict[str, list[Any]] = {}
        for row in self._rows:
            by_id.setdefault(repr(row[0]), []).append(row)
        n_classes = 1
        if len(self.columns) > self.features + 2:  # the id, the class and what is expected
            classes = list(dict.fromkeys(row[1] for row in self._rows))
            place, n_classes = {class_: number for number, class_ in enumerate(classes)}, len(classes)
            by_id = {id_: sorted(rows, key=lambda row: place[row[1]]) for id_, rows in by_id.items()}
        if any(len(rows) != n_classes for rows in by_id.values()):
            raise CallError("an id is there several times", "An explanation needs an id for each row.")
        numbers = np.array([[row[-self.features - 1 :] for row in rows] for rows in by_id.values()], np.float64)
        numbers = numbers.reshape(len(by_id), n_classes, self.features + 1)
        import shap

        values, base = numbers[:, :, 1:].transpose(0, 2, 1), numbers[:, :, 0]
        if len(self.columns) == self.features + 2:
            values, base = values[:, :, 0], base[:, 0]
        shown = None if data is None else np.asarray(data)
        return shap.Explanation(values=values, base_values=base, data=shown, feature_names=names)


def _named(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> list[Any]:
    """Rows as named tuples. Names that differ in how their accents are written are one name to Python."""
    row = namedtuple("Row", [normalize("NFKC", name) for name in columns], rename=True)  # type: ignore[misc]
    return [row(*values) for values in rows]


def _as_numpy(values: list[Any], oid: int) -> np.ndarray[Any, Any]:
    import numpy as np

    has_null = any(value is None for value in values)
    if oid in _FLOATS or (oid in _INTS and has_null):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    if oid in _INTS:
        return np.array(values, np.int64)
    if oid == _BOOL and not has_null:
        return np.array(values, np.bool_)
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects
