"""Every mistake in the arguments of `tree_train`: one clear sentence, before any row is read."""

from __future__ import annotations

from typing import Any

import pytest
from argument_calls import GOOD, HINTS, MISTAKES, SQLSTATES, shop
from memory_host import Catalogue, MemoryHost, RefusedError, Table, Value

from madtree.errors import MadtreeError
from madtree.request import check_arguments
from madtree.sqltext.tables import SIGNATURES, suffixed

DATA = Table({"id": "integer", "y": "boolean", "x": "real", "n": "integer"})
ALL = [mistake for mistakes in MISTAKES.values() for mistake in mistakes]


def refusal(arguments: dict[str, Any], catalogue: Catalogue | None = None) -> MadtreeError:
    """The error of a good call, but for `arguments`."""
    with pytest.raises(MadtreeError) as caught:
        check_arguments(MemoryHost(catalogue or shop()), **(GOOD | arguments))
    return caught.value


@pytest.mark.parametrize(("arguments", "words"), ALL, ids=lambda value: str(value)[:60])
def test_a_mistake_is_named(arguments: dict[str, Any], words: str) -> None:
    assert words in refusal(arguments).message.replace('"shop".', "").replace("shop.", "")


@pytest.mark.parametrize(("arguments", "hint"), HINTS, ids=str)
def test_hints(arguments: dict[str, Any], hint: str | None) -> None:
    found = refusal(arguments).hint
    assert (found is None) if hint is None else (hint in (found or ""))


@pytest.mark.parametrize(("arguments", "sqlstate"), SQLSTATES, ids=str)
def test_sqlstates(arguments: dict[str, Any], sqlstate: str) -> None:
    assert refusal(arguments).sqlstate == sqlstate


@pytest.mark.parametrize("suffix", ["", "_nodes", "_summary", "_surrogates", "_cv"])
@pytest.mark.parametrize("name", ["model", "x" * 63])
def test_none_of_the_models_tables_may_exist(suffix: str, name: str) -> None:
    table = suffixed(name, suffix)
    tables = {
        "data": Table({"id": "integer", "y": "boolean", "x": "real", "n": "integer"}),
        table: Table({"a": "text"}),
    }
    arguments = {"output_table_name": name}
    assert f'"{table}" exists already' in refusal(arguments, Catalogue(tables)).message
    said = refusal({**arguments, "replace": True}, Catalogue(tables)).message
    assert f'"{table}" exists and is not part of a madtree model' in said


@pytest.mark.parametrize("suffix", ["", "_nodes", "_summary"])
def test_what_another_role_has_is_not_replaced(suffix: str) -> None:
    """A model of the caller's is, and so is what she left of one when she dropped its first table."""

    def shared(others: str | None, parts: tuple[str, ...] = ("", "_nodes", "_summary")) -> Catalogue:
        own = {f"model{part}": Table(dict.fromkeys(SIGNATURES[part], "text"), is_own=part != others) for part in parts}
        return Catalogue({"data": DATA, **own})

    said = refusal({"replace": True}, shared(suffix))
    stranger = f"model{suffix or '_nodes'}"  # than the owner of the model's own table: no part of it
    assert f'output_table_name: "shop"."{stranger}" exists and is not part of a madtree model' in said.message
    assert check_arguments(MemoryHost(shared(None)), **GOOD, replace=True).replace
    left = shared(None, ("_nodes", "_summary"))
    assert not check_arguments(MemoryHost(left), **GOOD).replace
    if suffix:
        said = refusal({}, shared(suffix, ("_nodes", "_summary")))
        assert "What is left of a model is dropped for you where all of it is yours" in (said.hint or "")


@pytest.mark.parametrize("argument", ["list_of_features", "grouping_cols", "weights"])
def test_an_expression_that_is_too_long_is_refused(argument: str) -> None:
    around = "n + 0 * length('')"
    longest = around.replace("''", f"'{'x' * (262_144 - len(around))}'")
    longer = longest.replace("x", "xx", 1)
    known = {longest: Value("integer"), longer: RefusedError("XX000", "nobody may ask for it")}
    data = {"data": DATA}
    check_arguments(MemoryHost(Catalogue(data, expressions=known)), **(GOOD | {argument: longest}))
    error = refusal({argument: longer}, Catalogue(data, expressions=known))
    assert error.sqlstate == "54000"
    assert f"{argument} has an expression of 262,145 bytes; at most 262,144" in error.message


def test_too_many_features_are_refused() -> None:
    data = Table(
        {"id": "integer", "y": "boolean", "x": "real", "many": "real[]"},
        {"id": ["1"], "many": ["{" + "1," * 65_535 + "1}"]},
    )
    error = refusal({"list_of_features": "x, many"}, Catalogue({"data": data}))
    assert error.sqlstate == "54000"
    assert "has 65,537 features" in error.message


def test_an_error_that_is_not_the_users_own_is_left_as_it_is() -> None:
    """Such as a right that is missing, or a function of the user's that raises something of its own."""
    for sqlstate in ("42501", "57014", "UX001"):
        host = MemoryHost(Catalogue({"data": DATA}, expressions={"n + x": RefusedError(sqlstate, "as it is")}))
        with pytest.raises(RefusedError, match="as it is"):
            check_arguments(host, **(GOOD | {"list_of_features": "n + x"}))
