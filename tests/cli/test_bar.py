"""The progress bar: in a real terminal, over a plain connection, moved by the server's own messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import psycopg
import pytest
from shares import share
from terminal import Said, Terminal, run_in_terminal

BAR = re.compile(r"(\d+)%")


@pytest.fixture(scope="module")
def numbers(dsn: str, shared_schema: str) -> str:
    """A table that trains for one to three seconds."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("SELECT setseed(0.5)")
        db.execute(
            f"CREATE TABLE {shared_schema}.numbers AS SELECT i AS id, random() AS a, random() AS b, random() AS c, "
            "random() AS d, random() AS e, random() AS f, random() < 0.4 AS y FROM generate_series(1, 200000) AS i"
        )
    return f"{shared_schema}.numbers"


@pytest.fixture
def training(numbers: str, dsn: str, schema: str) -> list[str]:
    options = ["--folds", "15", "--max-depth", "12", "--bins", "500", "--min-split", "2"]
    return ["train", numbers, f"{schema}.m", "--id", "id", "-y", "y", "--dsn", dsn, *options]


@pytest.fixture
def shorter(training: list[str]) -> list[str]:
    """Of fewer trees, for what a few steps of the bar can show."""
    return [*training, "--folds", "2"]


def finished(terminal: Terminal) -> Said:
    said = terminal.end()
    assert said.code == 0, terminal.plain
    return said


def test_the_bar_moves_with_the_levels_and_is_gone_at_the_end(training: list[str]) -> None:
    terminal = Terminal(*training)
    said = finished(terminal)
    levels = [int(number) for number in re.findall(r"training: level (\d+)", terminal.plain)]
    assert levels == sorted(levels)
    assert len(set(levels)) >= 4
    assert levels[-1] <= 12
    shares = [int(share) for share in BAR.findall(terminal.plain)]
    assert shares == sorted(shares)
    # How far the first level is on its way depends on how long the session took to begin: on a busy machine the bar
    # begins late. What it says of given times is in test_progress.py.
    assert len(set(shares)) >= 2
    assert shares[-1] == 99
    assert re.search(r"level \d+, [23],\d{3},\d{3} rows", terminal.plain)  # those of sixteen trees together
    assert re.search(r"about \d+ s left", terminal.plain)

    # At the end the answer alone stays.
    last = said.out.split("\x1b[2K")[-1]  # after the last line that was erased
    assert re.fullmatch(r"test_\w+\.m: classification, 200000 rows, 1 tree, .* s\r\n", last)
    assert "stages:" not in terminal.plain
    assert "frontier" not in terminal.plain


def test_with_verbose_the_servers_lines_stand_above_the_bar(shorter: list[str]) -> None:
    terminal = Terminal(*shorter, "--verbose")
    finished(terminal)
    assert [int(n) for n in re.findall(r"level (\d+): \d+ frontier nodes?,", terminal.plain)] == list(range(12))


def test_of_boosting_the_bar_tells_rounds_and_the_validation_loss(numbers: str, dsn: str, schema: str) -> None:
    few = ["--trees", "5", "--max-leaf-nodes", "7", "--validation-fraction", "0.1"]
    terminal = Terminal("boost", numbers, f"{schema}.m", "--id", "id", "-y", "y", "--dsn", dsn, *few)
    finished(terminal)
    assert re.search(r"boosting: round \d of 5, validation loss 0\.6[67]\d+ ", terminal.plain)
    assert "level" not in terminal.plain


@pytest.mark.parametrize("columns", share([24, 79], 2))
def test_in_a_narrow_terminal_no_line_is_wider_than_it(shorter: list[str], columns: int) -> None:
    """A line that wraps cannot be erased, and would be left behind at each step."""
    terminal = Terminal(*shorter, columns=columns)
    finished(terminal)
    drawn = [line for line in re.split(r"[\r\n]+", terminal.plain) if "training" in line]
    assert len(drawn) > 3
    assert max(map(len, drawn)) <= columns


def test_without_colours_where_these_are_not_wanted(shorter: list[str]) -> None:
    said = run_in_terminal(*shorter, NO_COLOR="1")
    assert said.code == 0
    assert "level" in said.out
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", said.out)


def test_a_dumb_terminal_gets_no_bar(shorter: list[str]) -> None:
    said = run_in_terminal(*shorter, TERM="dumb")
    assert re.fullmatch(r"(notice: .*\r\n)?test_\w+\.m: classification, .*\r\n", said.out)


def test_the_bar_does_not_get_into_a_file(shorter: list[str], tmp_path: Path) -> None:
    terminal = Terminal(*shorter, "--json", out=tmp_path / "out.json")
    said = finished(terminal)
    assert "training: level" in said.out
    assert json.loads((tmp_path / "out.json").read_text())["rows"] == 200000
