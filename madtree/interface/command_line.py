"""What functions and their arguments are on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from madtree.records import dataclass

# Headings of the help.
DATA, GROWTH, SAMPLES, MISSING, PRUNING, RUN, SERVER, OUTPUT = (
    "Data", "How a tree grows", "The trees' samples", "Missing values", "Pruning", "The run", "Server", "Output",
)  # fmt: skip


@dataclass(frozen=True)
class Flag:
    """An argument on the command line.

    Attributes:
        section: the heading under which the help lists it; empty for the first one.
        names: `--its-name`, `-n`; a name without hyphens is that of a place. Empty where it is the argument's: a place
            if it must be given, else an option.
        metavar: what the help shows for its value; empty where the type says it.
        is_repeated: whether it may be given several times, for a list.
        help: where that is not the argument's and its default.
    """

    section: str = ""
    names: tuple[str, ...] = ()
    metavar: str = ""
    is_repeated: bool = False
    help: str = ""


@dataclass(frozen=True)
class Command:
    """A function as a command that calls it and no other.

    Attributes:
        name: of the command.
        doing: what the bar says.
        help: what it does, in a sentence, and what else a user should know.
        examples: command lines, without the prompt.
        facts: what JSON tells beside the line that is returned: names, and the arguments that they tell.
        empty: what is said where no rows are returned.
        depth: of one that trains the argument for the depth of a tree, by which the bar estimates; empty where it
            counts trees.
        model_suffix: of one that trains what the name of the model has behind the output's.
    """

    name: str
    doing: str
    help: str
    examples: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    empty: str = "no rows"
    depth: str = ""
    model_suffix: str = ""
