"""Connections of the caller's own: their kind of rows, encoding and settings change nothing of what is learnt."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg._encodings import py_codecs
from psycopg.rows import dict_row, scalar_row
from shares import share

import madtree
from madtree.client.calls import CallError
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.host.statements import check_encoding

CONNECTIONS: dict[str, dict[str, Any]] = {
    "dicts": {"row_factory": dict_row},
    "scalars": {"row_factory": scalar_row},
    "latin1": {"client_encoding": "latin1"},
    "few_digits": {"options": "-c extra_float_digits=-9"},
    "moments": {"options": "-c datestyle=German -c intervalstyle=sql_standard -c timezone=Asia/Kathmandu"},
    "quotes": {"options": "-c quote_all_identifiers=on -c bytea_output=escape"},
    "backslashes": {"options": "-c standard_conforming_strings=off"},
}
MAKE = """
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TABLE "tä" AS SELECT i AS id, i * 37 % 101 / 7.0::float8 AS x, i * 53 % 97 AS "ö", 'cü ' || i % 5 AS c,
        CASE WHEN i * 37 % 101 > 50 + i % 7 THEN 'hä' ELSE 'lo' END AS k,
        date '2026-11-01' + i % 2 AS day, (ARRAY['sad', 'glad'])[1 + i % 2]::mood AS mood
    FROM generate_series(1, 200) AS i
"""

Told = dict[str, Any]


@pytest.fixture
def connect(url: str, db: psycopg.Connection) -> Iterator[Callable[..., psycopg.Connection]]:
    db.execute(MAKE)
    opened: list[psycopg.Connection] = []

    def connect(**how: Any) -> psycopg.Connection:
        options = " ".join([psycopg.conninfo.conninfo_to_dict(url)["options"], how.pop("options", "")])  # type: ignore[list-item]
        opened.append(psycopg.connect(url, autocommit=True, options=options, **how))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


def told(connection: psycopg.Connection, engine: Any) -> Told:
    client = madtree.connect(connection, engine=engine, on_message=lambda line: None)
    features = 'x, "ö", c'
    forest = client.forest_train('"tä"', "f", "id", "k", features, num_trees=2, oob_predictions=True, replace=True)
    model = client.tree_train('"tä"', "m", "id", "k", features, replace=True)
    grouped = client.tree_train('"tä"', "g", "id", "k", "x", grouping_cols="c", replace=True)
    by_day = client.tree_train('"tä"', "d", "id", "k", "x, mood", grouping_cols="mood, day", replace=True)
    listed = next(row for row in client.models() if row.name == "m")
    ages = (listed.age, listed.trained_at - model.summary["trained_at"])
    return {
        "listed": (listed.n_rows, listed.parameters["max_depth"], [timedelta(0) <= age < timedelta(1) for age in ages]),
        "days": [(row.mood, row.day, row.n_rows) for row in by_day.trees],
        "importance": [tuple(row) for row in (*model.importance(), *forest.importance())],
        "oob": round(forest.oob_error or 0, 5),
        "nodes": model.read().trees[0].nodes,
        "forest": [tree.nodes for tree in forest.read().trees],
        "scored": sorted(model.predict('"tä"')),
        "frame": model.predict({"x": [1.0], "ö": [3], "c": ["cü 1"]}).column("estimated_k"),
        "metrics": model.evaluate('"tä"').metrics,
        "groups": [row.group_values for row in grouped.rules()],
    }


@pytest.mark.parametrize("engine", ["extension", "client"])
def test_nothing_of_a_connection_changes_what_is_told(connect: Callable[..., psycopg.Connection], engine: str) -> None:
    expected = told(connect(), engine)
    for how in share([*CONNECTIONS.values()], 2, engine == "client"):
        assert told(connect(**how), engine) == expected, how


def test_texts_whose_encoding_nobody_knows_are_refused(connect: Callable[..., psycopg.Connection]) -> None:
    with pytest.raises(CallError, match="client_encoding is SQL_ASCII") as refused:
        madtree.connect(connect(client_encoding="SQL_ASCII")).models()
    assert refused.value.hint == "SET client_encoding = 'UTF8', or connect with client_encoding=UTF8."


def test_a_connection_may_be_older_than_the_import_of_madtree(
    connect: Callable[..., psycopg.Connection], url: str
) -> None:
    program = (
        "import sys, psycopg; c = psycopg.connect(sys.argv[1], autocommit=True); c.execute('SELECT 1'); "
        "import madtree; "
        "print(madtree.connect(c, engine='client').tree_train('\"tä\"', 'm', 'id', 'k', 'x').message)"
    )
    done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("m: classification, 200 rows"), done.stderr


# The most that a database's owner can set: a superuser's session has it, too.
UNSAFE = "-c standard_conforming_strings=off -c backslash_quote=on"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("encoding", ["SJIS", "EUC_JP", "GBK", "EUC_KR", "JOHAB"])
def test_an_encoding_cannot_change_a_text(connect: Callable[..., psycopg.Connection], encoding: str) -> None:
    """As Python writes Shift JIS, a yen sign is a backslash, which would take the quote behind it to the text. As it
    reads EUC-KR, a name of four characters is that of another column, which may be of another role's type.
    """
    connect().execute('CREATE TABLE yen AS SELECT id, chr(165 + id % 2) AS k, id % 2 = 0 AS y FROM "tä"')
    madtree.connect(connect(), engine="client").tree_train("yen", "m", "id", "y", "k")
    connection = connect(client_encoding=encoding, options=UNSAFE)
    client = madtree.connect(connection, engine="client")
    for work in (
        lambda: client.tree_predict("m", "yen", "out"),
        lambda: client.tree_sql("m"),
        lambda: client.model("m").predict({"k": ["a"]}),
        lambda: PsycopgHost(connection).query("SELECT 1"),
    ):
        with pytest.raises(MadtreeError, match=f"client_encoding is {encoding}, in which characters take more"):
            work()
    connection.execute("SET client_encoding = 'UTF8'")
    assert client.tree_predict("m", "yen", "out")


def test_the_encodings_that_are_refused_are_those_of_longer_characters() -> None:
    """Tried character by character, for all that psycopg knows."""
    codecs = {*py_codecs.values()}
    assert len(codecs) > 20
    characters = [each for each in map(chr, range(0x80, 0x10000)) if not "\ud800" <= each <= "\udfff"]
    for codec in codecs:
        found = [each.encode(codec, "ignore") for each in characters]
        unsafe = codec != "utf-8" and any(each and (len(each) > 1 or each.isascii()) for each in found)
        connection = SimpleNamespace(info=SimpleNamespace(encoding=codec, parameter_status=lambda name: name))
        with pytest.raises(MadtreeError) if unsafe else nullcontext():
            check_encoding(connection)
