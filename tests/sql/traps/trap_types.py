"""Types that can carry a function, each with a trap in it: made by an ordinary role, with values to fill columns.

Input, output and canonical functions of types are in C or another language that takes unfinished types, in which an
ordinary role can write none.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    traps, make = [], []
    for target, value in _TARGETS.items():
        traps.append(f"cast of {name} to {target}")
        make += [
            function(traps[-1], f"v traps.{name}", target, value),
            f'CREATE CAST (traps.{name} AS {target}) WITH FUNCTION traps."{traps[-1]}" {context}',
        ]
    return tuple(traps), tuple(make)


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
    return TrapType(type_.name, make, traps, type_.low, type_.high)


def _made() -> list[TrapType]:
    plain = [
        _with(_enum("easy", "1", "2"), _casts("easy", "AS IMPLICIT")),
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
        if type_.name in ("span", "mood", "few", "pair", "word", "share")
    ]
    return [*plain, *arrays]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


TYPES = {type_.column: type_ for type_ in _made()}
# Nobody can group by the others: PostgreSQL finds several operators "equals" by implicit casts, and none for a domain
# over an enum.
UNGROUPED = ("c_easy", "c_feeling")
TOGETHER = ", ".join(column for column in TYPES if column not in UNGROUPED)
