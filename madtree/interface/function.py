"""A function as its users see it: its arguments, what it returns, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Literal

from madtree.errors import MadtreeError
from madtree.interface.command_line import Command, Flag
from madtree.interface.valid import Named, OneOf, Range
from madtree.records import dataclass
from madtree.trees import ModelKind, OutcomeKind
from madtree.wording import count_text


class Required(Enum):
    """The default of an argument that has none."""

    REQUIRED = "required"


REQUIRED = Required.REQUIRED
_NO_FUNCTION = "42883"
# Arrays are handed to the server as text, in which NULL is the word NULL.
ALWAYS = {"array_nulls": "on"}


@dataclass(frozen=True)
class Setting:
    """What a model's summary keeps of an argument.

    Attributes:
        column: the name of the column; empty where it is the argument's.
        label: what the report calls it; empty where it is the column's name.
        is_listed: whether the list of models, the documents and the report tell it among a model's parameters.
        is_old: whether models of madtree 0.1.0 have the column.
        is_tried: whether it says how a model is grown, so that `tree_tune` may try several values.
    """

    column: str = ""
    label: str = ""
    is_listed: bool = True
    is_old: bool = False
    is_tried: bool = True


@dataclass(frozen=True)
class OnlyFor:
    """The kind of outcome that an argument is for, where it is for one alone.

    Attributes:
        outcome: that.
        refusal: what is said where it is given for another `criterion`: the end of a sentence that begins with its
            name.
        hint: for who gives it there.
    """

    outcome: OutcomeKind
    refusal: str
    hint: str | None = None


# What a text is made up of, where a client may be given that instead: names, groups of names, key=value pairs, such
# pairs with several values, any value as text.
Form = Literal["text", "names", "groups", "pairs", "grid", "any"]
# Characters of a text, which is read in one piece: twice the longest expression; in lists the names of 65,536 columns.
_MOST, _MOST_OF_LIST = 2**19, 2**22


@dataclass(frozen=True)
class Argument:
    """An argument, or a key of an argument that is a string of options.

    Attributes:
        name: in SQL and, but for what Python keeps for itself, in Python.
        type: its SQL type.
        help: what it is, for the usage text. A line that must stay a line ends in a line break.
        default: None is NULL.
        valid: which values it may have; None for any of the type, or where that depends on more than the value.
        keys: of a string of options `key=value, ...`.
        setting: what is kept of it with a model; None for nothing.
        flag: what it is on the command line, in each command of its function; None if it is not there.
        is_numeric_column: whether it names a numeric column, or gives a numeric expression, of the training table.
        only_for: None for all kinds of outcome.
        form: of a text: what it is made up of.
        means_null: whether NULL is a value of its own, where there is no default.
    """

    name: str
    type: str
    help: str
    default: str | int | float | bool | Required | None = REQUIRED
    valid: Range | OneOf | Named | None = None
    keys: tuple[Argument, ...] = ()
    setting: Setting | None = None
    flag: Flag | None = Flag()
    is_numeric_column: bool = False
    only_for: OnlyFor | None = None
    form: Form = "text"
    means_null: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def column(self) -> str:
        """Of the summary, if there is one."""
        return (self.setting and self.setting.column) or self.name

    def fits(self, outcome: OutcomeKind) -> bool:
        """Whether it says something where outcomes are of that kind."""
        return self.only_for is None or self.only_for.outcome == outcome

    def check(self, value: Any) -> None:
        """Raises MadtreeError where it is a number out of its range, or a text that is too long to be read while a
        cancel waits.
        """
        if isinstance(self.valid, Range) and not self.valid.is_cut and value is not None:
            self.valid.checked(self.name, value)
        most = _MOST_OF_LIST if self.form in ("names", "groups", "pairs") else _MOST
        if isinstance(value, str) and len(value) > most:
            raise MadtreeError(
                f"{self.name} has {len(value):,} characters; at most {most:,} are possible", sqlstate="54000"
            )


@dataclass(frozen=True)
class ResultColumn:
    """A column of the rows that a function returns, with its SQL type, and whether it may be NULL."""

    name: str
    type: str
    may_be_null: bool = False


@dataclass(frozen=True)
class Takes:
    """Which kinds of model a function takes.

    Attributes:
        kinds: those.
        hint: for who gives it a model of another kind. It may name an attribute of that `kind`, or the `model` as an
            SQL literal.
        refusal: what is said of such a model, the end of a sentence that begins with its name.
    """

    kinds: tuple[ModelKind, ...]
    hint: str
    refusal: str = "is {kind.described}"

    def refused(self, kind: ModelKind, model: str) -> tuple[str, str]:
        """What is said of a model of that kind, and the hint; `model` as an SQL literal."""
        return self.refusal.format(kind=kind), self.hint.format(kind=kind, model=model)


@dataclass(frozen=True)
class Method:
    """A function whose first argument names a model, as a method of the client's object for such a model.

    Attributes:
        name: of the method.
        table: the argument that names a table with rows; the client also takes a data frame for it.
    """

    name: str
    table: str = ""


@dataclass(frozen=True)
class Function:
    """A function.

    Attributes:
        name: in the schema madtree.
        does: what it does; the name and this are a sentence.
        arguments: in their order.
        run: `module:function`, which takes the host and the arguments in their order.
        example: statements.
        shares_run: whether functions for other kinds of model have the same `run`, which then takes the `function` by
            its name.
        details: what else a user should know, ready to print, 120 characters wide.
        returns: the SQL type of its value, or the columns of its rows.
        n_rows: about how many rows, for the planner.
        settings: of the session, while it runs, beside those of every function.
        by_name_from: the first of the arguments that are better given by name.
        madlib_names: MADlib's names of arguments, where they differ, for calls by name: a second form of the function.
        takes: of those functions that take some kinds of model only.
        command: of those that are one by themselves.
        method: of those that are one of the client's models.
        makes: the argument that names the model that it makes, where that is of the kind that it trains or takes.
        of_rows: for each type that the first argument may have, what the function is as SQL over the arguments' names.
            Such a function is asked for each row of a query, so it has no `run`: no Python takes part.
    """

    name: str
    does: str
    arguments: tuple[Argument, ...]
    run: str
    example: str
    details: str = ""
    returns: str | tuple[ResultColumn, ...] = "text"
    n_rows: int = 10
    settings: Mapping[str, str] = field(default_factory=dict)
    by_name_from: str | None = None
    madlib_names: Mapping[str, str] = field(default_factory=dict)
    takes: Takes | None = None
    command: Command | None = None
    shares_run: bool = False
    method: Method | None = None
    makes: str = ""
    of_rows: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_settings(self) -> dict[str, str]:
        """Of the session, while it runs: with those of every function."""
        return {**ALWAYS, **self.settings}

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        """Of what it returns; a value is a row of one column."""
        return (ResultColumn(self.name, self.returns),) if isinstance(self.returns, str) else self.returns

    @property
    def returns_rows(self) -> bool:
        return not isinstance(self.returns, str)

    @property
    def defaults(self) -> dict[str, object]:
        """Of the arguments that need not be given, in their order."""
        return {each.name: each.default for each in self.arguments if not each.is_required}

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments, and the keys of those that are strings of options in the place of these."""
        return tuple(option for each in self.arguments for option in (each.keys or (each,)))

    def bound(self, given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """All arguments by name, in their order: as they are given, else their defaults, or None where they have none.

        Raises:
            MadtreeError: there is no such argument, or one is given twice.
        """
        names = [each.name for each in self.arguments]
        if len(given) > len(names):
            count = count_text(len(names), "argument")
            raise MadtreeError(f"{self.name} takes {count}, not {len(given)}", sqlstate=_NO_FUNCTION)
        values = dict(zip(names, given, strict=False))
        for name in named:
            if name not in names:
                raise MadtreeError(
                    f"{self.name} has no argument {name}", f"Its arguments are {', '.join(names)}.", _NO_FUNCTION
                )
            if name in values:
                raise MadtreeError(f"{self.name}: {name} is given twice", sqlstate=_NO_FUNCTION)
        values |= named
        return {each.name: values.get(each.name, None if each.is_required else each.default) for each in self.arguments}

    def checked(self, name: str, value: Any) -> Any:
        """The value of an argument, for NULL its default; raises MadtreeError if it is not valid."""
        argument = next(each for each in self.arguments if each.name == name)
        given: Any = argument.default if value is None else value
        return given if argument.valid is None or given is None else argument.valid.checked(name, given)

    @property
    def takes_one_argument(self) -> bool:
        """Whether a call with one argument is a call of it; else it can only be a question for help."""
        return sum(each.is_required for each in self.arguments) <= 1 <= len(self.arguments)


def columns(text: str) -> tuple[ResultColumn, ...]:
    """Columns from `name type, ...`; a question mark behind a type says that it may be NULL."""
    split = (each.split(" ", 1) for each in text.split(", "))
    return tuple(ResultColumn(name, type_.removesuffix("?"), type_.endswith("?")) for name, type_ in split)
