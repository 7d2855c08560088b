"""A function as its users see it: its arguments, what it returns, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Required(Enum):
    """The default of an argument that has none."""

    REQUIRED = "required"


REQUIRED = Required.REQUIRED


@dataclass(frozen=True)
class Argument:
    """An argument.

    Attributes:
        name: in SQL and, but for what Python keeps for itself, in Python.
        type: its SQL type.
        help: what it is, for the usage text. A line that must stay a line ends in a line break.
        default: None is NULL.
    """

    name: str
    type: str
    help: str
    default: str | int | float | bool | Required | None = REQUIRED

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


@dataclass(frozen=True)
class Column:
    """A column of the rows that a function returns, with its SQL type."""

    name: str
    type: str


@dataclass(frozen=True)
class Function:
    """A function.

    Attributes:
        name: in the schema madtree.
        does: what it does; the name and this are a sentence.
        arguments: in their order.
        run: `module:function`, which takes the host and the arguments in their order.
        example: statements.
        details: what else a user should know, ready to print, 120 characters wide.
        returns: the SQL type of its value, or the columns of its rows.
        n_rows: about how many rows, for the planner.
        settings: of the session, while it runs.
        by_name_from: the first of the arguments that are better given by name.
        madlib_names: MADlib's names of arguments, where they differ, for calls by name: a second form of the function.
    """

    name: str
    does: str
    arguments: tuple[Argument, ...]
    run: str
    example: str
    details: str = ""
    returns: str | tuple[Column, ...] = "text"
    n_rows: int = 10
    settings: Mapping[str, str] = field(default_factory=dict)
    by_name_from: str | None = None
    madlib_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of what it returns; a value is a row of one column."""
        return (Column(self.name, self.returns),) if isinstance(self.returns, str) else self.returns

    @property
    def returns_rows(self) -> bool:
        return not isinstance(self.returns, str)

    @property
    def defaults(self) -> dict[str, object]:
        """Of the arguments that need not be given, in their order."""
        return {each.name: each.default for each in self.arguments if not each.is_required}

    @property
    def takes_one_argument(self) -> bool:
        """Whether a call with one argument is a call of it; else it can only be a question for help."""
        return sum(each.is_required for each in self.arguments) <= 1 <= len(self.arguments)


def columns(text: str) -> tuple[Column, ...]:
    """Columns from `name type, ...`."""
    return tuple(Column(*each.split(" ", 1)) for each in text.split(", "))
