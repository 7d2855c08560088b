"""The SQL of the functions that users call, made from what `madtree.interface` declares.

PL/Python shows every error with a traceback, so the Python is below what users call, in a function of the same name in
the schema madtree_internal, which returns a user's mistake (SQLSTATE, message, detail, hint) beside its answer.
`@raise@` in PL/pgSQL raises it. PL/pgSQL shows an error with the types of all arguments of its function, so where there
is one answer what users call is SQL, and the function that raises, `answered`, has two. No function sets search_path:
the names that a user gives mean what they mean to that user. All are VOLATILE, so that each of their queries sees a
model that was replaced since the outer one began. Settings are those of `Function.all_settings`.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from madtree.interface import FUNCTIONS, INTERNAL, ROW_FUNCTIONS, Argument, Function, ResultColumn, as_sql

_WIDTH = 120
# Words of SQL's that are no names unless they are quoted.
_RESERVED = frozenset({"full", "precision"})


def functions_sql() -> str:
    """The definitions of all functions, in the order of their declarations; the macros not yet expanded."""
    made = [_definitions(function) for function in FUNCTIONS.values()]
    made += [_definitions_of_rows(function) for function in ROW_FUNCTIONS.values()]
    made += [_internal_definitions(function) for function in INTERNAL.values()]
    return "\n\n".join("\n\n".join(each) for each in made) + "\n"


def _definitions(function: Function) -> Iterable[str]:
    """The function in all its forms: what Python answers, what users call, its help, MADlib's names."""
    call, types = f"madtree_internal.{function.name}", _types(function.arguments)
    yield _in_python(function)
    yield _comment(call, types, f"internal: what {function.name} answers, or the mistake that it raises")
    shared = {argument.name for argument in function.arguments} & {column.name for column in function.columns}
    if function.returns_rows and shared:
        # To PL/pgSQL an argument and a column of one name would be one, so what users call is in SQL.
        call += "_rows"
        yield _raising(function, call, call.replace("_rows", ""), _plain(function.arguments, "_{}"), settings=False)
        yield _comment(call, types, f"internal: the rows of {function.name}")
        yield _in_sql(function, call)
    else:
        yield _raising(function, f"@extschema@.{function.name}", call, _declared(function.arguments))
    how = f"; SELECT madtree.{function.name}() shows how to use it"
    yield _comment(f"@extschema@.{function.name}", types, function.does + how)
    yield _help(function.name, "", "'help'")
    yield _comment(f"@extschema@.{function.name}", "", f"how to use {function.name}")
    if not function.takes_one_argument:
        yield _help(function.name, "message text", "message")
        comment = f"how to use {function.name}: message is 'usage', 'help' or '?'"
        yield _comment(f"@extschema@.{function.name}", "text", comment)
    if any(each.is_required and each.name in function.madlib_names for each in function.arguments):
        yield _by_madlibs_names(function)
        types = types.replace("text", "varchar")
        yield _comment(f"@extschema@.{function.name}", types, f"{function.name} by MADlib's argument names")


def _definitions_of_rows(function: Function) -> Iterable[str]:
    """A function that is asked for each row: SQL that the planner puts into the query, and its help."""
    name = f"@extschema@.{function.name}"
    first, *others = function.arguments
    for type_, expression in function.of_rows.items():
        arguments = [replace(first, type=type_), *others]
        yield f"""\
CREATE FUNCTION {name}({_listed(_declared(arguments))})
RETURNS {function.returns}
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
AS $sql$
SELECT {expression};
$sql$;"""
        how = f"; SELECT madtree.{function.name}() shows how to use it"
        yield _comment(name, _types(arguments), function.does + how)
    yield _help(function.name, "", "'help'")
    yield _comment(name, "", f"how to use {function.name}")


def _internal_definitions(function: Function) -> Iterable[str]:
    """A function that no user calls: what Python answers, and beside it what raises its mistakes."""
    call, types = f"madtree_internal.{function.name}", _types(function.arguments)
    raising = call.removesuffix("_rows")
    yield _in_python(function)
    yield _comment(call, types, f"internal: what {raising} answers, or the mistake that it raises")
    yield _raising(function, raising, call, _plain(function.arguments))
    yield _comment(raising, types, f"internal: {function.does}")


def _in_python(function: Function) -> str:
    arguments = _plain(function.arguments)
    if function.returns_rows:
        returned = f"RETURNS {_table([*function.columns, ResultColumn('mistake', 'text[]')])}"
    else:
        arguments += [f"OUT answer {function.returns}", "OUT mistake text[]"]
        returned = "RETURNS record"
    rows = f"\nROWS {function.n_rows}" if function.returns_rows else ""
    return f"""\
CREATE FUNCTION madtree_internal.{function.name}({_listed(arguments)})
{returned}
LANGUAGE plpython3u
VOLATILE{rows}
AS $python$
@load@
return madtree.call(plpy, "{function.name}", args)
$python$;"""


def _raising(
    function: Function,
    name: str,
    call: str,
    arguments: Sequence[str],
    *,
    settings: bool = True,
    mend: str = "",
) -> str:
    """SQL, or of rows PL/pgSQL, that returns what `call` answers, or raises the mistake.

    Args:
        arguments: as they are declared.
        mend: a literal with MADlib's names of arguments, for the mistake to speak of.
    """
    if not function.returns_rows:
        mistake = f"madtree_internal.by_madlibs_name(a.mistake, {mend})" if mend else "a.mistake"
        return f"""\
CREATE FUNCTION {name}({_listed(arguments)})
RETURNS {function.returns}
LANGUAGE sql
VOLATILE{_options(function, settings=settings)}
AS $sql$
SELECT {_begun(len(arguments))};
SELECT madtree_internal.answered(a.answer, {mistake})
FROM {_call(call, len(arguments))} AS a;
$sql$;"""
    targets = ", ".join(_name(column.name) for column in function.columns)
    return f"""\
CREATE FUNCTION {name}({_listed(arguments)})
RETURNS {_table(function.columns)}
LANGUAGE plpgsql
VOLATILE{_options(function, settings=settings)}
AS $plpgsql$
DECLARE
    mistake pg_catalog.text[];
BEGIN
    PERFORM {_begun(len(arguments), "    ")};
    FOR {targets}, mistake IN
        SELECT * FROM {_call(call, len(arguments), "        ")}
    LOOP
        @raise@
        RETURN NEXT;
    END LOOP;
END
$plpgsql$;"""


def _in_sql(function: Function, call: str) -> str:
    return f"""\
CREATE FUNCTION @extschema@.{function.name}({_listed(_declared(function.arguments))})
RETURNS {_table(function.columns)}
LANGUAGE sql
VOLATILE{_options(function)}
AS $sql$
SELECT * FROM {_call(call, len(function.arguments))};
$sql$;"""


def _help(name: str, arguments: str, message: str) -> str:
    return f"""\
CREATE FUNCTION @extschema@.{name}({arguments})
RETURNS text
LANGUAGE sql
STABLE
AS $sql$
SELECT madtree_internal.help('{name}', {message});
$sql$;"""


def _by_madlibs_names(function: Function) -> str:
    """A second form for calls by MADlib's names of arguments that have no default.

    Its texts are varchar: literals, parameters of no type and texts go to the first form, since PostgreSQL prefers
    text, and a call by MADlib's names to this one, since only it has them.
    """
    declared = [
        each.replace(f"{ours} ", f"{function.madlib_names.get(ours, ours)} ", 1).replace(" text", " varchar", 1)
        for ours, each in zip((each.name for each in function.arguments), _declared(function.arguments), strict=True)
    ]
    mend = _literal(json.dumps(dict(function.madlib_names)))
    return _raising(function, f"@extschema@.{function.name}", f"madtree_internal.{function.name}", declared, mend=mend)


def _plain(arguments: Sequence[Argument], pattern: str = "{}") -> list[str]:
    return [f"{_name(pattern.format(each.name))} {each.type}" for each in arguments]


def _declared(arguments: Sequence[Argument]) -> list[str]:
    return [
        f"{text}{'' if each.is_required else f' DEFAULT {_default(each)}'}"
        for text, each in zip(_plain(arguments), arguments, strict=True)
    ]


def _default(argument: Argument) -> str:
    text = as_sql(argument.default)
    return text.upper() if isinstance(argument.default, bool) else text


def _call(name: str, n_arguments: int, indent: str = "") -> str:
    """A call with the arguments of the function that it is in; by their numbers, as names may be those of columns."""
    return f"{name}({_filled([f'${place}' for place in range(1, n_arguments + 1)], indent)})"


def _begun(n_arguments: int, indent: str = "") -> str:
    """What a call begins with."""
    parts = ["' '", *(f"${place}" for place in range(1, n_arguments + 1))]
    return f"madtree_internal.begin_call(pg_catalog.concat_ws({_filled(parts, indent)}))"


def _filled(parts: Sequence[str], indent: str = "") -> str:
    """In one line, or where they are many in as few as hold them."""
    line = ", ".join(parts)
    if len(line) < _WIDTH // 2:
        return line
    within = f"{indent}    "
    wrapped = textwrap.fill(line, _WIDTH, initial_indent=within, subsequent_indent=within, break_on_hyphens=False)
    return f"\n{wrapped}\n{indent}"


def _listed(parts: Sequence[str]) -> str:
    """In one line, or where they are many a line each."""
    line = ", ".join(parts)
    return line if len(line) < _WIDTH // 2 else "\n    " + ",\n    ".join(parts) + "\n"


def _table(columns: Sequence[ResultColumn]) -> str:
    return f"TABLE ({_listed([f'{_name(column.name)} {column.type}' for column in columns])})"


def _types(arguments: Sequence[Argument]) -> str:
    return _filled([each.type for each in arguments])


def _options(function: Function, *, settings: bool = True) -> str:
    rows = [f"ROWS {function.n_rows}"] if function.returns_rows else []
    sets = [f"SET {name} = {_literal(value)}" for name, value in function.all_settings.items()] if settings else []
    return "".join(f"\n{each}" for each in [*rows, *sets])


def _comment(name: str, types: str, comment: str) -> str:
    return f"COMMENT ON FUNCTION {name}({types}) IS\n{_literal(comment)};"


def _name(name: str) -> str:
    return f'"{name}"' if name in _RESERVED else name


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
