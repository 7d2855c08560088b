"""Training on another role's table, and using such models, runs no function of the types of its columns, and leaves no
table in which others would run them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from function_calls import FIXED, SMALL
from ground import CALLERS, Ground, Seen, ways
from shares import ALL, share
from trap_calls import Call, all_calls
from trap_types import TOGETHER, TYPES

# Where a column of the type can stand: the arguments of a training, and the columns that a plain SELECT would read.
POSITIONS: dict[str, dict[str, str]] = {
    "grouping column": {"grouping_cols": "{c}"},
    "grouping expression": {"grouping_cols": "COALESCE({c}, {c}) AS e"},
    "id": {"id_col_name": "{c}"},
    "dependent variable": {"dependent_variable": "{c}"},
    "feature": {"list_of_features": "x, {c}"},
    "weights": {"weights": "{c}"},
    "fold column": {"pruning_params": "n_folds=2, fold_col={c}"},
    "exposure": {"dependent_variable": "w", "split_criterion": "poisson", "exposure": "{c}"},
    "every column": {"list_of_features": "*"},
}
# Other arguments of boosting for the same; None where a function has none.
OTHERWISE: dict[str, dict[str, dict[str, str] | None]] = {
    "forest_train": {"fold column": None, "exposure": None},
    "boost_train": {
        "fold column": {"validation_params": "fold_col={c}"},
        "exposure": {"dependent_variable": "w", "loss": "poisson", "exposure": "{c}"},
    },
}
# What a superuser trains in each run, half of it by each engine, and uses by every other call that makes a table or
# takes an id; the others train the first of these. Of the rest they try a share.
ALWAYS = [
    ("grouping column", "all types"),
    *(("id", column) for column in ("c_few", "c_span", "c_tone")),
    *(("dependent variable", column) for column in ("c_mood", "c_tone")),
    *(("feature", column) for column in ("c_tint", "c_share_array")),
]
# Of how many trainings one is made: by a superuser, and by the others.
BY_SUPERUSER, BY_OTHERS = 67, 251
WAYS = ways(CALLERS)
# Of a model, one of so many calls is made; also where all cases are tried: trainings are by what trains, position and
# column, and so each call meets each column, and each position, in every one of several ways.
USES, USES_OF_ALL = 31, 24
LEFT_AT_ONCE = 50  # models that are left at once; each look at what is left goes through all of it


def training(function: str, position: str, column: str) -> Call:
    named = {"id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, k", **SMALL[function]}
    more = OTHERWISE.get(function, {}).get(position) or POSITIONS[position]
    named |= {name: text.format(c=column) for name, text in more.items()}
    return Call(function, {"training_table_name": "data", "output_table_name": "model"}, named)


def trainings() -> Iterator[tuple[Call, str, str]]:
    """Each with its position and column."""
    for function in ("tree_train", "forest_train", "boost_train"):
        for position in POSITIONS:
            if OTHERWISE.get(function, {}).get(position, {}) is None:
                continue
            for column in ["id"] if position == "every column" else TYPES:
                yield training(function, position, column), position, column
            if position == "grouping column":
                yield training(function, position, TOGETHER), position, "all types"


def uses(db: psycopg.Connection, engine: str) -> list[Call]:
    return [call for call in all_calls(db, engine) if "model" in call.meanings.values()]


def makes_or_finds(call: Call) -> bool:
    """Whether it makes a table, or looks for a row by its id."""
    return bool({"out", "row"} & {*call.meanings.values()}) and not call.named


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_no_function_of_anothers_type_runs(ground: Ground, who: str, engine: str) -> None:
    seen, turn = Seen(ground, who, engine), WAYS.index((who, engine))
    ground.clear()
    every = [*trainings()]
    is_superuser = who == "superuser"
    always, one_of = (share(ALWAYS, 2, turn), BY_SUPERUSER) if is_superuser else (ALWAYS[:1], BY_OTHERS)
    chosen = [each for each in every if each[1:] in always]
    chosen += share([each for each in every if each[1:] not in always], one_of, turn)
    with ground.calling(CALLERS[who]) as db:
        further, answered = uses(db, engine), set[tuple[str, str]]()
        for number, (call, position, column) in enumerate(chosen):
            if number % LEFT_AT_ONCE == LEFT_AT_ONCE - 1:
                ground.clear()
            place: dict[str, Any] = {
                **FIXED,
                "model": ground.new_name(),
                "data": "traps.t",
                "row": TYPES[column].low if position == "id" else "7",
            }
            about = f"{column} as {position}"
            if not seen.call(db, call, place, about):
                continue
            answered.add((position, column))
            chosen_uses = share(further, USES, turn + every.index((call, position, column)), of_all=USES_OF_ALL)
            if (position, column) in always and not ALL:
                # A superuser has four of each function: one of four of its uses meet each place, others the next.
                chosen_uses = share([use for use in further if makes_or_finds(use)], 4, number + number // 4)
            for use in chosen_uses:
                seen.call(db, use, {**place, "out": ground.new_name()}, about)
    assert answered >= {*always}
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))


def test_a_select_runs_none_of_them(ground: Ground) -> None:
    """So nothing of them is permitted. But ANALYZE runs each of those that statistics need."""
    ground.clear()
    columns = ", ".join(TYPES)
    queries = [f"SELECT {columns} FROM traps.t", *(f"SELECT {c} FROM traps.t GROUP BY {c}" for c in TYPES)]
    assert ground.run_by_a_select(CALLERS["superuser"], queries) == set()
    ground.sessions["admin"].execute("CREATE TABLE work.copy AS SELECT * FROM traps.t; ANALYZE work.copy")
    assert {trap for trap, won in ground.sprung().items() if won} == {
        f"subtype_diff of {name}" for name in ("span", "spans", "moods", "fews")
    }
