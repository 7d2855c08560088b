"""Options that are made of the arguments of functions, as `madtree.interface` declares them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from keyword import iskeyword
from typing import Annotated, Any, get_type_hints

import typer

from madtree.cli.exits import USAGE, CommandError
from madtree.cli.options import FLAGS, as_options
from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS, Argument, OneOf, command_line
from madtree.records import dataclass

_TYPES = {"text": str, "integer": int, "bigint": int, "double precision": float, "boolean": bool}
_ALL_FEATURES = "*"
_LAST = (command_line.SERVER, command_line.OUTPUT)  # headings of what all commands have
_SWITCH = re.compile("--[a-z-]+")
_Command = Callable[..., None]


@dataclass(frozen=True)
class Option:
    """An option of a command, or what is given in a place, made of an argument of its functions.

    Attributes:
        asked_by: what asks for the functions that have it; empty where it is for whatever is asked.
    """

    argument: Argument
    asked_by: tuple[str, ...] = ()

    @property
    def flag(self) -> command_line.Flag:
        assert self.argument.flag is not None
        return self.argument.flag

    @property
    def names(self) -> tuple[str, ...]:
        """As they are typed; `--this/--that`: how it is switched on, and how off."""
        name = self.argument.name
        return self.flag.names or (name if self.argument.is_required else f"--{name.replace('_', '-')}",)

    @property
    def switched(self) -> tuple[str, str]:
        """How on, and how off, as `FLAGS` has it."""
        on, _, off = self.names[0].partition("/")
        return on, off

    @property
    def key(self) -> str:
        return _as_python(self.switched[0])

    @property
    def asks(self) -> bool:
        """Whether it is what asks for these functions."""
        return self.names[0] in self.asked_by

    @property
    def is_needed(self) -> bool:
        return self.argument.is_required and not self.argument.means_null and not self.asked_by

    def parameter(self, flags: Mapping[str, tuple[str, str]]) -> inspect.Parameter:
        """What typer reads; `flags` as `FLAGS`."""
        argument, flag = self.argument, self.flag
        kind: Any = _words(argument.valid) if isinstance(argument.valid, OneOf) else _TYPES[argument.type]
        kind = list[kind] if flag.is_repeated else kind
        default: Any = _ALL_FEATURES if argument.name == "list_of_features" else inspect.Parameter.empty
        if not self.is_needed:
            kind, default = kind | None, None
        help = as_options(self._help(), flags).replace("[", r"\[")
        shown: dict[str, Any] = {"help": help, "metavar": flag.metavar or None}
        shown |= {"rich_help_panel": flag.section or None, "show_default": False}
        is_named = self.names[0].startswith("-")
        made = typer.Option(*self.names, **shown) if is_named else typer.Argument(**shown)
        return _keyword(self.key, Annotated[kind, made], default)

    def value(self, given: Any) -> Any:
        """What was given as the function takes it. Raises CommandError where it is not valid, whatever the model is."""
        if isinstance(given, list):
            return ", ".join(given) or None
        value, valid = given.value if isinstance(given, Enum) else given, self.argument.valid
        try:
            if value is not None and valid is not None:
                valid.checked(self.names[0], value)
        except MadtreeError as error:
            raise CommandError(error.message, code=USAGE) from None
        return value

    def _help(self) -> str:
        """What the argument is, as sentences; SQL's NULL is what holds where an option is not given."""
        argument, default = self.argument, self.argument.default
        said = (self.flag.help or argument.help).removeprefix("true: ").replace("NULL: ", "by default ")
        said = f"for {' and '.join(self.asked_by)}: {said}" if self.asked_by and not self.asks else said
        said = f"{said[0].upper()}{said[1:]}{'; may be repeated' if self.flag.is_repeated else ''}."
        if argument.name == "list_of_features":
            return f"{said} Default: {_ALL_FEATURES} for all others."
        if argument.is_required or default is None or isinstance(default, bool) or self.asks:
            return said
        return f"{said} Default: {default if isinstance(default, str) else f'{default:g}'}."


@dataclass(frozen=True)
class Given:
    """What a user has given for the arguments of a command's functions.

    Attributes:
        options, further: of the command, as in `with_options_of`.
    """

    options: Mapping[str, Option]
    further: Mapping[str, str]
    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        """For the option or the place of that name, as Python writes it; None where nothing was given."""
        return self.values[key]

    def asked(self) -> str | None:
        """Which of the further functions was asked for by an option. Raises CommandError where several were."""
        options = {name: by for name, by in self.further.items() if _as_python(by) in self.values}
        found = [name for name, by in options.items() if self[_as_python(by)] is not None]
        if len(found) > 1:
            *most, last = options.values()
            raise CommandError(f"choose one of {', '.join(most)} and {last}", code=USAGE)
        return found[0] if found else None

    def of(self, function: str) -> dict[str, Any]:
        """The arguments of a function. Raises CommandError where something is given that only others take."""
        own = {each.name: Option(each).key for each in FUNCTIONS[function].options if each.flag}
        for key, option in self.options.items():
            if option.asked_by and not option.asks and key not in own.values() and self[key] is not None:
                raise CommandError(f"{option.names[0]} is for {' and '.join(option.asked_by)}", code=USAGE)
        return {
            each.name: pairs({key.name: self[own[key.name]] for key in each.keys})
            if each.keys
            else self[own[each.name]]
            for each in FUNCTIONS[function].arguments
            if each.keys or each.flag
        }


def with_options_of(*functions: str, **further: str) -> Callable[[_Command], _Command]:
    """A command that has an option for each argument of the functions, beside its own, and is told what is `Given`.

    Args:
        functions: those whose arguments are for whatever the command is asked.
        further: those that it calls where it is asked to, and by what: an option, or in words.
    """
    options = _options(functions, further)
    shown = [Option(each) for name in (*functions, *further) for each in FUNCTIONS[name].options if each.flag]
    flags = {each.argument.name: each.switched for each in shown}

    def decorated(body: _Command) -> _Command:
        def command(**values: Any) -> None:
            FLAGS.set({**FLAGS.get({}), **flags})
            given = {key: each.value(values.pop(key)) for key, each in options.items()}
            body(Given(options, further, given), **values)

        annotations = get_type_hints(body, include_extras=True)
        own = [*inspect.signature(body).parameters.values()][1:]
        parameters = [_keyword(each.name, annotations[each.name], each.default) for each in own]
        last = [each for each in parameters if each.annotation.__metadata__[0].rich_help_panel in _LAST]
        first = [each for each in parameters if each not in last]
        declared = [each.parameter(flags) for each in options.values()]
        command.__doc__ = body.__doc__
        command.__signature__ = inspect.Signature([*first, *declared, *last])  # type: ignore[attr-defined]
        command.__annotations__ = {}
        return command

    return decorated


def _options(functions: Sequence[str], further: Mapping[str, str]) -> dict[str, Option]:
    """By their keys: of the functions' arguments, and of what asks for a function and is none."""
    found: dict[str, Option] = {}
    for name in (*functions, *further):
        for each in FUNCTIONS[name].options:
            if each.flag:
                is_for_all = name in functions or each.flag.section == command_line.SERVER
                made = Option(each, () if is_for_all else (further[name],))
                known = found.setdefault(made.key, made)
                both = known.asked_by and made.asked_by and (*known.asked_by, *made.asked_by)
                found[made.key] = Option(known.argument, tuple(dict.fromkeys(both)))
    switches = [
        Option(Argument(_as_python(by), "boolean", f"instead it {FUNCTIONS[name].does}", None))
        for name, by in further.items()
        if _SWITCH.fullmatch(by)
    ]
    return {**{each.key: each for each in switches}, **found}


def _as_python(option: str) -> str:
    name = option.lstrip("-").replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _words(valid: OneOf) -> Any:
    """The words as an enumeration: typer lists them, and names those that are near to a wrong one."""
    return Enum("Word", [(word, word) for word in valid.words], type=str)


def pairs(values: Mapping[str, Any]) -> str | None:
    """``name=value`` pairs as the server reads them, of what was given."""
    given = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in values.items()
             if value is not None]  # fmt: skip
    return ", ".join(given) or None
