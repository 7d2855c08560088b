"""What is printed where: pipes, files, terminals, colours, exit codes; help and completion."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from fix_server import Server
from psycopg.conninfo import make_conninfo
from terminal import ANSI, COLOUR, SCRIPT, environment, run, run_in_terminal

from madtree.cli.output import rows

COMMANDS = [
    "train",
    "predict",
    "show",
    "evaluate",
    "importance",
    "prune",
    "export",
    "report",
    "models",
    "drop",
    "up",
    "down",
    "status",
    "psql",
    "install",
    "doctor",
    "demo",
]


def in_shell(script: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """A script in which $M is the command."""
    return subprocess.run(
        ["bash", "-c", script],
        env=environment({"M": SCRIPT[0], **changes}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("command", ["show {}", "show {} --svg", "models", "models --json", "importance {}", "doctor"])
def test_a_reader_that_goes_away_is_no_error(kept_dsn: str, model: str, command: str) -> None:
    script = f'$M {command.format(model)} --dsn "$DSN" | true; echo ${{PIPESTATUS[0]}}'
    done = in_shell(script, DSN=kept_dsn)
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_the_first_lines_of_much_output(kept_dsn: str, model: str) -> None:
    done = in_shell(f'$M report {model} -o - --dsn "$DSN" | head -1; echo ${{PIPESTATUS[0]}}', DSN=kept_dsn)
    assert (done.stdout.lower(), done.stderr) == ("<!doctype html>\n141\n", "")


def test_a_disk_that_is_full_is_an_error(kept_dsn: str, model: str) -> None:
    done = in_shell(f'$M show {model} --dsn "$DSN" > /dev/full', DSN=kept_dsn)
    assert (done.returncode, done.stderr) == (1, "error: the answer cannot be written: No space left on device\n")


def test_closed_streams_are_no_traceback(kept_dsn: str, model: str) -> None:
    done = in_shell(
        f'$M show {model} --dsn "$DSN" >&-; $M show {model} --dsn "$DSN" 2>&- | grep -c "(0)"', DSN=kept_dsn
    )
    assert "Traceback" not in done.stderr
    assert done.stdout == "1\n"


def test_a_terminal_that_lacks_a_letter_shows_its_number(kept_dsn: str, grouped: str) -> None:
    done = in_shell(f'$M show {grouped} --dsn "$DSN"', DSN=kept_dsn, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xdcn\\xef" in done.stdout


# A second model, of a name that is no UTF-8, as anybody can make one there.
RENAME_TO_NO_TEXT = r"""
SELECT madtree.tree_prune('m', 'n', 0.1);
DO $$ BEGIN
EXECUTE format('ALTER TABLE n RENAME TO %I', convert_from('\xff', 'SQL_ASCII'));
EXECUTE format('ALTER TABLE n_nodes RENAME TO %I', convert_from('\xff', 'SQL_ASCII') || '_nodes');
EXECUTE format('ALTER TABLE n_summary RENAME TO %I', convert_from('\xff', 'SQL_ASCII') || '_summary');
END $$
"""


def test_text_of_a_database_without_an_encoding_is_text(server: Server) -> None:
    name = f"madtree_bytes_{secrets.token_hex(4)}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    try:
        dsn = server.dsn_of(dbname=name)
        with psycopg.connect(dsn, autocommit=True, client_encoding="utf8") as admin:
            admin.execute("CREATE EXTENSION madtree CASCADE")
            admin.execute(
                "CREATE TABLE t AS SELECT i AS id, chr(65 + i % 7) AS x, i % 7 > 3 AS y FROM generate_series(1, 70) i"
            )
        assert run("train", "t", "m", "--id", "id", "-y", "y", "--dsn", dsn).out.startswith(
            "m: classification, 70 rows"
        )
        assert "x in {E,F,G}" in run("show", "m", "--dsn", dsn).out
        for rename in ("", RENAME_TO_NO_TEXT):
            with psycopg.connect(dsn, autocommit=True, client_encoding="utf8") as admin:
                admin.execute(rename)
                assert admin.execute("SELECT model FROM madtree.models").fetchall() == [("public.m",)]
            for engine in ("extension", "client"):
                listed = run("--engine", engine, "models", "--dsn", dsn).out.splitlines()[1:]
                assert [line.split()[0] for line in listed] == ["public.m"]
    finally:
        with psycopg.connect(server.dsn, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_without_a_terminal_there_are_no_colours(madtree: Callable[..., Any], model: str) -> None:
    for words in (["show", model], ["importance", model], ["doctor"], ["show", "nothing"], ["train", "--help"]):
        said = run(*words) if "--help" in words else madtree(*words)
        assert "\x1b" not in said.out + said.err


@pytest.mark.parametrize("words", [["doctor"], ["show", "nothing"]])
def test_colours_in_a_terminal_unless_they_are_not_wanted(kept_dsn: str, words: list[str]) -> None:
    assert COLOUR.search(run_in_terminal(*words, "--dsn", kept_dsn).out)
    assert not COLOUR.search(run_in_terminal(*words, "--dsn", kept_dsn, NO_COLOR="1").out)
    assert "\x1b" not in run_in_terminal(*words, "--dsn", kept_dsn, TERM="dumb").out


@pytest.mark.usefixtures("model")
def test_a_table_wider_than_the_terminal_is_shown_value_by_value(kept_dsn: str) -> None:
    wide, narrow = (
        ANSI.sub("", run_in_terminal("models", "--dsn", kept_dsn, columns=columns).out) for columns in (150, 40)
    )
    assert re.search(r"model +kind +dependent +n_rows +n_trees", wide)
    assert re.search(r"^kind +classification\r$", narrow, re.MULTILINE)
    assert max(len(line) for line in re.split("[\r\n]+", narrow)) <= 40


def test_in_a_pipe_a_table_is_as_wide_as_it_needs_to_be(madtree: Callable[..., Any], model: str) -> None:
    heading, *rows = madtree("models", COLUMNS="20").out.splitlines()
    assert len(heading) > 20
    assert any(row.startswith(model) for row in rows)


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["train"],
        ["train", "t", "m"],
        ["train", "t", "m", "--id", "id", "-y", "y", "--max-depth", "deep"],
        ["train", "t", "m", "--id", "id", "-y", "y", "--criterion", "guess"],
        ["prune", "m", "n", "--cp", "little"],
        ["export", "m"],
        ["show", "m", "--nonsense"],
    ],
)
def test_wrong_usage_is_told_apart(words: list[str]) -> None:
    said = run(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err


def test_a_database_without_madtree_names_the_doctor(dsn: str) -> None:
    said = run("--engine", "extension", "predict", "m", "t", "o", "--dsn", make_conninfo(dsn, dbname="template1"))
    assert said.code == 1
    assert "madtree" in said.err
    assert "'madtree doctor' says what is missing" in said.err


def test_a_server_that_is_not_there(dsn: str) -> None:
    said = run("show", "m", "--dsn", "postgresql://nobody@127.0.0.1:1/x")
    assert (said.code, said.out) == (3, "")
    assert "Connection refused" in said.err
    assert "madtree doctor" in said.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_are_commands(command: str) -> None:
    said = run(command, "--help", COLUMNS="200")
    assert said.code == 0
    assert "Examples" in said.out
    shown = re.findall(r"^\s*\$ (.*)", said.out, re.MULTILINE)
    assert shown
    assert any(re.search(rf"madtree {command}\b", line) for line in shown)


def test_the_reports_help_is_about_all_models_of_several_trees() -> None:
    said = run("report", "--help", COLUMNS="200")
    assert said.out.count("Of a model of several trees, ") == 2
    assert "or a forest" not in said.out


def test_help_lists_the_commands_and_exit_codes() -> None:
    said = run("--help", COLUMNS="100")
    assert [command for command in COMMANDS if not re.search(rf"^│ {command} ", said.out, re.MULTILINE)] == []
    assert "Exit codes: 0 done; 1 the server refused; 2 wrong usage; 3 no connection; 130" in said.out
    assert run().code == 2  # nothing was asked for


LOADED = """
import sys
import time
from madtree.cli import main
sys.argv = ["madtree", "--help"]
try:
    main()
finally:
    print(*{".".join(name.split(".")[:2]) for name in sys.modules if name.startswith("madtree.")}, file=sys.stderr)
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""
# What commands need when they are run; half a second is what the others take on an idle machine.
LATER = {"learn", "ingest", "storage", "train", "score", "parallel", "explain", "client"}
HEAVY = {"numpy", "scipy", "sqlalchemy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib"}


def test_help_loads_nothing_that_would_make_it_slow() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert "Exit codes" in done.stdout
    own, all_ = map(set, map(str.split, done.stderr.splitlines()[-2:]))
    assert own & {f"madtree.{room}" for room in LATER} == set()
    assert all_ & HEAVY == set()


@pytest.mark.parametrize(
    ("shell", "sign"), [("bash", "complete -o default -F"), ("zsh", "compdef"), ("fish", "complete")]
)
def test_completion_is_offered_for_shells(shell: str, sign: str) -> None:
    # Asked for by name: without a terminal there is no shell to recognise.
    script = run(_MADTREE_COMPLETE=f"source_{shell}").out
    assert sign in script


def test_completion_knows_commands_and_options() -> None:
    def completed(line: str) -> list[str]:
        words = line.split(" ")
        changes = {"_MADTREE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return run(**changes).out.split()

    assert set(completed("madtree exp")) == {"explain", "export"}
    assert "--max-depth" in completed("madtree train --max-")
    types = {"response", "prob", "prob_mean", "leaf", "raw", "interval", "conformal"}
    assert set(completed("madtree predict --type ")) == types


def test_json_is_strict(madtree: Callable[..., Any], model: str, points: str) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for words in (["models"], ["evaluate", model, points], ["importance", model], ["doctor"]):
        json.loads(madtree(*words, "--json").out, parse_constant=refuse)


def test_the_suite_reaches_no_private_server_of_its_users() -> None:
    assert not os.path.exists(environment({})["MADTREE_HOME"])


def test_many_rows_are_printed_in_a_moment(capsys: pytest.CaptureFixture[str]) -> None:
    """As those of every row's curve are; wide characters take two places."""
    found = [{"class": "木" * (1 + i % 3), "number": i, "estimated": i / 7} for i in range(20_000)]
    begin = time.process_time()
    rows(found, machine=False)
    assert time.process_time() - begin < 2.5
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == "class  number estimated"
    assert lines[:2] == ["木" + " " * 10 + "0" + " " * 9 + "0", "木木" + " " * 8 + "1  0.142857"]
    assert len(lines) == 20_000
