"""The generator's calls are of all functions, and each of them does something."""

from __future__ import annotations

import pytest
from function_calls import FIXED, MEANINGS
from ground import CALLERS, Ground, Seen
from shares import ALL
from trap_calls import ENGINES, all_calls, functions, relations

OWN = (
    "SELECT madtree.tree_train('work.data', 'work.tree', 'id', 'y', 'x, k', max_depth => 3, "
    "surrogate_params => 'max_surrogates=1', pruning_params => 'n_folds=2', max_competitors => 1)",
    "SELECT madtree.forest_train('work.data', 'work.forest', 'id', 'y', 'x, k', num_trees => 2, max_tree_depth => 3, "
    "null_handling_params => 'max_surrogates=1', oob_predictions => true)",
    "SELECT madtree.boost_train('work.data', 'work.boosted', 'id', 'y', 'x, k', num_trees => 2, max_leaf_nodes => 4)",
    *(f"SELECT madtree.tree_statistics('work.{kind}', 'work.data')" for kind in ("tree", "forest", "boosted")),
    *(f"SELECT madtree.conformal_train('work.{kind}', 'work.data')" for kind in ("tree", "forest", "boosted")),
)


def test_every_argument_that_must_be_given_has_a_meaning(ground: Ground) -> None:
    unknown = {
        f"{function}({name})"
        for function, names in functions(ground.sessions["admin"])
        for name in names
        if name not in MEANINGS
    }
    assert not unknown, "say in MEANINGS what these stand for"
    assert relations(ground.sessions["admin"]) == ["activity", "model_list", "models"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_call_answers_for_a_model_of_ones_own(ground: Ground, engine: str) -> None:
    ground.clear()
    seen = Seen(ground, "superuser", engine)
    with ground.calling(CALLERS["superuser"]) as db:
        db.execute("CREATE TABLE work.data AS SELECT id, x, k, y FROM traps.t")
        for statement in OWN:
            db.execute(statement)
        calls = [*all_calls(db, engine)]
        models = ["work.tree", "work.forest", "work.boosted"]
        for turn, call in enumerate(calls, [*ENGINES].index(engine)):
            for model in (models * 2)[turn % 3 :][:3]:
                place = {**FIXED, "model": model, "data": "work.data", "out": ground.new_name()}
                if seen.call(db, call, place, f"{model} of her own") and not ALL:
                    break
    assert not seen.wrong
    assert {call.function for call in calls} == seen.done
