"""Types that can carry a function, each with a trap in it: made by an ordinary role, with values to fill columns.

Input, output and canonical functions of types are in C or another language that takes unfinished types, in which an
ordinary role can write none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from springs import SCHEMA

# What a type's trap is, in SQL of whoever makes it; {trap} is its name, {name} the type's.
_FUNCTION = (
    'CREATE FUNCTION traps."{trap}"({arguments}) RETURNS {result} LANGUAGE plpgsql IMMUTABLE AS '
    "$f$ BEGIN PERFORM traps.note('{trap}'); RETURN {value}; END $f$"  # VOLATILE: its call is not folded once for all
)


def function(trap: str, arguments: str, result: str, value: str) -> str:
    """SQL that makes the function of a trap."""
    return _FUNCTION.format(trap=trap, arguments=arguments, result=result, value=value)


@dataclass(frozen=True)
class TrapType:
    """A type.

    Attributes:
        name: in the attacker's schema, without quotes.
        make: statements.
        traps: what marks its functions leave.
        low, high: two of its values, as text.
        is_array: whether columns are of arrays of it.
    """

    name: str
    make: tuple[str, ...]
    traps: tuple[str, ...]
    low: str
    high: str
    is_array: bool = False

    @property
    def sql(self) -> str:
        return f"{SCHEMA}.{self.name}" + "[]" * self.is_array

    @property
    def column(self) -> str:
        return f"c_{self.name}" + "_array" * self.is_array


def _range(name: str, subtype: str, low: str, high: str) -> TrapType:
    """Whose subtype_diff is the trap: statistics run it."""
    trap = f"subtype_diff of {name}"
    make = (
        function(trap, f"a {subtype}, b {subtype}", "float8", "1"),
        f'CREATE TYPE traps.{name} AS RANGE (subtype = {subtype}, subtype_diff = traps."{trap}", '
        f"multirange_type_name = traps.{name}_multi)",
    )
    return TrapType(name, make, (trap,), low, high)


def _domain(name: str, base: str, low: str, high: str) -> TrapType:
    """Whose check and default are traps."""
    traps = (f"check of {name}", f"default of {name}")
    check = function(traps[0], "v anyelement", "bool", "true")
    make = (
        check.replace("v anyelement", f"v {base}"),
        f"CREATE DOMAIN traps.{name} AS {base} DEFAULT NULLIF(traps.spring('{traps[1]}'), 1)::text::{base} "
        f'CHECK (traps."{traps[0]}"(VALUE))',
    )
    return TrapType(name, make, traps, low, high)


def _enum(name: str, low: str = "low", high: str = "high") -> TrapType:
    """Without a trap of its own."""
    return TrapType(name, (f"CREATE TYPE traps.{name} AS ENUM ('{low}', '{high}')",), (), low, high)


# Casts of a type's: one that looks for such a cast runs it.
_TARGETS = {"text": "'cast'", "json": "'1'", "int4": "1", "float8": "1", "bool": "true", "bytea": "''"}


def _casts(name: str, context: str = "AS ASSIGNMENT") -> tuple[tuple[str, ...], tuple[str, ...]]:
    made = [_cast(f"traps.{name}", target, value, context) for target, value in _TARGETS.items()]
    return tuple(trap for traps, _ in made for trap in traps), tuple(each for _, make in made for each in make)


_TONE = "(enum_range(NULL::traps.tone))[1 + (v ~ 'high')::int4]"  # of a text v


def _cast(source: str, target: str, value: str, context: str = "AS IMPLICIT") -> tuple[tuple[str], tuple[str, ...]]:
    """One implicit cast alone is found where several are not, as no operator is unique then."""
    trap = f"cast of {source.removeprefix('traps.')} to {target.removeprefix('traps.')}"
    made = f'CREATE CAST ({source} AS {target}) WITH FUNCTION traps."{trap}" {context}'
    return (trap,), (function(trap, f"v {source}", target, value), made)


def _operators(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Found where the schema is on the search path."""
    traps, make = [], []
    for number, operator in enumerate(("=", "<", "<>", "||")):
        traps.append(f"operator {number} of {name}")
        make += [
            function(traps[-1], f"a traps.{name}, b traps.{name}", "bool", "true"),
            f"CREATE OPERATOR traps.{operator} (LEFTARG = traps.{name}, RIGHTARG = traps.{name}, "
            f'FUNCTION = traps."{traps[-1]}")',
        ]
    return tuple(traps), tuple(make)


def _with(type_: TrapType, *more: tuple[tuple[str, ...], tuple[str, ...]]) -> TrapType:
    traps = (*type_.traps, *(trap for each, _ in more for trap in each))
    make = (*type_.make, *(statement for _, each in more for statement in each))
    return replace(type_, make=make, traps=traps)


def _made() -> list[TrapType]:
    plain = [
        _with(_enum("easy", "1", "2"), _casts("easy", "AS IMPLICIT")),
        _with(_enum("tint"), _cast("traps.tint", "text", "'low'")),
        _with(_enum("tone"), _cast("text", "traps.tone", _TONE)),
        _with(_range("span", "int4", "[1,3)", "[5,9)"), _casts("span"), _operators("span")),
        _with(_enum("mood"), _casts("mood"), _operators("mood")),
        _range("moods", "traps.mood", "[low,high)", "[high,high]"),
        _range("spans", "traps.span", '["[1,3)","[1,4)")', '["[1,3)","[5,9)")'),
        TrapType("span_multi", (), (), "{[1,3),[5,6)}", "{[4,9)}"),
        _domain("few", "int4", "1", "2"),
        _domain("word", "text", "low", "high"),
        _domain("share", "float8", "0.5", "2"),
        _domain("yes", "bool", "false", "true"),
        _domain("feeling", "traps.mood", "low", "high"),
        _domain("spread", "traps.span", "[1,3)", "[5,9)"),
        _domain("spreads", "traps.span[]", '{"[1,3)"}', '{"[5,9)","[1,2)"}'),
        _range("fews", "traps.few", "[1,2)", "[1,3)"),
        _with(
            TrapType("pair", ("CREATE TYPE traps.pair AS (a int4, b traps.span, c traps.few)",), (),
                     '(1,"[1,3)",1)', '(2,"[5,9)",2)'),
            _casts("pair"),
            _operators("pair"),
        ),
        _domain("row", "traps.pair", '(1,"[1,3)",1)', '(2,"[5,9)",2)'),
    ]  # fmt: skip
    arrays = [
        TrapType(type_.name, (), (), f'{{"{_escaped(type_.low)}"}}', f'{{"{_escaped(type_.high)}"}}', is_array=True)
        for type_ in plain
        if type_.name in ("span", "mood", "few", "pair", "word", "share", "tone")
    ]
    return [*plain, *(_with(each, *_OF_ARRAYS.get(each.name, ())) for each in arrays)]


# Casts of arrays are their elements' owner's.
_OF_ARRAYS = {
    "share": [_cast("traps.share[]", "float8[]", "'{1}'")],
    "few": [_cast("traps.few[]", "float8[]", "'{1}'"), _cast("traps.few[]", "int4[]", "'{1}'")],
    "word": [_cast("traps.word[]", "text[]", "'{low}'"), _cast("traps.word[]", "text", "'low'")],
    "tone": [_cast("traps.tone[]", "text", "'{}'"), _cast("text", "traps.tone[]", f"ARRAY[{_TONE}]")],
}


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


TYPES = {type_.column: type_ for type_ in _made()}
TOGETHER = ", ".join(TYPES)
