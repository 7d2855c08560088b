"""What reads models says the same over a session of an ordinary user's, in a database without the extension."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from both_sides import MODELS, Both, rows
from training import read_model

from madtree import explain, score
from madtree.errors import MadtreeError
from madtree.model import get_var_importance, models, tree_drop
from madtree.model.write import tree_prune

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


@pytest.mark.parametrize("model", TREES)
@pytest.mark.parametrize("dot", [True, False])
@pytest.mark.parametrize("verbose", [True, False])
def test_trees_are_drawn_alike(both: Both, model: str, dot: bool, verbose: bool) -> None:
    there = both.call(explain.tree_display, model, dot, verbose)
    assert there == answer(both, "tree_display", model, dot, verbose)


@pytest.mark.parametrize("model", FORESTS)
def test_trees_of_forests_are_drawn_alike(both: Both, model: str) -> None:
    assert both.call(explain.get_tree, model, 1, 2, False, True) == answer(both, "get_tree", model, 1, 2, False, True)


def test_surrogates_are_shown_alike(both: Both) -> None:
    assert both.call(explain.tree_surr_display, "of_classes") == answer(both, "tree_surr_display", "of_classes")
    assert both.call(explain.get_tree_surr, "forest", 2, 1) == answer(both, "get_tree_surr", "forest", 2, 1)


@pytest.mark.parametrize("model", TREES)
def test_trees_are_told_alike(both: Both, model: str) -> None:
    for type_ in ("response", "leaf"):
        there = both.call(score.tree_sql, model, type_, None)
        assert there == answer(both, "tree_sql", model, type_)
    assert both.call(explain.tree_cp, model) == answer(both, "tree_cp", model)


@pytest.mark.parametrize("model", MODELS)
def test_documents_are_alike(both: Both, model: str) -> None:
    tree = None if model in TREES else 2
    assert both.call(explain.tree_rules, model, tree) == answer(both, "tree_rules", model, tree)
    for function in (explain.tree_to_json, explain.tree_to_pmml):
        name = function.__name__
        query = f"SELECT madtree.{name}(%s)::text AS said"
        if name == "tree_to_json":
            query = "SELECT %s::jsonb = madtree.tree_to_json(%s)::jsonb AS said"
            assert rows(both.here, query, both.call(function, model), model) == [{"said": True}]
        else:
            assert both.call(function, model) == rows(both.here, query, model)[0]["said"]


@pytest.mark.parametrize("model", MODELS)
def test_the_path_of_a_row_is_the_same(both: Both, model: str) -> None:
    for table, id_ in (("data", "33"), ("fresh", "1210")):
        there = both.call(explain.tree_path, model, table, id_)
        assert there == answer(both, "tree_path", model, table, id_)


@pytest.mark.parametrize("model", MODELS)
def test_importances_are_the_same(both: Both, model: str) -> None:
    line = both.call(get_var_importance, model, "importances")
    assert line == answer(both, "get_var_importance", model, "importances")
    here, there = (rows(db, "SELECT * FROM importances") for db in (both.here, both.there))
    assert here
    assert there == here
    for db in (both.here, both.there):
        db.execute("DROP TABLE importances")


@pytest.mark.parametrize("model", TREES)
def test_trees_are_pruned_alike(both: Both, model: str) -> None:
    line = both.call(tree_prune, model, "pruned", 0.05)
    assert line == answer(both, "tree_prune", model, "pruned", 0.05)
    assert read_model(both.there, "pruned") == read_model(both.here, "pruned")
    assert both.call(tree_drop, "pruned") == answer(both, "tree_drop", "pruned")


def test_models_are_listed(both: Both) -> None:
    here = {row["name"]: row for row in rows(both.here, "SELECT * FROM madtree.models WHERE schema = current_schema()")}
    found = both.call(models)
    assert [row["name"] for row in found] == sorted(MODELS)
    for row in found:
        listed = here[row["name"]]
        assert row["owner"] == both.there.info.user
        for column in ("schema", "kind", "source_table", "dependent", "n_rows", "n_trees", "depth", "n_leaves"):
            assert row[column] == listed[column], column


def test_a_forest_is_dropped_whole(both: Both) -> None:
    with both.there.transaction(force_rollback=True):
        both.call(tree_drop, "forest")
        left = "SELECT relname FROM pg_class WHERE relname ~ '^forest(_(nodes|packed|group|summary))?$'"
        assert rows(both.there, left) == []


def test_a_mistake_is_told_as_the_extension_tells_it(both: Both) -> None:
    with pytest.raises(MadtreeError) as found:
        both.call(explain.tree_display, "data", True, False)
    with pytest.raises(psycopg.Error) as expected:
        answer(both, "tree_display", "data", True, False)
    assert f"madtree: {found.value}" == expected.value.diag.message_primary
    assert (found.value.hint, found.value.sqlstate) == (expected.value.diag.message_hint, expected.value.sqlstate)


CALLED = [
    explain.tree_cp, explain.tree_display, explain.tree_path, explain.tree_rules, explain.tree_surr_display,
    explain.tree_to_json, explain.tree_to_pmml, score.forest_predict, score.tree_confusion, score.tree_evaluate,
    score.tree_predict, score.tree_sql,
]  # fmt: skip


def test_functions_have_the_settings_that_they_have_in_the_extension(both: Both) -> None:
    settings = rows(
        both.here,
        "SELECT proname, proconfig FROM pg_proc WHERE proconfig IS NOT NULL "
        "AND (pronamespace = 'madtree'::regnamespace OR proname = 'list_models')",
    )
    expected = {row["proname"]: {each.lower() for each in row["proconfig"]} for row in settings}
    for function in CALLED:
        own = {f"{name}={value}".lower() for name, value in function.settings.items()}  # type: ignore[attr-defined]
        assert own == expected.pop(function.__name__), function.__name__
    assert {f"{name}={value}".lower() for name, value in models.settings.items()} == expected.pop("list_models")  # type: ignore[attr-defined]
    # These are training's, and one that only the extension has.
    assert expected.keys() <= {"tree_train", "forest_train", "install_madlib_names"}
