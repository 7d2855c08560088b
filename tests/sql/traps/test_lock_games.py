"""What a superuser reads of another role's model is what she has looked at, whatever its owner does meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from anothers_models import train
from function_calls import FIXED
from games import Hold, hold_name, hold_table, moves, play
from ground import CALLERS, Ground, ways
from shares import share_of_pairs
from trap_calls import ENGINES, REFUSED, Call, all_calls

SCHEMA = "game"
SUPERUSERS = {who: caller for who, caller in CALLERS.items() if caller.is_superuser}
# Small, so that there are tables to be added: models without surrogates and the like.
MODELS = {
    "tree": ("", "_nodes", "_summary"),
    "forest": ("", "_summary", "_group", "_packed"),
    "boost": ("", "_summary", "_group", "_packed"),
}
SMALL = {
    "tree": {"max_depth": 3, "min_split": 4},
    "forest": {"num_trees": 2, "max_tree_depth": 3, "importance": False},
    "boost": {"num_trees": 2, "max_leaf_nodes": 4},
}
OTHER = {
    "tree": ("forest_", "boost_", "get_tree"),
    "forest": ("tree_predict", "tree_display", "tree_surr", "tree_prune", "boost_"),
    "boost": ("tree_predict", "tree_display", "tree_surr", "tree_prune", "forest_", "get_tree"),
}  # functions that refuse a kind of model
GAMES = [
    (kind, held, name)
    for kind, parts in MODELS.items()
    for held in (*parts, "the data", "the output")
    for name in moves(f"{SCHEMA}.{kind}", parts)
]


def readers(db: psycopg.Connection, engine: str, kind: str) -> list[Call]:
    """Calls that read the model."""
    left = {"tree_train", "forest_train", "boost_train", "tree_tune", "tree_drop", "install_madlib_names"}
    return [
        call
        for call in all_calls(db, engine)
        if call.function not in left and not call.function.startswith(OTHER[kind])
    ]


@pytest.fixture(scope="module")
def masters(ground: Ground) -> Iterator[None]:
    """The models, to be copied for each game."""
    attacker = ground.sessions["attacker"]
    attacker.execute("CREATE SCHEMA master; GRANT USAGE ON SCHEMA master TO public")
    for kind, given in SMALL.items():
        train(attacker, kind, f"master.{kind}", **given)
    yield
    ground.quietly(f"DROP SCHEMA master CASCADE; DROP SCHEMA IF EXISTS {SCHEMA}, {SCHEMA}_old CASCADE")


def prepare(ground: Ground, kind: str) -> None:
    """The model in its schema, as it was trained."""
    attacker = ground.sessions["attacker"]
    ground.quietly(f"DROP SCHEMA IF EXISTS {SCHEMA}, {SCHEMA}_old CASCADE")
    attacker.execute(f"CREATE SCHEMA {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO public")
    for part in MODELS[kind]:
        attacker.execute(f"CREATE TABLE {SCHEMA}.{kind}{part} AS TABLE master.{kind}{part}")  # type: ignore[arg-type]
    if kind != "tree":
        found = attacker.execute("SELECT pg_get_viewdef(%s::regclass)", [f"master.{kind}_nodes"]).fetchone()
        assert found
        attacker.execute(f"CREATE VIEW {SCHEMA}.{kind}_nodes AS {found[0].replace('master.', f'{SCHEMA}.')}")
    attacker.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO public")


def waits_there(game: tuple[str, str, str], call: Call) -> bool:
    """Whether the call has to do with what is held."""
    needs = {"the data": "data", "the output": "out"}.get(game[1])
    return needs is None or needs in call.meanings.values()


def hold_on(held: str, model: str, out: str) -> Hold:
    if held == "the data":
        return hold_table("traps.d", on_model=False)
    return hold_name(out) if held == "the output" else hold_table(model + held)


WAYS = ways(SUPERUSERS)
ONE_OF = 6007  # games that are tried
# Games that were won once, each played by all; the last part is the function.
WON = [
    ("tree", "_nodes", "a new _surrogates, and an index later", "tree_sql"),
    ("tree", "", "a new _surrogates, and an index later", "get_var_importance"),
    ("tree", "_nodes", "a new _cv, and an index later", "tree_cp"),
    ("tree", "", "a new _competitors, and an index later", "tree_prune"),
    ("forest", "_packed", "a new _surrogates, and an index later", "forest_predict"),
    ("forest", "_group", "a new _cv, and an index later", "tree_to_json"),
    ("tree", "the data", "another schema, with indexes", "tree_predict"),
    ("forest", "the data", "another schema, with indexes", "tree_confusion"),
    ("tree", "the output", "another schema, with indexes", "tree_prune"),
    ("tree", "_summary", "an index on the trees", "models"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("who", "engine"), WAYS)
def test_nothing_that_comes_meanwhile_runs(ground: Ground, masters: None, who: str, engine: str) -> None:
    wrong, idle, intact = [], set[tuple[str, str, str]](), ""
    turn = WAYS.index((who, engine))
    ground.clear()
    with ground.calling(CALLERS[who]) as db:
        calls = {kind: readers(db, engine, kind) for kind in MODELS}
        every = [(game, call) for game in GAMES for call in calls[game[0]] if waits_there(game, call)]
        known = [(game, call) for game, call in every if (*game, call.function) in WON and len(call.named) == 0]
        for (kind, held, name), call in [*known, *share_of_pairs(every, ONE_OF, 37 * turn, len(WAYS))]:
            if (kind, held, str(call)) in idle:
                continue  # the call does not wait there: all moves are the same game
            if intact != kind:
                prepare(ground, kind)
            model = f"{SCHEMA}.{kind}"
            place = {**FIXED, "model": model, "data": "traps.d", "out": ground.new_name()}
            ground.sprung()
            played = play(
                ground, db, hold_on(held, model, place["out"]), moves(model, MODELS[kind])[name],
                lambda session, call=call, place=place: ENGINES[engine](session, call, place),
            )  # fmt: skip
            wrong += [
                f"{who}, by the {engine}: {call} while {held or 'the trees'} of a {kind} is held, {name}: the trap "
                f"({trap}) ran{' as a superuser' * won}"
                for trap, won in ground.sprung().items()
            ]
            intact = "" if played.moved else kind
            if not played.waited:
                idle.add((kind, held, str(call)))
            for error in played.errors:
                assert isinstance(error, REFUSED), error
    assert not wrong, "\n".join(wrong)
