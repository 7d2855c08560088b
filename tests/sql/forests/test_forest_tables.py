"""The tables of a forest as others see them: made anew, dropped, dumped, granted, and left behind by the extension."""

from __future__ import annotations

import subprocess

import psycopg
import pytest

NAMES = ["", "_group", "_nodes", "_packed", "_statistics", "_summary"]


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def relations(db: psycopg.Connection, schema: str, name: str) -> list[str]:
    found = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'v') "
        "AND starts_with(relname, %s) ORDER BY relname",
        [schema, name],
    )
    return [relation.removeprefix(name) for (relation,) in found]


def grow(db: psycopg.Connection, name: str, dependent: str = "mood", more: str = "") -> None:
    db.execute(
        "SELECT madtree.forest_train('data', %s, 'id', %s, 'x, word', num_trees => 3, seed => 5, "  # type: ignore[arg-type]
        f"importance => false{more})",
        [name, dependent],
    )


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("CREATE TYPE mood AS ENUM ('sad', 'so so', 'glad')")
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i * 7919 % 1000 / 7.0::float8 AS x, 'w' || i % 5 AS word, "
        "(ARRAY['glad', 'sad', 'so so'])[1 + i % 3]::mood AS mood FROM generate_series(1, 200) AS i"
    )
    return db


def test_a_forest_is_made_again_and_dropped(data: psycopg.Connection, schema: str) -> None:
    """Also in the place of a tree, and by scripts that drop MADlib's tables first; names of any length."""
    name = "M ö" + "y" * 53
    data.execute("SELECT madtree.tree_train('data', 'm', 'id', 'x', 'word')")
    grow(data, "m", more=", replace => true")
    assert relations(data, schema, "m") == NAMES
    grow(data, "m", "x", ", replace => true")
    assert data.execute("SELECT pg_typeof(prediction)::text FROM m_nodes LIMIT 1").fetchone() == ("double precision",)
    data.execute("DROP TABLE IF EXISTS m, m_group, m_summary")
    grow(data, "m")
    assert relations(data, schema, "m") == NAMES
    assert data.execute("SELECT tree_drop('m')").fetchone()[0].count('"m') == len(NAMES)  # type: ignore[index]
    assert relations(data, schema, "m") == []
    grow(data, f'"{name}"')
    grow(data, f'"{name}"', more=", replace => true")
    listed = data.execute("SELECT name, n_trees FROM madtree.models WHERE schema = %s", [schema]).fetchall()
    assert listed == [(name, 3)]
    data.execute("SELECT madtree.forest_predict(%s, 'data', 'scored')", [f'"{name}"'])
    data.execute("SELECT madtree.tree_drop(%s)", [f'"{name}"'])
    assert relations(data, schema, "M") == []
    notices: list[str] = []
    data.add_notice_handler(lambda found: notices.append(found.message_primary or ""))
    grow(data, "pg_temp.m")
    assert notices == []
    data.execute("SELECT madtree.forest_predict('pg_temp.m', 'data', 'of_temporary')")
    assert data.execute("TABLE of_temporary EXCEPT TABLE scored").fetchall() == []


def test_a_view_of_the_users_is_not_replaced(data: psycopg.Connection) -> None:
    """Not even one that looks like nodes: without packed ones beside it, it is no part of a model."""
    data.execute("SELECT madtree.tree_train('data', 'm', 'id', 'x', 'word')")
    data.execute(
        "CREATE VIEW f_nodes AS TABLE m_nodes; CREATE TABLE f AS TABLE m; CREATE TABLE f_summary AS TABLE m_summary"
    )
    with pytest.raises(psycopg.Error, match=r"f_nodes.*is not part of a madtree model"):
        grow(data, "f", more=", replace => true")
    with pytest.raises(psycopg.Error, match="f is not a madtree model"):
        data.execute("SELECT madtree.tree_drop('f')")


def test_what_is_granted_is_enough(data: psycopg.Connection, user_db: psycopg.Connection, schema: str) -> None:
    grow(data, "m")
    data.execute(
        f"GRANT ALL ON SCHEMA {schema} TO PUBLIC; GRANT SELECT ON data, m, m_group, m_summary, m_packed TO PUBLIC"
    )  # type: ignore[arg-type]
    user_db.execute("SELECT madtree.forest_predict('m', 'data', 'out')")
    assert "digraph" in user_db.execute("SELECT madtree.get_tree('m', 1, 1)").fetchone()[0]  # type: ignore[index]
    assert user_db.execute("SELECT name FROM madtree.models").fetchall() == [("m",)]
    with pytest.raises(psycopg.Error, match="permission denied for view m_nodes"):
        user_db.execute("SELECT * FROM m_nodes")
    data.execute("GRANT SELECT ON m_nodes TO PUBLIC; REVOKE SELECT ON m_packed FROM PUBLIC")
    assert user_db.execute("SELECT count(*) > 0 FROM m_nodes").fetchone() == (True,)
    with pytest.raises(psycopg.Error, match="permission denied for table m_packed"):
        user_db.execute("SELECT madtree.get_tree('m', 1, 1)")
    with pytest.raises(psycopg.Error, match="must be owner"):
        user_db.execute("SELECT madtree.tree_drop('m')")


def test_it_outlives_a_dump_and_the_extension(
    data: psycopg.Connection, dsn: str, schema: str, other_database: str
) -> None:
    grow(data, '"odd `m` {0}"')
    data.execute("""CREATE TABLE nodes AS TABLE "odd `m` {0}_nodes";
        SELECT madtree.forest_predict('"odd `m` {0}"', 'data', 'before', 'prob_mean')""")
    run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", other_database, text=run("pg_dump", "--no-owner", dsn))
    with psycopg.connect(other_database, autocommit=True) as there:
        same = (
            'SELECT count(*) FROM (SELECT n::text FROM "odd `m` {0}_nodes" AS n '
            "EXCEPT SELECT n::text FROM nodes AS n) AS x"
        )
        there.execute(f"SET search_path = {schema}, madtree")  # type: ignore[arg-type]
        there.execute("""SELECT forest_predict('"odd `m` {0}"', 'data', 'after', 'prob_mean')""")
        assert there.execute("SELECT count(*) FROM (TABLE before EXCEPT TABLE after) AS x").fetchone() == (0,)
        there.execute(
            "DROP EXTENSION madtree CASCADE; ALTER TYPE mood RENAME VALUE 'glad' TO 'merry'; RESET search_path"
        )
        there.execute(f"SET search_path = {schema}")  # type: ignore[arg-type]
        assert there.execute(same).fetchone() == (0,)
        assert there.execute("SELECT count(DISTINCT prediction), count(*) > 100 FROM nodes").fetchone() == (3, True)
