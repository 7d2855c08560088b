"""Methods of the client's objects, made of the declared functions: their parameters, what they say, what they do."""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from inspect import Parameter, Signature
from typing import Any

from madtree.client.calls import as_grid
from madtree.client.result import Contributions, Evaluation
from madtree.interface import Argument, Function
from madtree.model import find_to_show
from madtree.trees import KINDS, ModelKind

_TYPES = {
    "text": "str",
    "integer": "int",
    "bigint": "int",
    "double precision": "float",
    "boolean": "bool",
    "json": "dict[str, Any]",
    "jsonb": "dict[str, Any]",
}
_FORMS = {"names": "Names", "groups": "Groups", "pairs": "Pairs", "grid": "Grid", "any": "object"}
_INSTEAD = {
    "names": "or a sequence of plain names, which are quoted",
    "groups": "or a sequence of sequences of plain names",
    "pairs": "or a mapping",
    "grid": "or a mapping of names to values, or to lists of these",
}
_TRUST = "trust_owner"  # it and what follows are given to methods of models by name
_OUTPUT = {"output_table", "replace"}  # methods of models answer with the rows that functions write into a table
_SELF = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
# What becomes of a call's answer where it is neither rows nor a value, and the type of that.
_ANSWERS: Mapping[str, tuple[str, Callable[[Any, Any, Mapping[str, Any]], Any]]] = {
    "tree_evaluate": ("Evaluation", lambda client, found, given: Evaluation.of_rows(found)),
    "tree_tune": (
        "Result[TriedRow]",
        lambda client, found, given: client.rows_of(given["output_table_name"], "setting, fold"),
    ),
}


def arguments_of(function: Function) -> list[Argument]:
    """Those that a client takes: not the second names of some, which are for SQL that was written for MADlib."""
    return [each for each in function.arguments if each.name not in function.madlib_names.values()]


def type_of(sql: str) -> str:
    """A type of SQL as Python's."""
    return _TYPES[sql]


def row_of(function: Function) -> str:
    """What a row of a function's answer is called: TreeRulesRow."""
    return f"{function.name.title().replace('_', '')}Row"


def client_method(function: Function) -> Callable[..., Any]:
    """A function as a method of a client, under its name and with its arguments."""
    arguments = arguments_of(function)
    signature = Signature([_SELF, *map(parameter_of, arguments)], return_annotation=_returns(function))

    def method(self: Any, /, *given: Any, **named: Any) -> Any:
        values = _bound(function, signature, (self, *given), named)
        found = self.call(function.name, **{each.name: _value(each, values[each.name]) for each in arguments})
        if function.name in _ANSWERS:
            return _ANSWERS[function.name][1](self, found, values)
        if function.makes:
            return self._objects[_kind_of_result(function)](self, values[function.makes], found[0][0])
        return found if function.returns_rows else found[0][0]

    described = "".join(f"{_python(each.name)}\n{_indented(_said(each))}" for each in arguments)
    usage = f"``SELECT madtree.{function.name}()`` prints all that there is to know of it."
    doc = f"{_filled(_does(function))}.\n\nParameters\n----------\n{described}\nNotes\n-----\n{usage}\n"
    return _named(method, function.name, signature, doc)


def model_method(function: Function) -> Callable[..., Any]:
    """A function whose first argument is a model as a method of the object for that."""
    assert function.method is not None
    model, *others = arguments_of(function)
    writes = any(each.name == "output_table" for each in others)
    shown = [each for each in others if not (writes and each.name in _OUTPUT)]
    names = [each.name for each in shown]
    table, by_name = function.method.table, names[names.index(_TRUST) :] if _TRUST in names else []
    parameters = [parameter_of(each, each.name == table, each.name in by_name) for each in shown]
    returned = "Contributions" if writes else _returns(function)
    signature = Signature([_SELF, *parameters], return_annotation=returned)

    def method(self: Any, /, *given: Any, **named: Any) -> Any:
        values = {model.name: self.name, **_bound(function, signature, (self, *given), named, table)}
        with ExitStack() as opened:
            if table:
                values[table] = opened.enter_context(self._as_table(values[table], bool(values.get(_TRUST))))
            if writes:
                values["output_table"] = opened.enter_context(self._scratch())
            answer = getattr(self.client, function.name)(**{_python(name): each for name, each in values.items()})
            return _contributions(self, values) if writes else answer

    frame = "; `table` is the name of a table or view, or a data frame" if table else ""
    doc = _filled(f"{_does(function)}; arguments as for `Client.{function.name}`{frame}.")
    return _named(method, function.method.name, signature, doc)


def _returns(function: Function) -> str:
    if function.name in _ANSWERS:
        return _ANSWERS[function.name][0]
    if function.makes:
        return _kind_of_result(function).object_name
    return f"Result[{row_of(function)}]" if function.returns_rows else type_of(str(function.returns))


def _kind_of_result(function: Function) -> ModelKind:
    """Of the model that a function makes."""
    trained = [kind for kind in KINDS.values() if kind.trains == function.name]
    return (trained or function.takes.kinds)[0] if function.takes else trained[0]


def parameter_of(argument: Argument, is_table: bool = False, by_name: bool = False) -> Parameter:
    type_ = _FORMS.get(_form(argument)) or type_of(argument.type)
    if argument.means_null or not argument.is_required:
        type_ += " | None"
    return Parameter(
        "table" if is_table else _python(argument.name),
        Parameter.KEYWORD_ONLY if by_name else Parameter.POSITIONAL_OR_KEYWORD,
        default=Parameter.empty if argument.is_required else argument.default,
        annotation="Any" if is_table else type_,
    )


def _form(argument: Argument) -> str:
    return "pairs" if argument.keys else argument.form


def _python(name: str) -> str:
    """What Python keeps for itself has an underscore behind."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _bound(
    function: Function, signature: Signature, given: Sequence[Any], named: Mapping[str, Any], table: str = ""
) -> dict[str, Any]:
    """The values of all arguments by their names in SQL; raises TypeError as any call of Python's."""
    try:
        bound = signature.bind(*given, **named)
    except TypeError as error:
        raise TypeError(f"{function.name}: {error}") from None
    bound.apply_defaults()
    values = {name.removesuffix("_"): value for name, value in bound.arguments.items() if name != "self"}
    return {table if table and name == "table" else name: value for name, value in values.items()}


def _value(argument: Argument, value: Any) -> Any:
    if argument.form == "grid":
        return as_grid(value)
    return str(value) if argument.form == "any" and value is not None else value


def _contributions(model: Any, values: Mapping[str, Any]) -> Contributions:
    """The rows that `tree_shap` has written."""
    found = model.client.rows_of(values["output_table"])
    header = find_to_show(model.client.host, model.name, trust_owner=values[_TRUST]).model
    is_plain = values["layout"] == "wide" and not values["interactions"]
    return Contributions.of_rows(found, len(header.features) if is_plain else 0)


def _named(method: Callable[..., Any], name: str, signature: Signature, doc: str) -> Callable[..., Any]:
    method.__name__, method.__qualname__, method.__doc__ = name, name, doc
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


def _does(function: Function) -> str:
    return function.does[0].upper() + function.does[1:]


def _said(argument: Argument) -> str:
    """What the argument is, in Python's words."""
    if argument.name == _TRUST:
        return "As a superuser, use another role's model although it runs what that role wrote."
    sentence = argument.help.replace("NULL", "None")
    if argument.keys:
        sentence = f"{sentence}; keys are {', '.join(key.name for key in argument.keys)}"
    if instead := _INSTEAD.get(_form(argument)):
        sentence = f"{sentence}; {instead}"
    first = sentence.split()[0]
    return f"{first if '_' in first else first.capitalize()}{sentence[len(first) :]}."


def _indented(text: str) -> str:
    return textwrap.indent(_filled(text), "    ") + "\n"


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 108, break_long_words=False, break_on_hyphens=False)
