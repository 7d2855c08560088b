"""A forest of another role's: its view is not read, and its bytes are looked at before they are used."""

from __future__ import annotations

import random
from collections.abc import Callable

import psycopg
import pytest

from madtree.trees import NodeLayout

# All that reads a forest's nodes.
CALLS = (
    "SELECT forest_predict('f', 'data', 'out')",
    "SELECT forest_predict('f', 'data', 'out', 'prob_mean')",
    "SELECT get_tree('f', 1, 2)",
    "SELECT tree_sql('f', 'response', 2)",
    "SELECT tree_sql('f')",
    "SELECT quantile FROM conformal_quantiles('f', 'data', '0.5')",
    "SELECT count(*) FROM tree_rules('f', 2)",
    "SELECT tree_to_json('f')",
)
TRAPS = {
    "a view that runs what its owner wrote": "SELECT n.*, spring() AS more FROM g_nodes AS n",
    "a view whose columns do": "SELECT tree_id, node_id, parent_id, depth, is_leaf, feature, threshold, left_levels, "
    "majority_left, n_rows, weight, impurity, risk, complexity, improvement + spring() AS improvement, prediction, "
    "class_weights, right_levels FROM g_nodes",
}


def grow(db: psycopg.Connection, name: str) -> None:
    db.execute(
        "SELECT forest_train('data', %s, 'id', 'y', 'x, k', num_trees => 2, seed => 1, importance => false)", [name]
    )


def answers(db: psycopg.Connection) -> list[object]:
    found: list[object] = []
    for call in CALLS:
        db.execute("DROP TABLE IF EXISTS out")
        found.append(db.execute(call).fetchall())  # type: ignore[arg-type]
        if "predict" in call:
            found[-1] = db.execute("SELECT * FROM out ORDER BY id").fetchall()
    return found


@pytest.fixture
def theirs(data: psycopg.Connection, user_db: psycopg.Connection) -> psycopg.Connection:
    """The ordinary user's forests f and g; all may read what predictions need, and nobody the views."""
    for name in ("f", "g"):
        grow(user_db, name)
        for suffix in ("", "_group", "_summary", "_packed"):
            user_db.execute(f"GRANT SELECT ON {name}{suffix} TO PUBLIC")  # type: ignore[arg-type]
    return user_db


@pytest.mark.parametrize("trap", TRAPS)
def test_what_reads_a_forest_does_not_read_its_view(
    theirs: psycopg.Connection, db: psycopg.Connection, canary: Callable[[], set[str]], trap: str
) -> None:
    expected = answers(db)
    theirs.execute(f"DROP VIEW f_nodes; CREATE VIEW f_nodes AS {TRAPS[trap]}; GRANT SELECT ON f_nodes TO PUBLIC")  # type: ignore[arg-type]
    assert theirs.execute("SELECT count(*) > 0 FROM f_nodes").fetchone() == (True,)
    db.execute("SELECT * FROM f_nodes")
    assert canary() == {"boss"}  # who reads the view itself runs it
    assert answers(db) == expected
    assert canary() == set()
    (listed,) = db.execute("SELECT name, owner, kind FROM models WHERE name = 'f'").fetchall()
    assert listed == ("f", theirs.info.user, None)
    assert canary() == set()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("ALTER TABLE f_packed RENAME TO p; CREATE VIEW f_packed AS SELECT * FROM p", "f is not a madtree model"),
        ("CREATE TABLE n AS TABLE f_nodes; DROP VIEW f_nodes; ALTER TABLE n RENAME TO f_nodes", "f is damaged"),
        ("DROP VIEW f_nodes", "f is not a madtree model"),
        (
            "CREATE POLICY p ON f_packed USING (spring() = 1); ALTER TABLE f_packed ENABLE ROW LEVEL SECURITY",
            "a policy",
        ),
        ("CREATE INDEX ON f_packed ((spring()))", "an index with an expression"),
        ("ALTER TABLE f_packed RENAME nodes TO n; ALTER TABLE f_packed ADD nodes text", "f_packed"),
        ("CREATE RULE r AS ON INSERT TO f_packed DO ALSO SELECT spring()", "a rule"),
    ],
)
def test_parts_that_are_not_what_training_makes_are_refused(
    theirs: psycopg.Connection, db: psycopg.Connection, canary: Callable[[], set[str]], change: str, sentence: str
) -> None:
    theirs.execute(change)  # type: ignore[arg-type]
    canary()
    for call in CALLS:
        with pytest.raises(psycopg.Error, match="madtree: ") as caught:
            db.execute(call)  # type: ignore[arg-type]
        assert sentence in str(caught.value), call
        assert caught.value.sqlstate != "XX000", call
    assert canary() == set()


def test_a_view_in_the_place_of_a_single_trees_nodes_is_no_model(
    data: psycopg.Connection, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    """Also where a table has the name that packed nodes would have, and nobody else's table makes a tree a forest."""
    user_db.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k')")
    data.execute("CREATE TABLE m_packed (tree_id int, category_sets text[], nodes bytea)")
    user_db.execute("SELECT tree_predict('m', 'data', 'out')")
    data.execute("DROP TABLE m_packed")
    user_db.execute(
        "ALTER TABLE m_nodes RENAME TO n; CREATE VIEW m_nodes AS SELECT *, spring() AS more FROM n; "
        "CREATE TABLE m_packed (tree_id int, category_sets text[], nodes bytea);"
        "GRANT SELECT ON m, m_nodes, m_summary, m_packed TO PUBLIC"
    )
    canary()
    with pytest.raises(psycopg.Error, match="m is damaged: its nodes are packed"):
        data.execute("SELECT tree_predict('m', 'data', 'out2')")
    user_db.execute("DROP TABLE m_packed")
    with pytest.raises(psycopg.Error, match="m is not a madtree model"):
        data.execute("SELECT tree_predict('m', 'data', 'out2')")
    assert canary() == set()


FORGED = {
    "cut off": "substring(nodes, 1, octet_length(nodes) - 1)",
    "without its last node": "substring(nodes, 1, octet_length(nodes) - {size})",
    "empty": "''",
    "missing": "NULL",
    "twice": "nodes || nodes",
    "turned round": "substring(nodes, octet_length(nodes) - {size} + 1) "
    "|| substring(nodes, 1, octet_length(nodes) - {size})",
    "nothing but zeros": "decode(repeat('00', octet_length(nodes)), 'hex')",
    "nothing but ones": "decode(repeat('ff', octet_length(nodes)), 'hex')",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("forged", FORGED)
def test_bytes_that_are_no_trees_are_a_sentence(data: psycopg.Connection, forged: str) -> None:
    grow(data, "f")
    size = NodeLayout(True, 2, weighted=False, has_categories=True).size
    change = FORGED[forged].format(size=size)
    data.execute(f"UPDATE f_packed SET nodes = {change} WHERE tree_id = 2")  # type: ignore[arg-type]
    # To show a tree, its order is none, and a tree without nodes is one that could not be trained.
    for call in CALLS[: 2 if forged in ("empty", "missing", "turned round") else None]:
        with pytest.raises(psycopg.Error, match="madtree: ") as caught:
            data.execute(call)  # type: ignore[arg-type]
        assert "damaged" in str(caught.value), call


def test_any_byte_may_be_changed(data: psycopg.Connection) -> None:
    """A sentence, or an answer; never a defect, and never without an end."""
    grow(data, "f")
    draw = random.Random(3)
    (length,) = data.execute("SELECT octet_length(nodes) FROM f_packed WHERE tree_id = 2").fetchone()  # type: ignore[misc]
    data.execute("SET statement_timeout = '20s'; CREATE TABLE whole AS TABLE f_packed")
    refused = 0
    for _ in range(25):
        at, byte = draw.randrange(length), draw.choice([0, 1, 127, 128, 255])
        data.execute("UPDATE f_packed SET nodes = set_byte(nodes, %s, %s) WHERE tree_id = 2", [at, byte])
        for call in (CALLS[draw.randrange(2)], CALLS[draw.randrange(2, len(CALLS))]):
            message = ""
            try:
                data.execute("DROP TABLE IF EXISTS out")
                data.execute(call)  # type: ignore[arg-type]
            except psycopg.Error as error:
                message = str(error)
            assert not message or "damaged" in message, (at, byte, call)
            refused += bool(message)
        data.execute("UPDATE f_packed AS p SET nodes = w.nodes FROM whole AS w WHERE w.tree_id = p.tree_id")
    assert refused > 5


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sets", ["NULL", "'{}'", "'{NULL}'", "'{{red,green},{blue,red}}'", "'[0:1]={red,blue}'"])
def test_lists_of_categories_may_hold_anything(data: psycopg.Connection, sets: str) -> None:
    grow(data, "f")
    data.execute(f"UPDATE f_packed SET category_sets = {sets}")  # type: ignore[arg-type]
    for call in CALLS:
        with pytest.raises(psycopg.Error, match="damaged"):
            data.execute(call)  # type: ignore[arg-type]


def test_a_superuser_names_the_table_by_which_anothers_forest_is_judged(
    theirs: psycopg.Connection, db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    """Of its own it may say any view."""
    expected = theirs.execute("SELECT quantile FROM conformal_quantiles('f', levels => '0.5')").fetchall()
    case = "CASE WHEN spring() IS NULL THEN y ELSE y END"
    theirs.execute(f"CREATE VIEW sprung AS SELECT id, x, k, {case} AS y FROM data; GRANT ALL ON sprung TO PUBLIC")
    theirs.execute("UPDATE f_summary SET source_table = 'sprung'")
    canary()
    for call in ("conformal_quantiles('f')", "conformal_quantiles('f', NULL, '0.5')"):
        with pytest.raises(
            psycopg.errors.InsufficientPrivilege, match="that role may let it name any table or view"
        ) as caught:
            db.execute(f"SELECT * FROM {call}")  # type: ignore[arg-type]
        assert str(caught.value.diag.message_hint).startswith("Name the table; or, if you trust that role")
    assert canary() == set()
    theirs.execute("UPDATE f_summary SET source_table = 'data'")
    call = "SELECT quantile FROM conformal_quantiles('f', levels => '0.5', trust_owner => true)"
    assert db.execute(call).fetchall() == expected
