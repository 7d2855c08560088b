"""Lists of hundreds of categories: short for people unless they ask for all of it, whole for programs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import psycopg
import pytest
from training import train

SOME = re.compile(r"place in \{[^{}]{1,60}, \.\.\. \d+ more\}")


@pytest.fixture
def places(db: psycopg.Connection) -> psycopg.Connection:
    """A split on 400 categories, and a surrogate."""
    db.execute(
        "CREATE TABLE visits AS SELECT g AS id, 'place & number ' || g % 400 AS place, 'in ' || g % 400 / 2 AS area, "
        "g % 400 % 4 < 2 AS late FROM generate_series(1, 1200) AS g"
    )
    train(db, "visits", "model", "late", "place, area", max_depth=1, surrogate_params="max_surrogates=1")
    return db


def texts(db: psycopg.Connection, full: str) -> dict[str, str]:
    """All that people read of the model."""
    calls = {
        "text": "SELECT madtree.tree_display('model', false{})",
        "dot": "SELECT madtree.tree_display('model'{})",
        "surrogates": "SELECT madtree.tree_surr_display('model'{})",
        "rule": "SELECT pg_catalog.max(rule) FROM madtree.tree_rules('model'{})",
        "condition": "SELECT condition FROM madtree.tree_path('model', 'visits', '7'{}) LIMIT 1",
        "explanation": "SELECT explanation FROM madtree.tree_path('model', 'visits', '7'{}) LIMIT 1",
    }
    return {name: str(db.execute(call.format(full)).fetchone()[0]) for name, call in calls.items()}  # type: ignore[index]


def test_people_see_some_categories_and_all_if_they_ask(places: psycopg.Connection) -> None:
    for name, text in texts(places, "").items():
        assert SOME.search(text.replace("&amp;", "&")), f"{name}: {text}"
        assert max(map(len, text.splitlines())) < 200, name
    for name, text in texts(places, ", full => true").items():
        assert " more}" not in text, name
        # Half of the categories are on each side. The dot language has no room for so many.
        assert text.count("place &") >= (50 if name == "dot" else 200), f"{name}: {text}"


def test_programs_always_get_all(places: psycopg.Connection) -> None:
    (sql,) = places.execute("SELECT madtree.tree_sql('model')").fetchone()  # type: ignore[misc]
    (predicate,) = places.execute("SELECT predicate FROM madtree.tree_rules('model') LIMIT 1").fetchone()  # type: ignore[misc]
    assert min(sql.count("place & number"), predicate.count("place & number")) == 200
    (document,) = places.execute("SELECT madtree.tree_to_json('model')").fetchone()  # type: ignore[misc]
    split = document["trees"][0]["nodes"][0]["split"]
    assert len(split["left_levels"] + split["right_levels"]) == 400
    assert json.dumps(document).count(" more}") == 0


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_dot_reads_the_full_graph(places: psycopg.Connection) -> None:
    graph = texts(places, ", full => true")["dot"]
    subprocess.run(["dot", "-Tplain"], input=graph.encode(), check=True, capture_output=True)
