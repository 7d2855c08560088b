"""Numbers of many rows arrive in any host as they are in the server, to the bit."""

from __future__ import annotations

import struct

import psycopg
import pytest

from madtree.learn.data import sent_floats, sent_ints
from madtree.sqltext import sent_rows as sent

WHOLE = [0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
NUMBERS = [0.0, -0.0, 1.5, -1e300, 5e-324, float("inf"), float("-inf")]


def sent_by(db: psycopg.Connection, column: str, type_: str, values: list[object]) -> bytes:
    return db.execute(f"SELECT {column} FROM unnest(%s::{type_}[]) AS v", [values]).fetchone()[0]


@pytest.mark.parametrize(("type_", "values"), [("int8", WHOLE), ("int4", WHOLE[:5]), ("int2", [1, -(2**15)])])
def test_integers_of_any_width_arrive(db: psycopg.Connection, type_: str, values: list[object]) -> None:
    assert sent_ints(sent_by(db, sent.ints("v"), type_, values)).tolist() == values


def test_floats_arrive_to_the_bit(db: psycopg.Connection) -> None:
    found = sent_floats(sent_by(db, sent.floats("v"), "float8", NUMBERS))
    assert [struct.pack(">d", each) for each in found] == [struct.pack(">d", each) for each in NUMBERS]


def test_nulls_have_a_stand_in(db: psycopg.Connection) -> None:
    assert sent_ints(sent_by(db, sent.ints("v", null=-1), "int4", [None, 7])).tolist() == [-1, 7]
    assert str(sent_floats(sent_by(db, sent.floats("v"), "float8", [None, 7.0])).tolist()) == "[nan, 7.0]"
    assert sent_ints(sent_by(db, sent.truths("v"), "bool", [True, None, False])).tolist() == [1, 0, 0]


def test_no_rows_are_no_numbers(db: psycopg.Connection) -> None:
    assert sent_ints(sent_by(db, sent.ints("v"), "int4", [])).tolist() == []
    assert sent_floats(sent_by(db, sent.floats("v"), "float8", [])).tolist() == []
