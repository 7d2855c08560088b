"""The functions of the client's engine take and return what the extension's functions of the same names do."""

from __future__ import annotations

import inspect
import json
from typing import Any

import psycopg
import pytest

from madtree.engine.functions import FUNCTIONS
from madtree.request import check_arguments, check_forest_arguments

# Of the function with the most arguments: those that take a message show how to use it.
SIGNATURE = """
    SELECT p.proargnames[:p.pronargs], pg_get_function_arguments(p.oid), p.proretset, p.proconfig,
        (SELECT json_agg(json_build_array(a.name, a.type::regtype::oid::regtype) ORDER BY a.place)
         FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a(name, type, mode, place)
         WHERE a.mode = 't'),
        p.prorettype::regtype::text
    FROM pg_proc p WHERE p.pronamespace = 'madtree'::regnamespace AND p.proname = %s ORDER BY p.pronargs DESC LIMIT 1
"""
TYPES = {
    "int4": "integer",
    "int8": "bigint",
    "float8": "double precision",
    "bool": "boolean",
    "text": "text",
    "json": "json",
    "jsonb": "jsonb",
}
TRAININGS = {"tree_train": check_arguments, "forest_train": check_forest_arguments}


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"models"}))
def test_a_function_is_called_as_the_extensions(db: psycopg.Connection, name: str) -> None:
    function = FUNCTIONS[name]
    row: Any = db.execute(SIGNATURE, [name]).fetchone()
    names, arguments, returns_rows, settings, columns, returned = row
    parameters = list(inspect.signature(TRAININGS.get(name, function.run)).parameters.values())[1:]
    assert [parameter.name.rstrip("_") for parameter in parameters][: len(names)] == names
    for parameter, said in zip(parameters, arguments.split(", "), strict=False):
        _, _, default = said.partition(" DEFAULT ")
        if name not in TRAININGS:
            assert (parameter.default is not inspect.Parameter.empty) == bool(default), parameter
        if name not in TRAININGS and default and default != "NULL::integer":
            expected = default.split("::")[0].strip("'")
            assert str(parameter.default).lower() == expected.lower(), parameter
    assert dict(function.settings) == {
        key.lower(): value for key, _, value in (setting.partition("=") for setting in settings or [])
    }
    own = [[column, TYPES[type_]] for column, type_ in function.columns]
    assert own == (columns if returns_rows else [[name, returned]]), json.dumps(columns)


def test_the_list_of_models_is_the_view(db: psycopg.Connection) -> None:
    expected = db.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'madtree.models'::regclass "
        "AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    more = {"timestamptz": "timestamp with time zone", "interval": "interval"}
    assert [(name, (TYPES | more)[type_]) for name, type_ in FUNCTIONS["models"].columns] == expected
