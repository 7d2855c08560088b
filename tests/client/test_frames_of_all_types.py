"""Rows that a driver or pandas has read are predicted as the rows of the table that they were read from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pytest
from shares import share

import madtree

N = "(g * 37 % 101)"
# A value of each type that a feature can have, by the number g of its row.
VALUES = {
    "smallint": f"({N} - 50)::smallint",
    "integer": f"{N} * 1000003",
    "bigint": f"9007199254740990 + {N}",  # around 2^53
    "real": f"({N} * 0.7)::real",
    "double precision": f"({N} / 7.0)::float8",
    "numeric": f"{N} / 7.0",
    "boolean": f"{N} > 30",
    "text": f"chr(65 + {N} % 26)",
    "varchar(8)": f"chr(65 + {N} % 26) || ' '",
    "char(8)": f"chr(65 + {N} % 26)",
    "bpchar": f"rpad(chr(65 + {N} % 26), 1 + g % 3)::bpchar",
    "name": f"chr(65 + {N} % 26)::name",
    '"char"': f'chr(65 + {N} % 26)::"char"',
    "mood": f"(ARRAY['low', 'mid', 'high', 'top'])[1 + {N} % 4]::mood",
    "date": f"date '2020-01-30' + {N}",
    "timestamp": f"timestamp '2020-01-30' + {N} * interval '1.000001 s'",
    "timestamptz": f"timestamptz '2020-03-27 12:00 Europe/Berlin' + {N} * interval '1 h'",
    "time": f"time '10:00' + {N} * interval '1.000001 s'",
    "timetz": f"timetz '10:00+02' + {N} * interval '1 min'",
    "interval": f"{N} * interval '-1 month 3 days 1.000001 s'",
}
OF_ARRAYS = (
    "smallint", "bigint", "real", "double precision", "numeric", "boolean", "text", "char(8)", "date", "timestamptz",
    "interval",
)  # fmt: skip
TYPES = {**VALUES, **{f"{name}[]": f"ARRAY[{VALUES[name]}, NULL, {VALUES[name]}]" for name in OF_ARRAYS}}

Rows = Sequence[tuple[Any, ...]]
FRAMES: dict[str, Callable[[Rows], Any]] = {
    "mapping": lambda rows: {"x": [row[0] for row in rows]},
    "pandas": lambda rows: pd.DataFrame(rows, columns=["x"]),
    "polars": lambda rows: pl.DataFrame({"x": [row[0] for row in rows]}, infer_schema_length=None, strict=False),
    "arrow": lambda rows: pl.DataFrame({"x": [row[0] for row in rows]}, strict=False).to_arrow(),
}


@pytest.fixture
def rows_of(db: psycopg.Connection) -> Callable[[str], None]:
    def make(type_: str) -> None:
        db.execute("SET timezone = 'America/New_York'; CREATE TYPE mood AS ENUM ('low', 'mid', 'high', 'top')")
        db.execute(
            f"CREATE TABLE rows AS SELECT g AS id, CASE WHEN g % 13 > 0 THEN ({TYPES[type_]})::{type_} END AS x,"
            " (hashint4(g * 37 % 101) % 1000)::float8 AS y FROM generate_series(1, 300) AS g"
            f"{' WHERE g % 13 > 0' if type_.endswith('[]') else ''}"
        )

    return make


@pytest.mark.one_in(8)
@pytest.mark.parametrize("type_", TYPES)
def test_a_frames_rows_get_what_the_tables_rows_get(
    client: madtree.Client, db: psycopg.Connection, rows_of: Callable[[str], None], type_: str
) -> None:
    rows_of(type_)
    model = client.tree_train("rows", "m", "id", "y", ["x"], min_split=2, min_bucket=1)
    thresholds = [node.threshold for node in model.nodes if node.threshold is not None]
    if type_ in ("real", "double precision", "numeric"):  # and the rows at the thresholds
        db.execute(
            f"INSERT INTO rows SELECT 1000 + n, t::{type_}, 0 FROM unnest(%s::float8[]) WITH ORDINALITY AS u (t, n)",
            [thresholds],
        )
    assert len(set(model.predict("rows", "leaf").column("node_id"))) > (1 if "boolean" in type_ else 3)
    expected = [dict(tuple(row) for row in model.predict("rows", kind)) for kind in ("leaf", "response")]
    ids = [row[0] for row in db.execute("SELECT id FROM rows ORDER BY id")]
    same = model.to_sklearn()
    for binary in (False, True):
        if binary and type_ in ("mood", "mood[]"):
            continue
        found = db.cursor(binary=binary).execute("SELECT x FROM rows ORDER BY id").fetchall()
        # What psycopg makes of bytes is what it makes of text, but for the way there: a frame has one of both.
        for library, frame in share([*FRAMES.items()], 2, len(type_) + binary):
            if library in ("polars", "arrow") and type_ in ("timetz", "numeric[]"):  # which they lack
                continue
            made = frame(found)
            leaves = model.predict(made, "leaf").column("node_id")
            assert leaves == [expected[0][number] for number in ids], (library, binary)
            predicted = same.predict(made).tolist()
            assert predicted == [expected[1][number] for number in ids], (library, binary)
        assert model.evaluate({**dict(FRAMES["mapping"](found)), "y": [0.0] * len(ids)}).metrics["n"] == len(ids)


def test_a_real_at_a_threshold_takes_the_side_that_it_takes_in_the_table(
    client: madtree.Client, db: psycopg.Connection
) -> None:
    db.execute(
        "CREATE TABLE rows AS SELECT g AS id, (CASE WHEN g > 20 THEN 1.0 ELSE 0.9 END)::real AS x, g > 20 AS y"
        " FROM generate_series(1, 40) AS g"
    )
    model = client.tree_train("rows", "m", "id", "y", ["x"])
    (threshold,) = [node.threshold for node in model.nodes if node.threshold is not None]
    db.execute("INSERT INTO rows VALUES (41, %s::float8, NULL)", [threshold])
    (read,) = db.execute("SELECT x FROM rows WHERE id = 41").fetchone() or ()
    assert read > threshold  # as its shortest decimal
    assert (dict(tuple(row) for row in model.predict("rows"))[41], model.predict({"x": [read]})[0][1]) == (False, False)
    assert model.predict({"x": np.array([read], np.float32)})[0][1] is False
    assert model.predict({"x": [1e300, -1e300, None]}).column("estimated_y")[:2] == [True, False]
    assert model.to_sklearn().predict({"x": [read, 1e300, -1e300]}).tolist() == [False, True, False]


def test_blanks_behind_a_char_are_none_in_tables_of_text_either(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE rows AS SELECT g AS id, (ARRAY['a', 'bb'])[1 + g % 2]::char(4) AS x, g % 2 = 1 AS y"
        " FROM generate_series(1, 40) AS g"
    )
    model = client.tree_train("rows", "m", "id", "y", ["x"])
    db.execute("CREATE TABLE texts AS SELECT * FROM (VALUES (1, 'a'), (2, 'bb'), (3, 'bb  ')) AS t (id, x)")
    assert dict(tuple(row) for row in model.predict("texts")) == {1: False, 2: True, 3: True}
    assert model.predict({"x": ["a", "bb", "bb  "]}).column("estimated_y") == [False, True, True]
    assert model.to_sklearn().predict({"x": ["a", "bb", "bb  "]}).tolist() == [False, True, True]


def test_groups_of_char_are_found_with_and_without_blanks(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE rows AS SELECT g AS id, (ARRAY['a', 'bb'])[1 + g % 2]::char(4) AS shop, g::float8 AS x,"
        " (g % 2)::float8 AS y FROM generate_series(1, 40) AS g"
    )
    model = client.tree_train("rows", "m", "id", "y", ["x"], grouping_cols="shop")
    found = model.predict({"shop": ["a   ", "a", "bb  ", "bb", "c"], "x": [1.0] * 5})
    assert found.column("estimated_y") == [0, 0, 1, 1, None]
    db.execute("CREATE TABLE texts AS SELECT 1 AS id, 'bb' AS shop, 1.0 AS x, 1 AS y")
    assert model.predict("texts").column("estimated_y") == [1]
    assert model.evaluate("texts").metrics["n"] == 1


def test_an_array_is_a_column_of_lists(client: madtree.Client, db: psycopg.Connection) -> None:
    db.execute(
        'CREATE TABLE rows AS SELECT g AS id, ARRAY[g % 7, g % 5, g]::float8[] AS "Readings", g % 5 > 2 AS y'
        " FROM generate_series(1, 60) AS g"
    )
    model = client.tree_train("rows", "m", "id", "y", ["Readings"])
    lists = [[1, 4, 2], (1, 0, 2), np.array([1.0, 3.0, 2.0]), [1, None, 2]]
    for frame in ({"Readings": lists}, pd.DataFrame({"Readings": lists})):
        assert model.predict(frame).column("estimated_y")[:3] == [True, False, True]
        assert model.to_sklearn().predict(frame).tolist()[:3] == [True, False, True]
    assert len(set(model.predict({"Readings": [[0, None, 0], None, [0]]}).column("estimated_y"))) == 1
    with pytest.raises(
        TypeError, match="column 'Readings', row 1: a list must have one dimension, and no lists within"
    ):
        model.predict({"Readings": [[1, 2, 3], [[1, 2, 3]]]})
    with pytest.raises(
        TypeError, match="column 'Readings\\[\\]' has values of types that do not go together: int, str"
    ):
        model.predict({"Readings": [[1, 2, 3], [1, "a", 3]]})
    with pytest.raises(ValueError, match="X lacks columns that the model needs: 'Readings'"):
        model.to_sklearn().predict({"x": [1]})
    fitted = madtree.DecisionTreeClassifier(client).fit({"Readings": lists[:3] * 10}, [True, False, True] * 10)
    assert fitted.predict({"Readings": lists[:3]}).tolist() == [True, False, True]


@pytest.mark.parametrize("train", ["tree_train", "forest_train", "boost_train"])
@pytest.mark.parametrize(
    "y",
    [
        *("date '2020-01-30' + g / 20", "timestamptz '2020-01-30 12:00+01' + g / 20 * interval '1 h'"),
        *("md5((g / 20)::text)::uuid", "format('10.0.%s.0/24', g / 20)::cidr"),
    ],
)
def test_classes_are_of_the_outcomes_type(client: madtree.Client, db: psycopg.Connection, train: str, y: str) -> None:
    db.execute(f"CREATE TABLE rows AS SELECT g AS id, g AS x, {y} AS y FROM generate_series(0, 39) AS g")
    model = getattr(client, train)("rows", "m", "id", "y", ["x"])
    predicted = model.predict({"x": [0, 39]})
    found = [row[1] for row in predicted] if train == "tree_train" else predicted.tolist()
    assert found == [row[0] for row in db.execute("SELECT y FROM rows WHERE id IN (0, 39) ORDER BY id")]
    assert model.evaluate({"x": [0, 39], "y": found}).metrics["accuracy"] == 1


@pytest.mark.parametrize("train", ["forest_train", "boost_train"])
def test_a_class_that_python_has_no_value_for_is_told_where_it_is_predicted(
    client: madtree.Client, db: psycopg.Connection, train: str
) -> None:
    y = "CASE WHEN g < 20 THEN date 'infinity' ELSE '2020-01-30' END"
    db.execute(f"CREATE TABLE rows AS SELECT g AS id, g AS x, {y} AS y FROM generate_series(0, 39) AS g")
    model = getattr(client, train)("rows", "m", "id", "y", ["x"])
    assert [str(each) for each in model.predict({"x": [39]})] == ["2020-01-30"]
    with pytest.raises(madtree.MadtreeError, match="date too large"):
        model.predict({"x": [0]})
