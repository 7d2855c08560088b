r"""Names, categories, groups and messages that hold escape sequences: no command lets one through to the terminal."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from terminal import ANSI, Said, Terminal

from madtree.cli.escapes import escaped, escaped_line
from madtree.cli.output import harmless

# Clears the screen, colours, turns the direction of writing, rings, goes to the line's begin, forges a line of ours.
EVIL = "\x1b[2J\x9b31m\u202e\x07\x7f\r\nerror: \u2028z"
SHOWN = r"\x1b[2J\x9b31m\u202e\x07\x7f\r\nerror: \u2028z"


def acting(text: str) -> set[str]:
    """Characters of a text that do something, but for line ends."""
    return {each for each in text if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}


def quoted(*names: str) -> str:
    return sql.Identifier(*names).as_string()


@pytest.fixture
def evil(db: psycopg.Connection) -> Iterator[tuple[str, str]]:
    """The table and a grouped model on it, all of whose names and values are hostile, in a schema of such a name."""
    schema, column, table, model = (f"{kind}{EVIL}" for kind in ("s", "c", "t", "m"))
    values = [f"{each}{EVIL}" for each in "abcd"]
    db.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE; CREATE SCHEMA {quoted(schema)}")
    db.execute(
        sql.SQL(
            "CREATE TABLE {} AS SELECT i AS id, ({values}::text[])[1 + i % 4] AS {}, i % 40 AS {}, "
            "({values}::text[])[1 + i / 200] AS {}, "
            "({values}::text[])[1 + (i % 40 / 20 + (i % 4) / 2) % 4] AS {} FROM generate_series(1, 399) AS i"
        ).format(
            sql.Identifier(schema, table),
            *(sql.Identifier(f"{kind}{column}") for kind in ("x", "n", "g", "y")),
            values=sql.Literal(values),
        )
    )
    train = "SELECT tree_train(%s, %s, 'id', %s, %s, grouping_cols => %s, surrogate_params => 'max_surrogates=2')"
    names = [quoted(f"{kind}{column}") for kind in ("y", "x", "n", "g")]
    db.execute(train, [quoted(schema, table), quoted(schema, model), names[0], f"{names[1]}, {names[2]}", names[3]])
    yield quoted(schema, table), quoted(schema, model)
    db.execute(f"DROP SCHEMA {quoted(schema)} CASCADE")


def commands(table: str, model: str) -> dict[str, list[str]]:
    """Every command that shows something of a model, and what it needs to succeed or fail."""
    column = f"c{EVIL}"
    other = model.replace('"m', '"o')
    words = ["--id", "id", "-y", quoted(f"y{column}"), "-x", quoted(f"x{column}")]
    return {
        "train": ["train", table, other, *words],
        "train verbose": ["train", table, other, *words, "--verbose"],
        "train a name that is taken": ["train", table, model, *words],
        "train by what is no column": ["train", table, other, *words[:-1], quoted(EVIL)],
        "train by what fails": ["train", table, other, *words[:-1], f"({quoted(f'x{column}')}::int)"],
        "models": ["models"],
        "models verbose": ["models", "--verbose"],
        "show": ["show", model],
        "show verbose": ["show", model, "--verbose"],
        "show rules": ["show", model, "--rules"],
        "show surrogates": ["show", model, "--surrogates"],
        "show an unknown group": ["show", model, "--group", "what"],
        "show an unknown model": ["show", quoted(EVIL)],
        "evaluate": ["evaluate", model, table],
        "evaluate confusion": ["evaluate", model, table, "--confusion"],
        "importance": ["importance", model],
        "predict": ["predict", model, table, other],
        "prune": ["prune", model, other, "--cp", "0.5"],
        "drop": ["drop", model],
        "drop another": ["drop", quoted(EVIL)],
        "doctor": ["doctor", "--schema", f"s{EVIL}"],
        "export": ["export", model, "--format", "json", "-o", "/nonexistent/x"],
    }


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", commands("", ""))
def test_nothing_that_acts_goes_through_a_pipe(madtree: Callable[..., Said], evil: tuple[str, str], name: str) -> None:
    said = madtree(*commands(*evil)[name])
    assert said.out or said.err
    assert acting(said.out + said.err) == set()
    # No line begins with what a value brings along.
    assert not re.search(r"^error: \\u2028", said.out + said.err, re.MULTILINE)
    if name not in ("doctor", "export"):
        # What draws trees has its own way to write control characters.
        assert SHOWN in re.sub(r"\\u00(..)", r"\\x\1", said.out + said.err)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "words",
    [["export", "--format", each] for each in ("sql", "dot", "svg", "json", "pmml")]
    + [["show", "--dot"], ["show", "--svg"], ["show"], ["show", "--rules"], ["importance"]],
    ids=" ".join,
)  # fmt: skip
def test_nothing_that_acts_goes_to_a_terminal(kept_dsn: str, evil: tuple[str, str], words: list[str]) -> None:
    tree = ["--tree", "1"] if words[-1] == "sql" else []
    command = Terminal(words[0], evil[1], *words[1:], *tree, "--dsn", kept_dsn, columns=4000)
    code = command.end().code
    assert (code, "XML cannot hold" in command.said) == ((1, True) if words[-1] == "pmml" else (0, False))
    # The bar's own movements are no part of what is shown.
    assert acting(ANSI.sub("", command.said).replace("\r", "")) == set()
    assert "\x1b[2J" not in command.said
    assert "\x07" not in command.said


def test_documents_for_programs_are_left_as_they_are(
    madtree: Callable[..., Said], evil: tuple[str, str], db: psycopg.Connection, tmp_path: Path
) -> None:
    """In a pipe and in a file; and JSON is JSON."""
    (expression,) = db.execute("SELECT tree_sql(%s, tree_id => 1)", [evil[1]]).fetchone() or ("",)
    assert EVIL in expression
    words = ["export", evil[1], "--format", "sql", "--tree", "1"]
    assert madtree(*words).out == expression.replace("\r\n", "\n") + "\n"  # as text mode reads it
    madtree(*words, "-o", str(tmp_path / "out.sql"))
    assert (tmp_path / "out.sql").read_bytes() == expression.encode()
    listed: list[dict[str, Any]] = json.loads(madtree("models", "--json").out)
    assert f"m{EVIL}" in {row["name"] for row in listed}


def test_text_is_made_safe_once_and_what_is_harmless_stays() -> None:
    assert escaped_line(EVIL) == SHOWN
    assert escaped("a\nb\tc\x1b") == "a\nb\\tc\\x1b"
    assert escaped_line(escaped_line(EVIL)) == SHOWN
    for text in ("", "Ünï çødé 模型 🌳", "\xa0non-breaking", "back\\slash", "é"):
        assert escaped(text) == escaped_line(text) == text
    everything = "".join(map(chr, range(0x110000)))
    assert acting(escaped_line(everything)) == set()
    assert "\n" not in escaped_line(everything)


def test_styles_stay_on_their_words() -> None:
    from rich.text import Text

    made = harmless(Text.assemble("a\x1b", ("b\x9bc", "bold"), "d"))
    assert made.plain == r"a\x1bb\x9bcd"
    (span,) = made.spans
    assert made.plain[span.start : span.end] == r"b\x9bc"
