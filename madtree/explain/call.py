"""tree_call: the statement that trains a model again, from what its summary has kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import FUNCTIONS, Argument
from madtree.model import find_to_use
from madtree.request import model_tables
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.split import parse_name
from madtree.sqltext.tables import suffixed
from madtree.sqltext.values import parts_of_equal
from madtree.trees import Model

# Where the summary has a user's words, and not a setting.
_KEPT_AS = {
    "training_table_name": "source_table",
    "output_table_name": "model_table",
    "classification": "is_classification",
}
# Functions that make a model of another one, and where the summary has their arguments.
_MADE_OF_MODELS = {
    "tree_refresh": ("refreshed_model", "refresh_table", "model_table"),
    "calibrate": ("calibrated_model", "calibration_table", "model_table", "calibration"),
}
# Arguments that are told by the table that they have made.
_KEPT_IN = {"oob_predictions": "_oob", "intervals": "_outcomes"}
_NEXT = ",\n    "
_LEFT_OUT = "None"  # in the place of columns that '*' leaves out, where there are none


def tree_call(host: Host, model_name: str | None, trust_owner: bool | None = False) -> str:
    """The call that trained a model.

    Args:
        trust_owner: that of `find_model`, as the statement runs the model's expressions.

    Raises:
        MadtreeError: there is no such model, or what its summary has is none of what training takes.
    """
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    for name, columns in _MADE_OF_MODELS.items():
        given = [model.summary.get(column) for column in columns]
        if all(isinstance(value, str) for value in given):
            return f"SELECT madtree.{name}({', '.join(literal(str(value)) for value in given)});"
    function = FUNCTIONS[model.kind.trains]
    there = model_tables(host, *opened.tables.at)
    beside = {name: suffixed(opened.tables.name, suffix) in there for name, suffix in _KEPT_IN.items()}
    kept = {**model.summary, "dependent_variable": _dependent(model), **beside}
    required, more = [], []
    for argument in function.arguments:
        value_sql = _argument_sql(argument, kept, model)
        if argument.is_required:
            required.append(value_sql or "NULL")
        elif value_sql is not None:
            more.append(f"{argument.name} => {value_sql}")
    lines = [", ".join(required), *([", ".join(more)] if more else [])]
    return f"SELECT madtree.{function.name}({_NEXT.join(lines)});"


def _dependent(model: Model) -> str:
    """A column, or an expression with the name that its predictions have."""
    _, given, _ = parts_of_equal(model.dependent)
    return given if parse_name(given) else f"{model.dependent} AS {ident(model.target)}"


def _argument_sql(argument: Argument, kept: Mapping[str, Any], model: Model) -> str | None:
    """SQL of an argument's value; None where it is the default."""
    if argument.keys:
        values = ((key.name, _value(key, kept, model)) for key in argument.keys)
        options = ", ".join(f"{name}={_plain(value)}" for name, value in values if value is not None)
        return literal(options) if options else None
    value = _value(argument, kept, model)
    if value is None:
        return None
    return literal(value) if isinstance(value, str) else _plain(value)


def _value(argument: Argument, kept: Mapping[str, Any], model: Model) -> str | float | bool | None:
    """What the summary has of an argument; None where that is the default, or nothing.

    Raises:
        MadtreeError: it is of another type.
    """
    value = kept.get(_KEPT_AS.get(argument.name, argument.column))
    if value is None or value == argument.default or (argument.name.endswith("_to_exclude") and value == _LEFT_OUT):
        return None
    if argument.type == "boolean":
        fits = isinstance(value, bool)
    elif argument.type == "text":
        fits = isinstance(value, str)
    else:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not fits:
        raise MadtreeError(f"model: {model.name} is damaged: {argument.column} in its summary is {value!r}")
    try:
        return value if argument.valid is None else argument.valid.checked(argument.name, value)
    except MadtreeError:  # it follows from another argument, as no permutations from no importance
        return None


def _plain(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
