"""Training casts what it groups by and predicts, where that runs nothing of others'. Of another table, whose columns of
these names are of other types, the casts are not asked for: there they could be functions of the types' owner.
"""

from __future__ import annotations

from typing import Any

import pytest
from anothers_models import train
from function_calls import FIXED, SMALL
from ground import CALLERS, Ground, Seen
from shares import share
from trap_calls import ENGINES, all_calls

# A superuser's models of the table with the types, by what is cast: a domain's value to the type below, a number that
# is a class to its text.
MODELS: dict[str, dict[str, Any]] = {
    "tree": {"grouping_cols": "c_word"},
    "forest": {"grouping_cols": "c_word AS s"},
    "boost": {"dependent_variable": "c_share", "classification": True},
    "tree_2": {"dependent_variable": "z", "classification": True},
}
COLUMNS = ("c_word", "c_share", "z")  # that are of a type with casts to everything in the other table
ALWAYS = ("tree_predict", "forest_predict", "boost_predict", "tree_evaluate", "calibrate")


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_of_other_types_are_not_cast(ground: Ground, engine: str) -> None:
    seen, attacker, boss = Seen(ground, "superuser", engine), ground.sessions["attacker"], ground.sessions["boss"]
    ground.clear()
    ground.quietly("CREATE SCHEMA casters; GRANT USAGE ON SCHEMA casters TO public")
    for name, more in MODELS.items():
        kind = name.partition("_")[0]
        given = {"training_table_name": "traps.t", **SMALL[f"{kind}_train"], **more}
        train(boss, kind, f"casters.{name}", **given)
    values = ", ".join(f"(1 + g)::text::traps.easy AS {column}" for column in COLUMNS)
    attacker.execute(f"CREATE TABLE traps.easily AS SELECT id, x, k, y, w, g, {values} FROM traps.t")  # type: ignore[arg-type]
    attacker.execute("GRANT SELECT ON traps.easily TO public")
    ground.sprung()
    with ground.calling(CALLERS["superuser"]) as db:
        calls = [call for call in all_calls(db, engine) if {"model", "data"} <= {*call.meanings.values()}]
        for turn, name in enumerate(MODELS):
            for call in [*(c for c in calls if c.function in ALWAYS and not c.named), *share(calls, 5, turn)]:
                place = {**FIXED, "model": f"casters.{name}", "data": "traps.easily", "out": ground.new_name()}
                seen.call(db, call, place, name)
    attacker.execute("DROP TABLE traps.easily")
    ground.quietly("DROP SCHEMA casters CASCADE")
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
    assert {"tree_predict", "forest_predict", "tree_evaluate"} <= seen.done
