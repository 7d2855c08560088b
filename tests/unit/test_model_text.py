"""Names of model tables, and array literals."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.model.write.columns_text import CHUNK_BYTES, CHUNK_ROWS, chunks, numbers
from madtree.sqltext import array_text
from madtree.sqltext.tables import SUFFIXES, suffixed
from madtree.sqltext.typenames import type_sql


def test_a_short_name_takes_the_suffix_as_it_is() -> None:
    assert suffixed("model", "_nodes") == "model_nodes"
    assert suffixed("x" * 57, "_nodes") == "x" * 57 + "_nodes"
    assert suffixed("x" * 63, "") == "x" * 63


@pytest.mark.parametrize("name", ["x" * 63, "x" * 58, "木" * 21, "a" + "木" * 20, "é" * 31])
def test_a_long_name_is_cut_so_that_its_tables_fit_and_differ(name: str) -> None:
    names = [suffixed(name, suffix) for suffix in SUFFIXES]
    assert len(set(names)) == len(names)
    assert all(len(n.encode()) <= 63 for n in names)
    assert suffixed(name, "_summary").startswith(name[:10])


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert suffixed("x" * 62 + "1", "_nodes") != suffixed("x" * 62 + "2", "_nodes")


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("text", "pg_catalog.text"),
        ("text[]", "pg_catalog.text[]"),
        ("date", "pg_catalog.date"),
        ('"char"', 'pg_catalog."char"'),
        ("bpchar", "pg_catalog.bpchar"),
        ("integer", "integer"),
        ("double precision[]", "double precision[]"),
        ("timestamp(3) with time zone", "timestamp(3) with time zone"),
        ("numeric(5,2)", "numeric(5,2)"),
        ("public.mood", "public.mood"),
        ('"my ""schema"."mood.x"[]', '"my ""schema"."mood.x"[]'),
    ],
)
def test_type_names_mean_the_same_under_every_search_path(name: str, sql: str) -> None:
    assert type_sql(name) == sql


def test_array_literals() -> None:
    assert array_text.integers([1, -2]) == "{1,-2}"
    assert array_text.floats([0.1, float("nan"), float("inf"), 1e300]) == "{0.1,NULL,inf,1e+300}"
    assert array_text.texts(["a", None, 'q"\\', "NULL", ""]) == '{"a",NULL,"q\\"\\\\","NULL",""}'
    assert array_text.rows_of_floats([1.0, 2.5, float("nan"), 4.0], 2) == '{"{1.0,2.5}","{NULL,4.0}"}'
    assert array_text.text_rows([["a"], None, [], ["b", 'c"', None]]) == [
        '"{\\"a\\"}"',
        "NULL",
        '"{}"',
        '"{\\"b\\",\\"c\\\\\\"\\",NULL}"',
    ]
    assert array_text.joined([]) == array_text.rows_of_floats([], 3) == "{}"


def test_whole_numbers_are_written_without_fractions_and_nothing_else_is() -> None:
    whole = [0.0, 3.0, 2.0**60]
    assert repr(numbers(np.array(whole))) == repr([0, 3, 2**60])
    for value in (-0.0, -1.0, 0.5, float("nan"), float("inf"), 2.0**63, 1e300):
        assert repr(numbers(np.array([*whole, value]))) == repr([*whole, value])


def test_chunks_cover_all_rows_in_order_and_stay_small() -> None:
    sizes = np.array([10, CHUNK_BYTES + 1, CHUNK_BYTES, 1, 1] + [0] * (CHUNK_ROWS + 5))
    parts = list(chunks(sizes))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(sizes)))
    assert all(part.stop - part.start == 1 or sizes[part].sum() <= CHUNK_BYTES for part in parts)
    assert all(part.stop - part.start <= CHUNK_ROWS for part in parts)
    assert list(chunks(np.array([], dtype=int))) == []
