"""What reads models says the same over a session of an ordinary user's, in a database without the extension."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from both_sides import MODELS, Both, rows
from training import read_model

from madtree.engine import call
from madtree.engine.call import FUNCTIONS
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.report import build_report

TREES = [name for name, (kind, _, _) in MODELS.items() if kind == "tree"]
FORESTS = [name for name in MODELS if name not in TREES]


def answer(both: Both, function: str, *arguments: Any) -> Any:
    """What the extension's function returns: a value, or rows."""
    marks = ", ".join(["%s"] * len(arguments))
    found = rows(both.here, f"SELECT * FROM madtree.{function}({marks})", *arguments)
    return found[0][function] if len(found) == 1 and list(found[0]) == [function] else found


def test_nothing_of_ours_is_there(both: Both) -> None:
    row = both.there.execute(
        "SELECT (SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'), to_regnamespace('madtree'), "
        "to_regnamespace('madtree_internal'), (SELECT count(*) FROM pg_proc WHERE oid >= 16384), "
        "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    ).fetchone()
    assert row == (0, None, None, 0, False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", TREES)
@pytest.mark.parametrize("dot", [True, False])
@pytest.mark.parametrize("verbose", [True, False])
def test_trees_are_drawn_alike(both: Both, model: str, dot: bool, verbose: bool) -> None:
    there = both.ask("tree_display", model, dot, verbose)
    assert there == answer(both, "tree_display", model, dot, verbose)


@pytest.mark.parametrize("model", FORESTS)
def test_trees_of_gids_are_drawn_alike(both: Both, model: str) -> None:
    assert both.ask("get_tree", model, 1, 2, False, True) == answer(both, "get_tree", model, 1, 2, False, True)


def test_surrogates_are_shown_alike(both: Both) -> None:
    assert both.ask("tree_surr_display", "of_classes") == answer(both, "tree_surr_display", "of_classes")
    assert both.ask("get_tree_surr", "forest", 2, 1) == answer(both, "get_tree_surr", "forest", 2, 1)


@pytest.mark.parametrize("model", TREES)
def test_trees_are_told_alike(both: Both, model: str) -> None:
    for type_ in ("response", "leaf"):
        there = both.ask("tree_sql", model, type_, None)
        assert there == answer(both, "tree_sql", model, type_)
    assert both.ask("tree_cp", model) == answer(both, "tree_cp", model)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("model", MODELS)
def test_documents_are_alike(both: Both, model: str) -> None:
    tree = None if model in TREES else 2
    assert both.ask("tree_rules", model, tree) == answer(both, "tree_rules", model, tree)
    assert both.ask("tree_to_json", model) == answer(both, "tree_to_json", model)
    assert both.ask("tree_to_pmml", model) == answer(both, "tree_to_pmml", model)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("model", MODELS)
def test_the_path_of_a_row_is_the_same(both: Both, model: str) -> None:
    for table, id_ in (("data", "33"), ("fresh", "1210")):
        there = both.ask("tree_path", model, table, id_)
        assert there == answer(both, "tree_path", model, table, id_)


@pytest.mark.parametrize("model", MODELS)
def test_importances_are_the_same(both: Both, model: str) -> None:
    line = both.ask("get_var_importance", model, "importances")
    assert line == answer(both, "get_var_importance", model, "importances")
    assert both.ask("tree_importance", model) == answer(both, "tree_importance", model)
    here, there = (rows(db, "SELECT * FROM importances") for db in (both.here, both.there))
    assert here
    assert there == here
    for db in (both.here, both.there):
        db.execute("DROP TABLE importances")


@pytest.mark.parametrize("model", TREES)
def test_trees_are_pruned_alike(both: Both, model: str) -> None:
    line = both.ask("tree_prune", model, "pruned", 0.05)
    assert line == answer(both, "tree_prune", model, "pruned", 0.05)
    assert read_model(both.there, "pruned") == read_model(both.here, "pruned")
    assert both.ask("tree_drop", "pruned") == answer(both, "tree_drop", "pruned")


def test_models_are_listed(both: Both) -> None:
    here = rows(both.here, "SELECT * FROM madtree.models WHERE schema = current_schema() ORDER BY name")
    there = both.ask("models")
    assert [row["name"] for row in there] == sorted(MODELS)
    for row, listed in zip(there, here, strict=True):
        assert row.keys() == listed.keys()
        assert row["owner"] == both.there.info.user
        differ = {column for column in row if row[column] != listed[column]}
        assert differ <= {"owner", "age"}


@pytest.mark.parametrize("model", ["of_classes", "of_numbers", "forest"])
def test_pages_say_the_same(both: Both, model: str) -> None:
    pages = []
    for db in (both.here, both.there):
        with db.transaction():
            page = build_report(db, model, data="fresh")
        pages.append(re.sub(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d\S*|(\d\.\d{9})\d+", r"\1", page))
    assert pages[1] == pages[0]
    assert "Not measured" not in pages[1]
    assert "does not exist" not in pages[1]


def test_a_page_repeats_no_notice_that_it_says_itself(both: Both) -> None:
    told: list[str] = []
    host = PsycopgHost(both.there, tell=lambda said: told.append(f"{said.severity}: {said.text}"))
    with both.there.transaction(force_rollback=True):
        assert "on the very rows that the model was trained on" in build_report(host, "of_classes")
        assert told == []
        call(host, "tree_evaluate", ["of_classes", "data"])
        assert [message.split(":")[0] for message in told] == ["NOTICE"]
        both.there.execute("SET LOCAL client_min_messages = warning")  # as the server holds back what it says
        call(host, "tree_evaluate", ["of_classes", "data"])
        assert len(told) == 1


def test_a_forest_is_dropped_whole(both: Both) -> None:
    with both.there.transaction(force_rollback=True):
        both.ask("tree_drop", "forest")
        left = "SELECT relname FROM pg_class WHERE relname ~ '^forest(_(nodes|packed|group|summary))?$'"
        assert rows(both.there, left) == []


def test_a_mistake_is_told_as_the_extension_tells_it(both: Both) -> None:
    with pytest.raises(MadtreeError) as found:
        both.ask("tree_display", "data", True, False)
    with pytest.raises(psycopg.Error) as expected:
        answer(both, "tree_display", "data", True, False)
    assert f"madtree: {found.value}" == expected.value.diag.message_primary
    assert (found.value.hint, found.value.sqlstate) == (expected.value.diag.message_hint, expected.value.sqlstate)


def test_functions_have_the_settings_that_they_have_in_the_extension(both: Both) -> None:
    listed = rows(
        both.here,
        "SELECT proname AS name, proconfig AS settings FROM pg_proc WHERE proconfig IS NOT NULL "
        "AND (pronamespace = 'madtree'::regnamespace OR proname = 'list_models')",
    )
    expected = {row["name"]: {each.lower() for each in row["settings"]} for row in listed}
    expected["models"] = expected.pop("list_models")
    for name, function in FUNCTIONS.items():
        own = {f"{setting}={value}".lower() for setting, value in function.all_settings.items()}
        assert own == expected.pop(name, set()), name
    assert expected.keys() == {"install_madlib_names"}
