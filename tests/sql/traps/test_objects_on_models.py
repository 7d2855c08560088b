"""What stands on a table of another role's model, or is in it besides a model's columns, runs for nobody."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from anothers_models import FULL, PARTS, drop, give_to_team, train
from function_calls import FIXED, SMALL
from ground import CALLERS, Ground, Seen, ways
from shares import ALL, share
from trap_calls import Call, all_calls
from trap_objects import OBJECTS, put
from trap_objects import drop as take_away
from trap_types import TYPES

KIND_OF = {"tree": "traps.own_tree", "forest": "traps.own_forest", "boost": "traps.own_boost"}
REPLACING = [
    Call(f"{kind}_train", {"training_table_name": "data", "output_table_name": "model"},
         {"id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, k", "replace": True,
          **SMALL[f"{kind}_train"]})
    for kind in KIND_OF
]  # fmt: skip
WAYS = ways(CALLERS)
CALLS_EACH = 2  # with one object on one table


@pytest.fixture(scope="module")
def models(ground: Ground) -> Iterator[dict[str, dict[str, str]]]:
    """By caller's kind and model's kind: the attacker's own, and those of the group."""
    attacker, made = ground.sessions["attacker"], {"own": {}, "team": {}}
    for owner, names in made.items():
        for kind, given in FULL.items():
            names[kind] = f"traps.{owner}_{kind}"
            train(attacker, kind, names[kind], **given)
            if owner == "team":
                give_to_team(ground, names[kind])
    yield made
    for names in made.values():
        for model in names.values():
            drop(attacker, model)


def owner_of(who: str) -> str:
    return "team" if who.endswith("group") else "own"


def calls_of(db: psycopg.Connection, engine: str) -> list[Call]:
    return [call for call in all_calls(db, engine) if not call.function.endswith("_train")]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_nothing_on_a_models_table_runs(
    ground: Ground, models: dict[str, dict[str, str]], who: str, engine: str
) -> None:
    seen, mine = Seen(ground, who, engine), WAYS.index((who, engine))
    attacker = ground.sessions["attacker"]
    pairs = [(kind, part, what) for kind, parts in PARTS.items() for part in parts for what in OBJECTS]
    ground.clear()
    with ground.calling(CALLERS[who]) as db:
        calls = [*calls_of(db, engine), *REPLACING]
        for turn, (kind, part, what) in enumerate(share(pairs, 293, mine)):
            model = models[owner_of(who)][kind]
            attacker.execute(put(what, model + part, _column(part), f"object: {what}", "planted"))  # type: ignore[arg-type]
            ground.sprung()
            ground.warnings.clear()
            some = [calls[(turn * CALLS_EACH + number) % len(calls)] for number in range(CALLS_EACH)]
            for call in share(calls, len(calls), turn + mine, of_all=len(WAYS)) if ALL else some:
                place = {**FIXED, "model": model, "data": "traps.d", "out": ground.new_name()}
                with db.transaction(force_rollback=call in REPLACING):
                    seen.call(db, call, place, f"{what} on {model}{part}")
            attacker.execute(take_away(what, model + part, "planted"))  # type: ignore[arg-type]
    assert not seen.wrong, "\n".join(seen.wrong)


def _column(part: str) -> str:
    columns = {"_summary": "method", "_cv": "cp", "_oob": "n_oob_trees", "_statistics": "feature"}
    return columns.get(part, "gid" if part in ("_group", "_rounds", "_categories") else "tree_id")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_further_columns_of_a_models_tables_are_not_taken_over(
    ground: Ground, models: dict[str, dict[str, str]], who: str, engine: str
) -> None:
    """Types of each sort, in some of the tables."""
    seen, attacker = Seen(ground, who, engine), ground.sessions["attacker"]
    types = {name: TYPES[name] for name in ("c_span", "c_few", "c_mood", "c_pair", "c_span_array")}
    added = ", ".join(f"ADD {name} {type_.sql}" for name, type_ in types.items())
    filled = ", ".join(f"{name} = '{type_.low}'" for name, type_ in types.items())
    dropped = ", ".join(f"DROP {name}" for name in types)
    ground.clear()
    with ground.calling(CALLERS[who]) as db:
        for turn, (kind, parts) in enumerate(PARTS.items(), WAYS.index((who, engine))):
            model = models[owner_of(who)][kind]
            some = share(parts, 3, turn)
            for part in some:
                attacker.execute(f"ALTER TABLE {model}{part} {added}; UPDATE {model}{part} SET {filled}")  # type: ignore[arg-type]
            ground.sprung()
            ground.warnings.clear()
            calls = calls_of(db, engine)
            copying = [call for call in calls if call.function == "tree_prune"]
            for call in [*copying, *share(calls, 233, turn)]:
                place = {**FIXED, "model": model, "data": "traps.d", "out": ground.new_name()}
                seen.call(db, call, place, f"further columns in {model}")
            for part in some:
                attacker.execute(f"ALTER TABLE {model}{part} {dropped}")  # type: ignore[arg-type]
    assert not seen.wrong, "\n".join(seen.wrong)
