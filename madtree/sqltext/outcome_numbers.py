"""SQL of the numbers that the block scorer says of rows, which are bytes of a string."""

from __future__ import annotations


def pick(array: str, position: str = "scored.outcome") -> str:
    """The element of an array that belongs to a row's leaf; NULL, as no array has an element 0, without a tree.

    `position`: another number than the leaf's, from 1; 0 for none.
    """
    return f"({array})[{position}]"


def pick_each(array: str, n: int) -> str:
    """The elements of an array that belong to each of a row's `n` positions of 4 bytes, as an array; NULL where the
    first of them, `scored.outcome`, is 0.
    """
    start = place_after("scored.byte", "(4 OPERATOR(pg_catalog.*) k)")
    position = integer_at("scored.outcomes", f"({start})", 4)
    elements = f"SELECT ({array})[{position}] FROM pg_catalog.generate_series(0, {n - 1}) AS k ORDER BY k"
    return f"CASE WHEN scored.outcome OPERATOR(pg_catalog.>) 0 THEN ARRAY({elements}) END"


def float_of(mantissa: str, exponent: str, above: int) -> str:
    """The float8 mantissa * 2 ** (exponent - above), where the exponent is above 0, else NULL."""
    power = f"pg_catalog.power(2::pg_catalog.float8, ({exponent} OPERATOR(pg_catalog.-) {above})::pg_catalog.float8)"
    value = f"({mantissa})::pg_catalog.float8 OPERATOR(pg_catalog.*) {power}"
    return f"CASE WHEN {exponent} OPERATOR(pg_catalog.>) 0 THEN {value} END"


def place_after(start: str, more: int | str) -> str:
    """The place so many bytes behind another one."""
    return start if more == 0 else f"{start} OPERATOR(pg_catalog.+) {more}"


def integer_at(string: str, start: str, n_bytes: int) -> str:
    """The little-endian integer at a place of a byte string; of 8 bytes, a signed one. PostgreSQL 15 has no function
    that reads one.
    """
    cast = "::pg_catalog.int8" if n_bytes > 4 else ""
    terms = [f"pg_catalog.get_byte({string}, {start}){cast}"]
    for number in range(1, n_bytes):
        byte = f"pg_catalog.get_byte({string}, {start} OPERATOR(pg_catalog.+) {number}){cast}"
        terms.append(f"({byte} OPERATOR(pg_catalog.<<) {8 * number})")
    return " OPERATOR(pg_catalog.|) ".join(terms) if n_bytes > 4 else " OPERATOR(pg_catalog.+) ".join(terms)
