"""What a superuser trains on or scores of another role's has the types that she has looked at, whatever its owner does
meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from anothers_models import train
from function_calls import FIXED, SMALL
from games import Move, hold_name, hold_table, play
from ground import CALLERS, Ground, Seen, ways
from shares import share, share_of_pairs
from trap_calls import ENGINES, REFUSED, Call, all_calls
from trap_types import TYPES

TABLE = "game.d"
SUPERUSERS = {who: caller for who, caller in CALLERS.items() if caller.is_superuser}
WAYS = ways(SUPERUSERS)
# Which columns get another type meanwhile.
TURNED = {"the id": ["id"], "a number": ["x"], "a text": ["k"], "the outcome": ["y"], "all": ["id", "x", "k", "y"]}
INTO = ("c_easy", "c_span", "c_few")
TO = ("altered", "another table", "another schema")
GAMES = [(held, how, what, type_) for held in ("data", "out") for how in TO for what in TURNED for type_ in INTO]
GAMES += [(held, "another type of that name", "a text", "enum") for held in ("data", "out")]
ONE_OF = 4651
KINDS = ("tree", "forest", "boost")  # of models
# Won once, by each engine: no statement had touched the table when its columns were looked up. A superuser tries all of
# them, half by each engine.
WON = [
    (*won, function)
    for won in [("data", "altered", "a number", "c_easy"), ("out", "another type of that name", "a text", "enum")]
    for function in ("tree_train", "forest_train", "boost_train", "tree_predict")
]
# A type with the name of another one, and a cast between them that is a trap.
_RENAMED = (
    "ALTER TYPE game.colour RENAME TO colour_old",
    "CREATE TYPE game.colour AS ENUM ('red', 'green', 'blue')",
    "CREATE FUNCTION game.turned(c game.colour_old) RETURNS game.colour LANGUAGE plpgsql IMMUTABLE AS "
    "$f$ BEGIN PERFORM traps.note('planted'); RETURN 'red'; END $f$",
    "CREATE CAST (game.colour_old AS game.colour) WITH FUNCTION game.turned AS IMPLICIT",
)


def into(type_: str, column: str) -> str:
    low, high = TYPES[type_].low, TYPES[type_].high
    return f"(CASE WHEN {column}::text < '4' THEN '{low}' ELSE '{high}' END)::{TYPES[type_].sql}"


def move(how: str, columns: list[str], type_: str) -> Move:
    """What the attacker does to the table."""
    if type_ == "enum":
        return Move(_RENAMED)
    if how == "altered":
        changes = [f"ALTER {column} TYPE {TYPES[type_].sql} USING {into(type_, column)}" for column in columns]
        return Move((f"ALTER TABLE {TABLE} {', '.join(changes)}",))
    values = ", ".join(
        f"{into(type_, column)} AS {column}" if column in columns else column for column in ("id", "x", "k", "y")
    )
    away = ["ALTER TABLE game.d RENAME TO d_old"]
    if how == "another schema":
        away = ["ALTER SCHEMA game RENAME TO game_old", "CREATE SCHEMA game; GRANT USAGE ON SCHEMA game TO public"]
    made = (f"CREATE TABLE {TABLE} AS SELECT {values} FROM traps.d", f"GRANT SELECT ON {TABLE} TO public")
    return Move((*away, *made))


def readers(db: psycopg.Connection, engine: str) -> list[Call]:
    """Calls that read rows of a table."""
    return [call for call in all_calls(db, engine) if "data" in call.meanings.values()]


def prepare(ground: Ground, as_type: str = "text") -> None:
    ground.quietly("DROP SCHEMA IF EXISTS game, game_old CASCADE")
    ground.sessions["attacker"].execute(
        "CREATE SCHEMA game; GRANT USAGE ON SCHEMA game TO public; "
        "CREATE TYPE game.colour AS ENUM ('red', 'green', 'blue'); "
        f"CREATE TABLE {TABLE} AS SELECT id, x, k::{as_type} AS k, y FROM traps.d; GRANT SELECT ON {TABLE} TO public"
    )


@pytest.fixture(scope="module")
def models(ground: Ground) -> Iterator[None]:
    """A superuser's own, of texts and of the attacker's enum."""
    ground.quietly("CREATE SCHEMA bosses; GRANT USAGE ON SCHEMA bosses TO public")
    for type_, name in (("text", "of_text"), ("game.colour", "of_enum")):
        prepare(ground, type_)
        for kind in KINDS:
            given = {"training_table_name": TABLE, **SMALL[f"{kind}_train"]}
            train(ground.sessions["boss"], kind, f"bosses.{kind}_{name}", **given)
    yield
    ground.quietly("DROP SCHEMA bosses CASCADE; DROP SCHEMA IF EXISTS game, game_old CASCADE")


def place_of(ground: Ground, call: Call, type_: str = "") -> dict[str, Any]:
    kind = next((kind for kind in KINDS if call.function.startswith(kind)), "tree")
    model = f"bosses.{kind}_of_{'enum' if type_ == 'enum' else 'text'}"
    return {**FIXED, "model": model, "data": TABLE, "out": ground.new_name()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_types_that_come_meanwhile_run_nothing(ground: Ground, models: None, who: str, engine: str) -> None:
    seen = Seen(ground, who, engine)
    turn = WAYS.index((who, engine))
    ground.clear()
    with ground.calling(CALLERS[who]) as db:
        calls = readers(db, engine)
        every = [(game, call) for game in GAMES for call in calls if game[0] in call.meanings.values()]
        known = [(game, call) for game, call in every if (*game, call.function) in WON]
        known = [*share(known, 2 if who == "superuser" else 8, turn)]
        for (held, how, what, type_), call in [*known, *share_of_pairs(every, ONE_OF, 7 * turn, len(WAYS))]:
            prepare(ground, "game.colour" if type_ == "enum" else "text")
            place = place_of(ground, call, type_)
            hold = hold_table(TABLE) if held == "data" else hold_name(place["out"])
            played = play(
                ground, db, hold, move(how, TURNED[what], type_),
                lambda session, call=call, place=place: ENGINES[engine](session, call, place),
            )  # fmt: skip
            for error in played.errors:
                assert isinstance(error, REFUSED), error
                assert getattr(error, "sqlstate", "") not in ("XX000", "38000"), error
            seen.look(str(call), f"{held} held, {how}: {what} becomes {type_}")
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))


@pytest.mark.parametrize("engine", ENGINES)
def test_types_that_have_come_since_the_snapshot_run_nothing(ground: Ground, models: None, engine: str) -> None:
    """The catalogue tells of the types of then, and statements read the table as it is."""
    seen, attacker = Seen(ground, "superuser", engine), ground.sessions["attacker"]
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        prepare(ground)
        with db.transaction(force_rollback=True):
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            db.execute("SELECT 1")
            for statement in move("altered", TURNED["all"], "c_easy").now:
                attacker.execute(statement)  # type: ignore[arg-type]
            for call in share(readers(db, engine), 4, engine == "client"):
                seen.call(db, call, place_of(ground, call), "all changed")
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
