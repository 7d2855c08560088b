"""Calls of every function of the schema madtree, made from the catalogue: so a new function joins by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from function_calls import MEANINGS, SMALL, VARIANTS, OfData
from psycopg import sql

from madtree.engine import call as call_by_client
from madtree.engine.call import FUNCTIONS
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost

# Their work is undone, as others go on with what they remove or make.
UNDONE = ("tree_drop", "install_madlib_names")
VIEWS = (
    "SELECT count(*), count(m.kind) FROM madtree.models AS m UNION ALL "
    "SELECT count(*), count(m.kind) FROM madtree.model_list AS m UNION ALL "
    "SELECT count(*), count(a.stage) FROM madtree.activity AS a"
)
_FUNCTIONS = """
SELECT p.proname, COALESCE(p.proargnames[:p.pronargs], '{}') AS names, p.pronargdefaults AS n_defaults
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace = 'madtree'::regnamespace AND p.proname !~ '^_' ORDER BY p.proname, p.oid
"""
_RELATIONS = """
SELECT c.relname FROM pg_catalog.pg_class AS c
WHERE c.relnamespace = 'madtree'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
"""


@dataclass(frozen=True)
class Call:
    """A call: of a function with arguments by name, or of a view.

    `meanings` are what the arguments stand for that the place fills in: model, data, out.
    """

    function: str
    meanings: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        small = SMALL.get(self.function, {})
        shown = {name: str(value) if isinstance(value, OfData) else value for name, value in self.named.items()}
        more = [f"{name} => {value!r}" for name, value in shown.items() if name not in small]
        return f"{self.function}({', '.join([*self.meanings, *more])})"

    def arguments(self, place: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: place[meaning] for name, meaning in self.meanings.items()} | dict(self.named)
        in_place = (v.text.format(place["data"]) if isinstance(v, OfData) else v for v in given.values())
        return dict(zip(given, in_place, strict=True))


def by_the_extension(db: psycopg.Connection, call: Call, place: Mapping[str, Any]) -> Any:
    """What it answers; `place` says what `model`, `data` and `out` are."""
    if call.function == "models":
        return db.execute(VIEWS).fetchall()
    given = call.arguments(place)
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in given)
    text = sql.SQL("SELECT * FROM madtree.{}({}) AS answer").format(sql.Identifier(call.function), named)
    with db.transaction(force_rollback=call.function in UNDONE):
        return db.execute(text, list(given.values())).fetchall()


def by_the_client(db: psycopg.Connection, call: Call, place: Mapping[str, Any]) -> Any:
    with db.transaction(force_rollback=call.function in UNDONE):
        return call_by_client(PsycopgHost(db), call.function, (), call.arguments(place)).rows


def by_a_function_of_a_superuser(db: psycopg.Connection, call: Call, place: Mapping[str, Any]) -> Any:
    """The same as `by_the_extension`, for whoever calls it; `hers.run` is a function of hers (`ground`)."""
    given = call.arguments(place)
    named = sql.SQL(", ").join(
        sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(given[name])) for name in given
    )
    text = (
        VIEWS
        if call.function == "models"
        else sql.SQL("SELECT * FROM madtree.{}({}) AS answer")
        .format(sql.Identifier(call.function), named)
        .as_string(db)
    )
    with db.transaction(force_rollback=call.function in UNDONE):
        return db.execute("SELECT hers.run(%s)", [text]).fetchall()


# The last one is for a test of its own.
ENGINES = {"extension": by_the_extension, "client": by_the_client}
MORE_ENGINES = {**ENGINES, "superuser's function": by_a_function_of_a_superuser}
REFUSED = (psycopg.Error, MadtreeError)


def functions(db: psycopg.Connection) -> list[tuple[str, list[str]]]:
    """Names and required arguments of all functions of the schema, but those that only tell how to call one."""
    found = db.execute(_FUNCTIONS).fetchall()
    required = [(name, names[: len(names) - n_defaults]) for name, names, n_defaults in found]
    helped = {name for name, names in required if names}
    return [(name, names) for name, names in required if name not in helped or names not in ([], ["message"])]


def relations(db: psycopg.Connection) -> list[str]:
    return [name for (name,) in db.execute(_RELATIONS).fetchall()]


def all_calls(db: psycopg.Connection, engine: str) -> Iterator[Call]:
    """A call of every function with the arguments that it needs, and the variants; a new function's name of an argument
    that is not known is a KeyError.
    """
    seen = set()
    for name, required in functions(db):
        meanings = {argument: MEANINGS[argument] for argument in required}
        if engine == "client":
            if name not in FUNCTIONS or name in seen:
                continue
            meanings = _own_names(name)
        for more in ({}, *(VARIANTS.get(name, ()) if name not in seen else ())):
            yield Call(name, meanings, {**SMALL.get(name, {}), **more})
        seen.add(name)
    yield Call("models")


def _own_names(name: str) -> dict[str, str]:
    """Required arguments of the client's function, which has them in Python."""
    return {each.name: MEANINGS[each.name] for each in FUNCTIONS[name].arguments if each.is_required}
