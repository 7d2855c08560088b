"""tree_display on trained models."""

from __future__ import annotations

import shutil
import subprocess

import psycopg
import pytest
from datasets import load_golf, load_mtcars
from training import train


@pytest.fixture
def golf(db: psycopg.Connection) -> psycopg.Connection:
    load_golf(db)
    features = '"OUTLOOK", temperature, windy'
    train(db, "golf", "model", "class", features, max_depth=5, min_split=3, min_bucket=1, n_bins=10)
    return db


def display(db: psycopg.Connection, arguments: str) -> str:
    (text,) = db.execute(f"SELECT madtree.tree_display({arguments})").fetchone()
    return str(text)


def test_text_is_madlibs(golf: psycopg.Connection) -> None:
    """The published tree; its thresholds are values of the data, madtree's lie midway to the next one. Before it stands
    the order of the classes, which MADlib tells only at length.
    """
    assert display(golf, "'model', false").splitlines()[1:] == [
        " []: rows by class: Don't Play,Play",
        ' (0)[5 9]  "OUTLOOK" in {overcast}',
        '    (1)[0 4]  * --> "Play"',
        "    (2)[5 5]  temperature <= 77.5",
        "       (5)[3 5]  temperature <= 66.5",
        '          (11)[1 0]  * --> "Don\'t Play"',
        "          (12)[2 5]  temperature <= 70.5",
        '             (25)[0 3]  * --> "Play"',
        "             (26)[2 2]  temperature <= 73.5",
        '                (53)[2 0]  * --> "Don\'t Play"',
        '                (54)[0 2]  * --> "Play"',
        '       (6)[2 0]  * --> "Don\'t Play"',
        " -------------------------------------",
    ]


def test_dot_is_the_default(golf: psycopg.Connection) -> None:
    dot = display(golf, "'model'")
    assert dot.startswith('digraph "Classification tree for golf" {\n')
    assert dot == display(golf, "'model', true, false") == display(golf, "'model', NULL, NULL")
    assert '[label="\\"OUTLOOK\\" in {overcast}", shape=ellipse];' in dot
    assert "impurity" not in dot


def test_verbose_dot_tells_of_every_node(golf: psycopg.Connection) -> None:
    dot = display(golf, "'model', true, true")
    lines = (
        '\\"OUTLOOK\\" in {overcast}',
        "impurity = 0.459184",
        "samples = 14",
        "value = [5 9]",
        'class = \\"Play\\"',
    )
    assert '[label="' + "\\n".join(lines) + '", shape=ellipse];' in dot
    assert '[label="\\"Play\\"\\nimpurity = 0\\nsamples = 4\\nvalue = [0 4]", shape=box];' in dot


def test_groups_are_headed_by_their_values(db: psycopg.Connection) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "wt, hp", grouping_cols="am, vs", min_split=8)
    text = display(db, "'model', false").splitlines()
    assert [line for line in text if line.startswith(" am")] == [
        " am = 0, vs = 0", " am = 0, vs = 1", " am = 1, vs = 0", " am = 1, vs = 1"
    ]  # fmt: skip
    assert 'label="am = 1, vs = 1";' in display(db, "'model'")


def test_regression_shows_rows_and_mean(db: psycopg.Connection) -> None:
    load_mtcars(db)
    train(db, "mtcars", "model", "mpg", "cyl, hp", max_depth=1)
    lines = display(db, "'model', false").splitlines()
    assert lines[1:-1] == [
        " []: rows, mean of mpg",
        " (0)[32, 20.0906]  cyl <= 5",
        "    (1)[11, 26.6636]  *",
        "    (2)[21, 16.6476]  *",
    ]


def test_dates_and_labels_are_shown_as_such(db: psycopg.Connection) -> None:
    db.execute("CREATE TYPE size AS ENUM ('small', 'medium', 'large')")
    db.execute("""CREATE TABLE data AS SELECT i AS id, date '2024-01-01' + i AS day, i < 30 AS early,
                  (enum_range(NULL::size))[1 + i % 3] AS size, i % 3 < 2 AS fits FROM generate_series(0, 59) i""")
    train(db, "data", "by_day", "early", "day")
    train(db, "data", "by_size", "fits", "size")
    assert " (0)[30 30]  day <= 2024-01-30" in display(db, "'by_day', false")
    assert " (0)[20 40]  size <= medium" in display(db, "'by_size', false")


def test_graphviz_draws_it_without_a_warning(golf: psycopg.Connection) -> None:
    if not shutil.which("dot"):
        pytest.skip("graphviz is not installed")
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=display(golf, "'model', true, true"), capture_output=True, text=True, check=True
    )
    assert drawn.stderr == ""
    assert drawn.stdout.count("<ellipse") == 5


def test_a_model_that_does_not_exist(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable, match="model: relation nothing does not exist"):
        display(db, "'nothing'")


def test_a_tree_is_shown_down_to_a_depth_with_the_leaves_below(golf: psycopg.Connection) -> None:
    whole = display(golf, "'model', false").splitlines()
    cut = display(golf, "'model', false, max_depth => 1").splitlines()
    assert [line.split("  ")[0] for line in cut] == [
        line.split("  ")[0] for line in whole if not line.startswith("       ")
    ]
    leaves = sum("-->" in line for line in whole)
    below = [int(line.split("... ")[1].split()[0]) for line in cut if "leaves below" in line]
    assert sum(below) + sum("-->" in line for line in cut) == leaves
    graph = display(golf, "'model', true, max_depth => 0")
    assert f'... {leaves} leaves below", shape=box, style=dashed' in graph
    assert "->" not in graph
    with pytest.raises(psycopg.Error, match="max_depth must be at least 0, not -1"):
        display(golf, "'model', false, max_depth => -1")


def test_counts_of_many_classes_are_the_largest_by_name(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE many AS SELECT i AS id, i % 60 * i % 60 AS y, i::float8 AS x FROM generate_series(1, 600) i"
    )
    line = train(db, "many", "model", "y", "x", max_depth=1)
    n_classes = db.execute("SELECT count(DISTINCT y) FROM many").fetchone()[0]  # type: ignore[index]
    assert f"model: classification ({n_classes} classes), 600 rows" in line
    (counts,) = (
        db.execute(
            "SELECT array_agg(y || ' ' || n ORDER BY n DESC, y) "
            "FROM (SELECT y, count(*) AS n FROM many GROUP BY y) AS c"
        ).fetchone()
        or ()
    )
    root = display(db, "'model', false").splitlines()[2]
    assert root.startswith(f" (0)[{', '.join(counts[:3])}, ... {n_classes - 3} more]  x <= ")
    whole = display(db, "'model', false, false, true").splitlines()[2]
    assert len(whole.partition("[")[2].partition("]")[0].split()) == n_classes
    assert "classes" in display(db, "'model', false").splitlines()[1]
