"""No way into the client runs a function of the types of another role's table or model, and none looks at something in
one transaction to use it in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import psycopg
import pytest
from anothers_models import drop, train
from client_entries import Command, ask, commands, entries, estimators
from function_calls import FIXED, SMALL
from ground import CALLERS, Ground, Seen
from invoked import invoke
from pooler import kept
from shares import ALL, share
from test_clients import refused
from trap_types import TYPES

import madtree
from madtree.host.psycopg import PsycopgHost
from madtree.report import build_report

# The columns of a table to score, of which each in turn, and all together, have a type with casts to everything.
COLUMNS = {"id": "id", "x": "1 + x % 2", "k": "1 + x % 2", "y": "1 + g", "z": "1 + g", "w": "1 + g", "g": "1 + g"}
CASTING = TYPES["c_easy"]
# The types' owner groups by them as they are, but for those of which PostgreSQL finds several operators "equals" by
# implicit casts, or none, as for a domain over an enum.
NOT_GROUPED = ("c_easy", "c_feeling", "c_tint", "c_tone_array", "c_word_array")
GROUPED = ", ".join(column for column in TYPES if column not in NOT_GROUPED)
PLACE = {**FIXED, "dependent": "y", "weights": "w"}
# Models of the attacker's whose columns have its types, by what they are of; and what is trained beside.
THEIRS: dict[str, dict[str, str]] = {
    "outcome": {"dependent_variable": "c_mood", "list_of_features": "x, k"},
    "easy outcome": {"dependent_variable": "c_easy", "list_of_features": "x, k"},
    "groups": {"grouping_cols": GROUPED},
    "features": {"list_of_features": "x, c_mood, c_easy"},
    "ids": {"id_col_name": "c_easy"},
}
KINDS = ("tree", "forest", "boost")
KEEP = "SELECT madtree.tree_statistics(%(model)s, 'traps.t'), madtree.conformal_train(%(model)s, 'traps.t', '0.5, 0.9')"


def tables() -> list[str]:
    return [*(f"traps.s_{column}" for column in COLUMNS), "traps.s_all"]


def theirs() -> list[tuple[str, str, dict[str, str]]]:
    """Kinds, names and arguments of the attacker's models: of each argument one kind where not all are tried."""
    every = [
        (kind, f"traps.theirs_{kind}_{number}", given) for number, given in enumerate(THEIRS.values()) for kind in KINDS
    ]
    return [each for place, each in enumerate(every) if ALL or place % 3 == place // 3 % 3]


@pytest.fixture(scope="module")
def ground_with_models(ground: Ground) -> Iterator[Ground]:
    """The tables, the attacker's models of his types, and a superuser's model of the plain table."""
    attacker, boss = ground.sessions["attacker"], ground.sessions["boss"]
    for name, swapped in [*((column, [column]) for column in COLUMNS), ("all", list(COLUMNS))]:
        values = ", ".join(
            f"({COLUMNS[column] if column != 'id' else '1 + id % 2'})::text::{CASTING.sql} AS {column}"
            if column in swapped
            else column
            for column in COLUMNS
        )
        attacker.execute(f"CREATE TABLE traps.s_{name} AS SELECT {values} FROM traps.t")  # type: ignore[arg-type]
    made = []
    for kind, name, given in theirs():
        train(attacker, kind, name, **{"training_table_name": "traps.t", **SMALL[f"{kind}_train"], **given})
        attacker.execute(KEEP, {"model": name})
        made.append(name)
    attacker.execute("GRANT SELECT ON ALL TABLES IN SCHEMA traps TO public")
    ground.quietly("CREATE SCHEMA bosses; GRANT ALL ON SCHEMA bosses TO public")
    for kind in KINDS:
        train(boss, kind, f"bosses.{kind}", list_of_features="x, k, z", weights="w", **SMALL[f"{kind}_train"])
    train(boss, "tree", "bosses.numbers", dependent_variable="z", list_of_features="x, k", **SMALL["tree_train"])
    for model in (*KINDS, "numbers"):
        boss.execute(KEEP, {"model": f"bosses.{model}"})
    yield ground
    for name in made:
        drop(attacker, name)
    ground.quietly("DROP SCHEMA bosses CASCADE")


def places() -> list[tuple[str, str]]:
    """Model and data: others' models of their types, and one's own on tables of others' types."""
    own = [(f"bosses.{model}", table) for model in (*KINDS, "numbers") for table in tables()]
    return [*((name, "traps.t") for _, name, _ in theirs()), *own]


def few_trees(kind: Any) -> dict[str, int]:
    """Parameters of an estimator of several trees."""
    return {name: 2 for name in ("n_estimators", "max_iter") if name in kind().get_params()}


def share_of_entries(engine: str) -> set[str]:
    """The entries that must answer by an engine: where not all are tried, every other one by each of the two."""
    kinds = (madtree.Client, madtree.Model, madtree.Forest, madtree.BoostedModel)
    every = [f"{kind.__name__}.{name}" for kind in kinds for name in entries(kind)]
    return {*share(every, 2, engine == "client")}


def things(client: madtree.Client, model: str) -> list[Any]:
    kinds = {"forest": client.forest, "boost": client.boosted}
    return [client, next((own for kind, own in kinds.items() if kind in model), client.model)(model)]


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_objects_run_nothing_of_the_types(ground_with_models: Ground, engine: str) -> None:
    ground, wanted = ground_with_models, share_of_entries(engine)
    seen, answered = Seen(ground, "superuser", engine), set[str]()
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        client = madtree.connect(db, engine=engine, on_message=lambda line: None)

        def ask_for(thing: Any, name: str, model: str, table: str) -> None:
            place = {**PLACE, "model": model, "data": table, "out": ground.new_name()}
            if not refused(lambda: ask(thing, name, place, table=table)):
                answered.add(f"{type(thing).__name__}.{name}")
            seen.look(name, f"{model} on {table}")

        for turn, (model, table) in enumerate(places()):
            for thing in things(client, model):
                for name in share(entries(type(thing)), 449 if model.startswith("bosses") else 227, turn):
                    ask_for(thing, name, model, table)
            if ALL or turn % 37 == (engine == "client"):
                refused(lambda model=model, table=table: build_report(client, model, data=table))
                seen.look("the page", f"{model} on {table}")
        # The share may give an entry only models that it refuses.
        for model, table in product(
            (*(f"bosses.{kind}" for kind in KINDS), "bosses.numbers"), ("traps.d", "traps.s_x")
        ):
            for thing in things(client, model):
                for name in entries(type(thing)):
                    if f"{type(thing).__name__}.{name}" in wanted - answered:
                        ask_for(thing, name, model, table)
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
    every = {name for name in wanted if not name.startswith("Client.")}
    without = {"Model.competitors", "Model.surrogates", "Model.cv"}  # which these models have not
    of_frames = {"BoostedModel.predict", "BoostedModel.staged_predict", "Forest.predict"}  # which read no table
    assert answered >= every - without - of_frames - {"BoostedModel.to_lightgbm"}  # which refuses splits by texts


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_estimators_run_nothing_of_the_types(ground_with_models: Ground, engine: str) -> None:
    ground = ground_with_models
    seen, answered = Seen(ground, "superuser", engine), set[str]()
    kinds = share([*estimators().items()], 2, engine == "client")
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        client = madtree.connect(db, engine=engine, on_message=lambda line: None)
        for turn, (which, kind) in enumerate(kinds):
            small = few_trees(kind)
            outcome, fitted = "z" if which.endswith("Regressor") else "y", dict[str | None, Any]()
            for number, table in enumerate(["traps.s_all", *share(tables(), 8, turn)]):
                more = {"class_weight": "balanced"} if "class_weight" in kind().get_params() and number % 2 else {}
                id_ = None if number == 1 else "id"
                place = {**PLACE, "data": table, "dependent": outcome}
                if id_ not in fitted:
                    fitted[id_] = kind(client, list_of_features="x, k", id_col_name=id_, max_depth=3, **small)
                    fitted[id_].fit("traps.d", outcome)
                other = kind(client, list_of_features="x, k", id_col_name=id_, max_depth=3, **small, **more)
                asked = [name for name in entries(kind) if name != "fit"]
                for estimator, names in ((fitted[id_], share(asked, 2, number) if number else asked), (other, ["fit"])):
                    for name in names:
                        work = lambda e=estimator, n=name, p=place: ask(e, n, p, sample_weight="w")  # noqa: E731
                        if not refused(work):
                            answered.add(f"{which}.{name}")
                        seen.look(f"{which}.{name}", table)
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
    every = {f"{which}.{name}" for which, kind in kinds for name in entries(kind)}
    assert answered >= every - {"GradientBoostingRegressor.to_lightgbm"}  # which refuses splits by texts


@pytest.fixture(scope="module")
def boss(ground: Ground) -> Iterator[str]:
    """A superuser's DSN by way of sessions that go from one command to the next."""
    with kept(ground.logins["boss"]) as through:
        yield through


def test_commands_run_nothing_of_the_types(ground_with_models: Ground, boss: str) -> None:
    ground = ground_with_models
    seen, answered = Seen(ground, "superuser", "command line"), set[str]()
    ground.clear()
    every = list(commands())
    with ground.calling(CALLERS["superuser"]):
        for turn, (model, table) in enumerate(places()):
            for command in share(every, 289, turn):
                answered |= run(ground, boss, command, model, table)
                seen.look(str(command), f"{model} on {table}")
        # The share may give a command only models that it refuses, as pruning refuses forests.
        for command in every:
            if command.name not in answered:
                model = "bosses.boost" if command.name == "cut" else "bosses.tree"
                answered |= run(ground, boss, command, model, "traps.s_x")
                seen.look(str(command), f"{model} on traps.s_x")
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
    assert answered >= {command.name for command in every}


def run(ground: Ground, dsn: str, command: Command, model: str, table: str, engine: str = "auto") -> set[str]:
    """Its name, if it did what it was asked for."""
    place = {**PLACE, "model": model, "data": table, "out": ground.new_name(), "file": "-"}
    words = ["--engine", engine, *command.words(place)]
    result = invoke([*words, "--dsn", dsn])
    return {command.name} if result.exit_code == 0 else set()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Statements of madtree's readers that were a transaction of their own."""
    found: list[str] = []
    run_statement = PsycopgHost._run

    def noting(self: PsycopgHost, sql: str, types: Sequence[str], params: Sequence[Any], **how: Any) -> Any:
        if self.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            found.append(sql)
        return run_statement(self, sql, types, params, **how)

    monkeypatch.setattr(PsycopgHost, "_run", noting)
    return found


def test_what_is_looked_at_is_used_in_the_same_transaction(
    ground_with_models: Ground, boss: str, alone: list[str]
) -> None:
    """So the locks that were taken for the look still hold."""
    ground, wrong = ground_with_models, dict[str, list[str]]()

    def note(what: str, work: Callable[[], object]) -> None:
        alone.clear()
        refused(work)
        if alone:
            wrong[what] = list(alone)

    with ground.calling(CALLERS["superuser"]) as db:
        for turn, engine in enumerate(("extension", "client")):
            client = madtree.connect(db, engine=engine, on_message=lambda line: None)
            for number, model in enumerate((*(f"bosses.{kind}" for kind in KINDS), "bosses.numbers")):
                place = {**PLACE, "model": model, "data": "traps.d", "out": ground.new_name()}
                for thing in things(client, model):
                    one_of, which = (8, 4 * turn + number) if thing is client else (2, turn)
                    for name in share(entries(type(thing)), one_of, which):
                        note(f"{type(thing).__name__}.{name}", lambda t=thing, n=name, p=place: ask(t, n, p))
                if ALL or number % 2 == turn:
                    note("the page", lambda c=client, m=model: build_report(c, m, data="traps.d"))
                if turn == 0 and (ALL or number % 2):  # a connection knows of no engine
                    note("the page of a connection", lambda m=model: build_report(db, m, data="traps.d"))
            for which, kind in share([*estimators().items()], 2, turn):
                small = few_trees(kind)
                outcome = "z" if which.endswith("Regressor") else "y"
                estimator = kind(client, list_of_features="x, k", max_depth=3, **small)
                for name in dict.fromkeys(["fit", *entries(kind)]):  # the others need what it finds
                    place = {**PLACE, "data": "traps.d", "dependent": outcome}
                    note(f"{which}.{name}", lambda e=estimator, n=name, p=place: ask(e, n, p))
        every = list(commands())
        first = {command.name: command for command in reversed(every)}  # of each name
        for command in {str(command): command for command in (*first.values(), *share(every, 19))}.values():
            note(str(command), lambda c=command: run(ground, boss, c, "bosses.tree", "traps.d"))
    assert not wrong
