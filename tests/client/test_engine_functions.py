"""The functions of the client's engine take and return what the extension's functions of the same names do."""

from __future__ import annotations

import inspect
import json
from pkgutil import resolve_name
from typing import Any

import psycopg
import pytest

from madtree.engine.call import FUNCTIONS

# Of the function with the most arguments: those that take a message show how to use it.
SIGNATURE = """
    SELECT p.proargnames[:p.pronargs], pg_get_function_arguments(p.oid), p.proretset, p.proconfig,
        (SELECT json_agg(json_build_array(a.name, a.type::regtype::oid::regtype) ORDER BY a.place)
         FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a(name, type, mode, place)
         WHERE a.mode = 't'),
        p.prorettype::regtype::text
    FROM pg_proc p WHERE p.pronamespace = 'madtree'::regnamespace AND p.proname = %s ORDER BY p.pronargs DESC LIMIT 1
"""


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"models"}))
def test_a_function_is_called_as_the_extensions(db: psycopg.Connection, name: str) -> None:
    function = FUNCTIONS[name]
    row: Any = db.execute(SIGNATURE, [name]).fetchone()
    names, arguments, returns_rows, settings, columns, returned = row
    assert [each.name for each in function.arguments] == names
    said = [each.partition(" DEFAULT ") for each in arguments.split(", ")][: len(names)]
    assert [each.type for each in function.arguments] == [text.split(" ", 1)[1] for text, _, _ in said]
    assert dict(function.all_settings) == {
        key.lower(): value for key, _, value in (setting.partition("=") for setting in settings or [])
    }
    own = [[column.name, column.type] for column in function.columns]
    assert own == (columns if returns_rows else [[name, returned]]), json.dumps(columns)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"tree_train", "forest_train", "boost_train", "tree_tune"}))
def test_what_is_called_takes_the_arguments_that_are_declared(name: str) -> None:
    function = FUNCTIONS[name]
    parameters = list(inspect.signature(resolve_name(function.run)).parameters.values())[1:]
    taken = [each for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    hands_on = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)  # the rest, as it is
    assert len(taken) < len(function.arguments) if hands_on else len(taken) == len(function.arguments)
    for parameter, argument in zip(taken, function.arguments, strict=False):
        assert parameter.default in (inspect.Parameter.empty, argument.default, None), parameter


def test_the_list_of_models_is_the_view(db: psycopg.Connection) -> None:
    expected = db.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'madtree.models'::regclass "
        "AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    assert [(column.name, column.type) for column in FUNCTIONS["models"].columns] == expected
