"""The client's objects, its estimators, its page and its command line run nothing of another role's either."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from anothers_models import drop, spoil_id, train
from function_calls import SMALL
from ground import CALLERS, Ground, Seen
from invoked import invoke
from trap_calls import REFUSED
from trap_objects import spring

import madtree
from madtree.report import build_report

MODEL = "traps.of_an_expression"
COMMANDS = (
    ["show", MODEL],
    ["show", MODEL, "--rules"],
    ["evaluate", MODEL, "traps.d"],
    ["importance", MODEL],
    ["export", MODEL, "--format", "sql"],
    ["models"],
)
WHO = ["superuser", "superuser in the attacker's role"]
Use = Callable[[madtree.Client], object]
USES: dict[str, Use] = {
    "the trees": lambda client: client.model(MODEL).read(),
    "nodes": lambda client: list(client.model(MODEL).nodes),
    "importance": lambda client: list(client.model(MODEL).importance()),
    "predictions": lambda client: list(client.model(MODEL).predict("traps.d")),
    "models": lambda client: list(client.models()),
    "the page": lambda client: build_report(client.connection, MODEL, data="traps.d"),
}


@pytest.fixture(scope="module")
def model(ground: Ground) -> Iterator[None]:
    """Whose feature and id are traps."""
    attacker = ground.sessions["attacker"]
    train(attacker, "tree", MODEL, list_of_features=f"x, x + 0 * {spring('expression')}", **SMALL["tree_train"])
    spoil_id(attacker, MODEL)
    yield
    drop(attacker, MODEL)


@pytest.mark.in_turn
@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("who", WHO)
def test_objects_run_nothing(ground: Ground, model: None, who: str, engine: str) -> None:
    ran = {}
    ground.clear()
    with ground.calling(CALLERS[who]) as db:
        client = madtree.connect(db, engine=engine, on_message=lambda line: None)
        for name, use in USES.items():
            refused(use, client)
            ran[name] = ground.sprung()
    assert not {name: traps for name, traps in ran.items() if traps}


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_estimators_leave_no_table_with_anothers_types(ground: Ground, engine: str) -> None:
    seen, answered = Seen(ground, "superuser", engine), []
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        client = madtree.connect(db, engine=engine, on_message=lambda line: None)
        for column in ("c_mood", "c_span", "c_few"):
            for make in (fit, fit_by_type):
                answered.append(not refused(make, client, column))
                seen.look(f"{make.__name__} of an estimator", column)
    assert not seen.wrong, "\n".join(seen.wrong)
    assert any(answered)


def fit(client: madtree.Client, column: str) -> None:
    estimator = madtree.DecisionTreeClassifier(client, list_of_features=f"x, {column}", id_col_name="id")
    estimator.fit("traps.t", "y").predict("traps.t")


def fit_by_type(client: madtree.Client, column: str) -> None:
    estimator = madtree.DecisionTreeClassifier(client, list_of_features="x, k", id_col_name=column)
    estimator.fit("traps.t", "y").predict("traps.t")


@pytest.mark.parametrize("who", WHO)
def test_commands_run_nothing(ground: Ground, model: None, who: str) -> None:
    ran = {}
    ground.clear()
    with ground.calling(CALLERS[who]):
        for words in COMMANDS:
            invoke([*words, "--dsn", ground.logins["boss"]])
            ran[" ".join(words)] = ground.sprung()
    assert not {words: traps for words, traps in ran.items() if traps}


def refused(use: Callable[..., object], *arguments: object) -> bool:
    """Whether it was; either is right."""
    try:
        use(*arguments)
    except (*REFUSED, ValueError):
        return True
    return False
