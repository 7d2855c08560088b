"""The layout of arrays in the server's memory, on which packing relies."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from madtree.learn.data.postgres_bytes import rows_in


def test_rows_are_read_back(db: psycopg.Connection) -> None:
    image = "madtree_internal.array_image(ARRAY[i, i / 2.0, -i]::float8[])"
    query = f"SELECT string_agg({image}, ''::bytea) FROM generate_series(1, %s) i"
    for n in (1, 2, 1000):
        rows = rows_in(db.execute(query, [n]).fetchone()[0], 3)
        i = np.arange(1, n + 1)
        assert np.array_equal(rows.T, [i, i / 2, -i])
    assert rows_in(b"", 3).shape == (0, 3)


@pytest.mark.parametrize("where", [1, 2, 500, 999, 1000])
def test_a_row_with_a_null_is_noticed_wherever_it_is(db: psycopg.Connection, where: int) -> None:
    image = "madtree_internal.array_image(ARRAY[i, nullif(i, %s), -i]::float8[])"
    query = f"SELECT string_agg({image}, ''::bytea) FROM generate_series(1, 1000) i"
    images = db.execute(query, [where]).fetchone()[0]
    assert rows_in(images, 3) is None
