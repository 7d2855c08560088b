"""To train on another role's relation, to score or to test it, runs what a plain SELECT of its columns does."""

from __future__ import annotations

import pytest
from function_calls import FIXED, SMALL
from ground import CALLERS, SOURCES, Ground, Seen, ways
from shares import share
from trap_calls import Call, all_calls
from trap_objects import OBJECTS

RELATIONS = {**SOURCES, **{kind: f"traps.o_{number}" for number, kind in enumerate(OBJECTS)}}
WAYS = ways(CALLERS)
TRAININGS = [
    Call(function, {"training_table_name": "data", "output_table_name": "model"},
         {"id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, k", "grouping_cols": "g",
          "weights": "w", **SMALL[function]})
    for function in ("tree_train", "forest_train", "boost_train")
]  # fmt: skip


def plain(relation: str) -> list[str]:
    """What reads the columns, whatever rows are asked for."""
    endings = ("", " WHERE id IS NOT NULL", " GROUP BY id, x, k, y, w, g")
    return [f"SELECT id, x, k, y, w, g FROM {relation}{ending}" for ending in endings]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_what_a_select_would_not_run_does_not_run(ground: Ground, who: str, engine: str) -> None:
    seen, turn, answered = Seen(ground, who, engine), WAYS.index((who, engine)), 0
    ground.clear()
    for number, (what, relation) in enumerate(share([*RELATIONS.items()], 6, turn)):
        permitted = ground.run_by_a_select(CALLERS[who], plain(relation))
        with ground.calling(CALLERS[who]) as db:
            uses = [call for call in all_calls(db, engine) if "data" in call.meanings.values()]
            uses = [call for call in uses if not call.function.endswith("_train")]
            for training in TRAININGS:
                place = {**FIXED, "model": ground.new_name(), "data": relation}
                answered += seen.call(db, training, place, f"{what} ({relation})", permitted)
                for use in share(uses, 83, turn + number, of_all=len(CALLERS)):
                    seen.call(db, use, {**place, "out": ground.new_name()}, f"{what} ({relation})", permitted)
    assert answered > 2
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))


def test_the_traps_work(ground: Ground) -> None:
    """A plain SELECT runs those of views and of what is looked at in planning."""
    ran = ground.run_by_a_select(
        CALLERS["superuser"], [query for relation in RELATIONS.values() for query in plain(relation)]
    )
    assert ran >= {
        "source: view",
        "object: index on an expression",
        "object: index predicate",
        "object: child",
        "object: statistics on an expression",
    }
