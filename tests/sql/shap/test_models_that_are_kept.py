"""What a session keeps of a model is used as long as the model's tables have the same rows, and not a call longer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import psycopg
import pytest
from psycopg_host import PsycopgHost
from waiting import wait_until

from madtree.engine import call
from madtree.host.protocol import Row
from madtree.model import OpenModel
from madtree.score import shap_row
from madtree.sqltext.models import row_versions

MAKE = """
CREATE TABLE t AS SELECT n AS id, sin(n * 7.1) AS a, n * 53 % 17 AS b, 'c' || n % 5 AS c, n % 2 AS g,
    sin(n * 7.1) * 3 + n * 53 % 17 + n % 5 AS y
FROM generate_series(1, 300) AS n
"""
MODELS = {
    "a forest": "forest_train('{}', 'm', 'id', 'y', 'a, b, c', num_trees => 4, importance => false",
    "a boosted model": "boost_train('{}', 'm', 'id', 'y', 'a, b, c', num_trees => 4",
    "boosted models by groups": "boost_train('{}', 'm', 'id', 'y', 'a, b', grouping_cols => 'g', num_trees => 4",
}
ASKED = {
    "tree_explain": "SELECT feature, contribution FROM madtree.tree_explain('m', 't', '7')",
    "partial_dependence": "SELECT value, estimated FROM madtree.partial_dependence('m', 't', 'b')",
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("CREATE VIEW others AS SELECT id, -a AS a, b * 7 % 13 AS b, c, g, y * 2 AS y FROM t")


def train(db: psycopg.Connection, model: str, table: str = "t", more: str = "") -> None:
    db.execute(f"SELECT madtree.{MODELS[model].format(table)}{more})")  # type: ignore[arg-type]


def ask(db: psycopg.Connection, what: str) -> list[Any]:
    return db.execute(ASKED[what]).fetchall()  # type: ignore[arg-type]


@pytest.mark.in_turn
@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("model", MODELS)
def test_each_call_tells_of_the_model_that_is_there(
    db: psycopg.Connection, connect: Callable[[], psycopg.Connection], model: str, what: str
) -> None:
    """A model that is trained anew here, taken back, trained by another session, or changed row by row."""
    train(db, model)
    first = ask(db, what)
    assert ask(db, what) == first
    with db.transaction(force_rollback=True):
        train(db, model, "others", ", replace => true")
        second = ask(db, what)
        assert second != first
        with db.transaction(force_rollback=True):
            train(db, model, "t", ", replace => true")
            assert ask(db, what) == first
        assert ask(db, what) == second
    assert ask(db, what) == first
    other = connect()
    train(other, model, "others", ", replace => true")
    assert ask(db, what) == second
    other.execute("UPDATE m_packed SET nodes = nodes")
    assert ask(db, what) == second
    other.execute("DELETE FROM m_packed WHERE tree_id = 2")
    with pytest.raises(psycopg.Error, match="tree 2"):
        ask(db, what)


@pytest.mark.parametrize("what", ASKED)
def test_nodes_that_are_changed_are_read_again(db: psycopg.Connection, what: str) -> None:
    train(db, "a boosted model")
    db.execute("CREATE TABLE kept AS TABLE m_packed")
    first = ask(db, what)
    with db.transaction(force_rollback=True):
        db.execute("UPDATE m_packed SET nodes = (SELECT k.nodes FROM kept AS k WHERE k.tree_id = 1) WHERE tree_id = 2")
        assert ask(db, what) != first
    assert ask(db, what) == first
    db.execute("UPDATE m_group SET base_score = ARRAY[base_score[1] + 1]")
    assert ask(db, what) != first


@pytest.mark.parametrize("what", ASKED)
def test_who_may_not_read_a_model_is_refused_in_the_session_that_has_kept_it(
    db: psycopg.Connection, schema: str, ordinary_user: tuple[str, str], what: str
) -> None:
    role = ordinary_user[0]
    train(db, "a boosted model")
    db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON t, m, m_summary, m_group TO {role}")  # type: ignore[arg-type]
    first = ask(db, what)
    with db.transaction(force_rollback=True):
        db.execute(f"SET LOCAL ROLE {role}")  # type: ignore[arg-type]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(db, what)
    db.execute(f"GRANT SELECT ON m_packed, m_nodes TO {role}")  # type: ignore[arg-type]
    with db.transaction(force_rollback=True):
        db.execute(f"SET LOCAL ROLE {role}")  # type: ignore[arg-type]
        assert ask(db, what) == first


class Listening(PsycopgHost):
    """A host that notes which statements read nodes."""

    def __init__(self, connection: psycopg.Connection) -> None:
        super().__init__(connection)
        self.reads: list[str] = []

    def query(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> list[Row]:
        if "string_agg(t.nodes" in sql:
            self.reads.append(sql)
        return super().query(sql, types, params)


@pytest.mark.parametrize("model", MODELS)
def test_the_next_call_does_not_read_the_nodes_again(db: psycopg.Connection, model: str) -> None:
    train(db, model)
    with db.transaction():
        host = Listening(db)
        first = call(host, "tree_explain", ("m", "t", "7")).rows
        n_reads = len(host.reads)
        assert n_reads > 0
        assert call(host, "tree_explain", ("m", "t", "7")).rows == first
        call(host, "tree_explain", ("m", "t", "8"))
        assert len(host.reads) == n_reads
        call(host, "partial_dependence", ("m", "t", "b"))
        call(host, "partial_dependence", ("m", "t", "a"))
        assert len(host.reads) == 2 * n_reads
        call(PsycopgHost(db), "tree_explain", ("m", "t", "7"))
        assert call(host, "tree_explain", ("m", "t", "7")).rows == first
        assert len(host.reads) == 3 * n_reads


def test_a_row_that_is_written_elsewhere_is_another_version(db: psycopg.Connection, schema: str) -> None:
    """VACUUM FULL puts a row where another one was, with the transaction and the command that wrote both."""

    def versions() -> list[tuple[Any, ...]]:
        ((oid,),) = db.execute("SELECT 'pair'::regclass::oid::int8").fetchall()
        return db.execute(row_versions(schema, "pair", {"": oid})).fetchall()  # type: ignore[arg-type]

    db.execute("CREATE TABLE pair AS SELECT n FROM generate_series(1, 2) AS n")
    with db.transaction(force_rollback=True):
        db.execute("CREATE TABLE before_it ()")  # so that the number of the next command is that of the table's
        db.execute("DELETE FROM pair WHERE n = 2")
        ((suffix, file, rows, own),) = versions()
    db.execute("DELETE FROM pair WHERE n = 1")
    assert (suffix, own) == ("", True)

    def moved() -> bool:
        db.execute("VACUUM FULL pair")  # it keeps the place of a row that another session may still see
        ((_, new_file, new_rows, _),) = versions()
        assert new_file != file
        return bool(new_rows == rows)

    wait_until(moved, "the row was never put where the other one was")


def test_rows_of_other_tables_are_told(db: psycopg.Connection, schema: str) -> None:
    db.execute("CREATE TABLE above (n int); CREATE TABLE below (n int) INHERITS (above); INSERT INTO below VALUES (1)")
    ((oid,),) = db.execute("SELECT 'above'::regclass::oid::int8").fetchall()
    ((*_, own),) = db.execute(row_versions(schema, "above", {"": oid})).fetchall()  # type: ignore[arg-type]
    assert own is False


def test_the_versions_of_too_many_rows_are_not_kept(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though what is made of them is small."""
    train(db, "a forest")
    room = import_module("madtree.model.kept")
    monkeypatch.setattr(room, "MOST_BYTES", 50)

    def of_small(opened: OpenModel, what: tuple[object, ...], make: Callable[[], Any], _: object) -> Any:
        return room.kept(opened, what, make, lambda made: 0)

    monkeypatch.setattr(shap_row, "kept", of_small)
    with db.transaction():
        host = Listening(db)
        call(host, "tree_explain", ("m", "t", "7"))
        n_reads = len(host.reads)
        call(host, "tree_explain", ("m", "t", "7"))
        assert len(host.reads) == 2 * n_reads > 0
