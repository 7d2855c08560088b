"""The layout of arrays in the server's memory, on which packing relies."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from madtree.learn.data.array_datum import decode, read_rows

CASES = [
    pytest.param("float8", [1.5, -2.25, 1e300], id="float8"),
    pytest.param("float8", [None, 1.5, None, 2.5, None], id="NULLs"),
    pytest.param("float8", [None, None], id="only NULLs"),
    pytest.param("float8", [7.0], id="one element"),
    pytest.param("float8", [], id="empty"),
    pytest.param("float4", [1.5, None, 3.5], id="float4"),
    pytest.param("int2", [1, None, -3], id="int2"),
    pytest.param("int4", [2**31 - 1, None], id="int4"),
    pytest.param("int8", [2**63 - 1, None, -(2**63)], id="int8"),
    pytest.param("bool", [True, None, False, True], id="boolean"),
    pytest.param("float8", [None if i % 3 == 0 else i / 7 for i in range(1000)], id="a thousand"),
]


@pytest.mark.parametrize(("element_type", "values"), CASES)
def test_an_image_is_read_back(db: psycopg.Connection, element_type: str, values: list[object]) -> None:
    image = db.execute(f"SELECT madtree_internal.array_image(%s::{element_type}[])", [values]).fetchone()[0]
    read, valid = decode(image)
    assert len(read) == len(values)
    known = [value is not None for value in values]
    assert (valid is None and all(known)) or valid.tolist() == known
    for value, found in zip(values, read.tolist(), strict=True):
        if value is not None:
            assert found == value


def test_other_element_types_are_refused(db: psycopg.Connection) -> None:
    image = db.execute("SELECT madtree_internal.array_image(ARRAY['a', 'b'])").fetchone()[0]
    with pytest.raises(ValueError, match="cannot be read"):
        decode(image)


def test_rows_are_read_back(db: psycopg.Connection) -> None:
    image = "madtree_internal.array_image(ARRAY[i, i / 2.0, -i]::float8[])"
    query = f"SELECT string_agg({image}, ''::bytea) FROM generate_series(1, %s) i"
    for n in (1, 2, 1000):
        rows = read_rows(db.execute(query, [n]).fetchone()[0], 3)
        i = np.arange(1, n + 1)
        assert np.array_equal(rows, [i, i / 2, -i])
    assert read_rows(b"", 3).shape == (3, 0)


@pytest.mark.parametrize("where", [1, 2, 500, 999, 1000])
def test_a_row_with_a_null_is_noticed_wherever_it_is(db: psycopg.Connection, where: int) -> None:
    image = "madtree_internal.array_image(ARRAY[i, nullif(i, %s), -i]::float8[])"
    query = f"SELECT string_agg({image}, ''::bytea) FROM generate_series(1, 1000) i"
    images = db.execute(query, [where]).fetchone()[0]
    assert read_rows(images, 3) is None
