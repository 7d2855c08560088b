"""What is a type, an operator or a name and nothing more, as the catalogue look-ups spell them."""

from __future__ import annotations

import pytest

from madtree.sqltext.typenames import is_equality, is_name_of, is_type, made_type

TYPES = {
    "integer": None, "double precision": None, '"char"': None, "character varying(20)": None, "bpchar": None,
    "timestamp(3) with time zone": None, "interval day to second(3)": None, "numeric(10,-2)": None,
    "bit varying(5)[]": None, "pg_catalog.text": None, 'shop."My T"': '"shop"."My T"', "shop.mood[]": '"shop"."mood"[]',
    'shop.geometry(PointZ,4326)': '"shop"."geometry"', '"s; s".x(3)[]': '"s; s"."x"[]',
}  # fmt: skip
NO_TYPES = (
    "", "integer); SELECT 1", "integer, z integer", "integer DEFAULT f()", "integer NOT NULL", 'text COLLATE "x"',
    "integer(f())", "integer --", "integer /*", "a.b.c", "integer with (x)", "integer[](3)", "integer\nDEFAULT 1",
    "bit(--)",
)  # fmt: skip


@pytest.mark.parametrize("text", TYPES)
def test_types(text: str) -> None:
    assert is_type(text)
    assert made_type(text) == TYPES[text]


@pytest.mark.parametrize("text", NO_TYPES)
def test_what_is_no_type(text: str) -> None:
    assert not is_type(text)
    assert made_type(text) is None


def test_operators_names_and_functions() -> None:
    assert is_equality(["OPERATOR(pg_catalog.=)"])
    assert is_equality(['OPERATOR("a.b".==)'])
    for text in ("=", "OPERATOR(s.=) OR f(", "OPERATOR(s.=))", "OPERATOR(f().=)", "OPERATOR(s.=--)", "OPERATOR(s.=) "):
        assert not is_equality([text])
    assert is_name_of('"x"', "x")
    assert is_name_of("x", "x")
    assert is_name_of('"f(""x"")"', 'f("x")')
    assert not is_name_of("f(x)", "f(x)")
    assert not is_name_of('"y"', "x")
