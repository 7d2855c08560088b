"""A table that is filled anew by `replace => true` runs nothing of another role's: where something on it would, it is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anothers_models import train
from function_calls import FIXED, SMALL
from ground import AS_ATTACKER, Ground, Seen
from shares import share
from trap_calls import ENGINES, Call
from trap_objects import OBJECTS, put, spring
from trap_objects import drop as take_away

# What makes a table that it replaces later, by a superuser's own model.
MAKERS = {
    "predictions": Call("tree_predict", {"tree_model": "model", "new_data_table": "data", "output_table": "out"},
                        {"replace": True}),
    "contributions": Call("tree_shap", {"model": "model", "new_data_table": "data", "output_table": "out"},
                          {"replace": True}),
    "scores": Call("tree_tune", {"training_table_name": "data", "output_table_name": "out"},
                   {"id_col_name": "id", "dependent_variable": "y", "list_of_features": "x, k", "n_folds": 2,
                    "replace": True}),
}  # fmt: skip
COLUMNS = {"predictions": "id", "contributions": "id", "scores": "setting"}
TABLE = "traps.filled"
# A key of a table of the attacker's: PostgreSQL asks that table for each row, by the rights of its owner, who can have
# more done when the transaction ends, by those of whoever is at work then.
KEY = "foreign key"
PUT_KEY = (
    "CREATE TABLE traps.keys AS SELECT i::int4 AS id FROM generate_series(0, 500) AS i; "
    "ALTER TABLE traps.keys ADD PRIMARY KEY (id); CREATE INDEX ON traps.keys (id) WHERE {spring} = 1; "
    "ALTER TABLE {table} ADD CONSTRAINT filled_key FOREIGN KEY ({column}) REFERENCES traps.keys"
)
DROP_KEY = "ALTER TABLE {table} DROP CONSTRAINT filled_key; DROP TABLE traps.keys"


@pytest.fixture(scope="module")
def model(ground: Ground) -> Iterator[str]:
    """A superuser's, of plain columns."""
    ground.quietly("CREATE SCHEMA bosses; GRANT USAGE ON SCHEMA bosses TO public")
    train(ground.sessions["boss"], "tree", "bosses.m", **SMALL["tree_train"])
    yield "bosses.m"
    ground.quietly("DROP SCHEMA bosses CASCADE")


def put_on(table: str, what: str, column: str) -> str:
    if what == KEY:
        return PUT_KEY.format(table=table, column=column, spring=spring("planted"))
    return put(what, table, column, "planted", "filled_trap")


def taken_from(table: str, what: str) -> str:
    return DROP_KEY.format(table=table) if what == KEY else take_away(what, table, "filled_trap")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("who", AS_ATTACKER)
def test_nothing_on_a_replaced_table_runs(ground: Ground, model: str, who: str, engine: str) -> None:
    """By a superuser who has taken the role of the table's owner."""
    seen, attacker, replaced = Seen(ground, who, engine), ground.sessions["attacker"], 0
    ground.clear()
    for turn, (made, call) in enumerate(MAKERS.items(), [*ENGINES].index(engine)):
        for what in share([*OBJECTS, KEY], 2, turn):
            with ground.calling(AS_ATTACKER[who]) as db:
                place = {**FIXED, "model": model, "data": "traps.d", "out": TABLE}
                ENGINES[engine](db, call, place)
                try:
                    attacker.execute(put_on(TABLE, what, COLUMNS[made]))  # type: ignore[arg-type]
                    ground.sprung()
                    replaced += seen.call(db, call, place, f"{what} on the table of {made}")
                    attacker.execute(taken_from(TABLE, what))  # type: ignore[arg-type]
                finally:
                    attacker.execute(f"DROP TABLE {TABLE} CASCADE")
    assert not seen.wrong, "\n".join(seen.wrong)
    assert replaced < len(MAKERS) * len(OBJECTS)


def test_the_key_is_a_trap(ground: Ground) -> None:
    """Whoever fills the table by herself springs it."""
    attacker = ground.sessions["attacker"]
    attacker.execute(f"CREATE TABLE {TABLE} (id int4)")
    attacker.execute(put_on(TABLE, KEY, "id"))  # type: ignore[arg-type]
    ground.sprung()
    with ground.calling(AS_ATTACKER["superuser after SET ROLE to the attacker"]) as db:
        db.execute(f"INSERT INTO {TABLE} VALUES (1)")
    assert "planted" in ground.sprung()
    attacker.execute(f"DROP TABLE {TABLE}, traps.keys")
