"""A superuser, whatever role she has taken, runs nothing that another role wrote into a model, member or not."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from anothers_models import EXPRESSIONS, drop, give_to_team, spoil_id, train
from function_calls import FIXED, SMALL
from ground import AS_ATTACKER, CALLERS, Caller, Ground, Seen, ways
from shares import share
from trap_calls import all_calls

from madtree.engine import call
from madtree.host.psycopg import PsycopgHost

SUPERUSERS = {who: caller for who, caller in {**CALLERS, **AS_ATTACKER}.items() if caller.is_superuser}


@pytest.fixture(scope="module", params=["tree", "forest", "boost"])
def models(ground: Ground, request: pytest.FixtureRequest) -> Iterator[dict[tuple[str, str], str]]:
    """Models with an expression in each place, of the attacker's and of the group's, by place."""
    made, attacker = {}, ground.sessions["attacker"]
    for owner in ("attacker", "team"):
        for number, (place, given) in enumerate(EXPRESSIONS.items()):
            if place == "offsets" and request.param != "boost":
                continue
            if place == "exposure" and request.param == "forest":
                continue
            if place == "exposure" and request.param == "boost":
                given = {**{k: v for k, v in given.items() if k != "split_criterion"}, "loss": given["split_criterion"]}
            model = f"traps.{owner}_{request.param}_{number}"
            train(attacker, request.param, model, **{**SMALL[f"{request.param}_train"], **given})
            if place == "id":
                spoil_id(attacker, model)
            if owner == "team":
                give_to_team(ground, model)
            made[owner, place] = model
    yield made
    for model in made.values():
        drop(attacker, model)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("who", "engine"), ways(SUPERUSERS))
def test_no_expression_runs(ground: Ground, models: dict[tuple[str, str], str], who: str, engine: str) -> None:
    seen = Seen(ground, who, engine)
    ground.clear()
    with ground.calling(SUPERUSERS[who]) as db:
        calls = [each for each in all_calls(db, engine) if not each.function.endswith("_train")]
        for turn, ((owner, place), model) in enumerate(models.items()):
            if (owner == "team") != who.endswith("group"):
                continue
            for each in share(calls, 97, turn + [*SUPERUSERS].index(who)):
                where = {**FIXED, "model": model, "data": "traps.d", "out": ground.new_name()}
                seen.call(db, each, where, f"an expression as {place} of {model}")
    assert not seen.wrong, "\n".join(seen.wrong)


def test_no_expression_runs_in_a_function_of_hers(ground: Ground, models: dict[tuple[str, str], str]) -> None:
    """Whoever calls a SECURITY DEFINER function has logged in as somebody else than as whom it runs."""
    seen = Seen(ground, "the attacker", "superuser's function")
    ground.clear()
    with ground.calling(Caller("attacker")) as db:
        calls = [each for each in all_calls(db, "extension") if not each.function.endswith("_train")]
        for turn, ((owner, place), model) in enumerate(models.items()):
            for each in share(calls, 24, turn) if owner == "attacker" else []:
                where = {**FIXED, "model": model, "data": "traps.d", "out": ground.new_name()}
                seen.call(db, each, where, f"an expression as {place} of {model}")
    assert not seen.wrong, "\n".join(seen.wrong)
    assert seen.done


def test_with_trust_it_runs(ground: Ground, models: dict[tuple[str, str], str]) -> None:
    """So the traps work."""
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        for (_, place), model in models.items():
            kind = model.split("_")[-2]
            if place in ("dependent variable", "weights", "exposure"):
                continue  # which scoring does not need
            out = ground.new_name()
            db.execute(f"SELECT madtree.{kind}_predict(%s, 'traps.d', %s, trust_owner => true)", [model, out])  # type: ignore[arg-type]
            assert ground.sprung() == {"expression": True}, (place, model)


@pytest.fixture(scope="module")
def models_of_all(ground: Ground) -> Iterator[None]:
    """A model of each: the attacker, an ordinary role, a superuser; and one of hers in a schema of her own."""
    owners = {role: ground.sessions[role] for role in ("attacker", "plain", "admin")}
    owners["admin"].execute("CREATE SCHEMA admins; GRANT USAGE ON SCHEMA admins TO public")
    models = {f"traps.of_{role}": db for role, db in owners.items()} | {"admins.own": owners["admin"]}
    for model, db in models.items():
        train(db, "tree", model)
    yield
    for model, db in models.items():
        drop(db, model)
    owners["admin"].execute("DROP SCHEMA admins")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("who", "engine"), ways({**CALLERS, **AS_ATTACKER}))
def test_models_of_others_are_listed_by_name_only(ground: Ground, models_of_all: None, who: str, engine: str) -> None:
    """The owners whose tables are read are superusers and the login; and by a superuser, only where the schema is
    theirs, too: its owner could replace the tables.
    """
    caller = {**CALLERS, **AS_ATTACKER}[who]
    with ground.calling(caller) as db:
        found = listed(db, engine)
    admin = ground.sessions["admin"].info.user
    assert {owner for _, owner, _ in found} >= {ground.names["attacker"], ground.names["plain"], admin}
    told = {(schema, owner) for schema, owner, kind in found if kind is not None}
    assert ("admins", admin) in told
    assert {owner for _, owner in told} <= {ground.names[caller.login], admin}
    assert ("traps", admin) not in told or not caller.is_superuser


def listed(db: psycopg.Connection, engine: str) -> set[tuple[str, str, str | None]]:
    """Schemas and owners of models, and what is told of these."""
    if engine == "extension":
        return {*db.execute("SELECT DISTINCT schema, owner, kind FROM madtree.models").fetchall()}
    with db.transaction():
        found = call(PsycopgHost(db), "models")
    places = [found.columns.index(name) for name in ("schema", "owner", "kind")]
    return {tuple(row[place] for place in places) for row in found.rows}
