"""A key that is there twice in a table of a model, or lacks a number: every function refuses the model alike."""

from __future__ import annotations

import re

import psycopg
import pytest
from function_calls import model_calls
from shares import share

from madtree.engine import call as call_by_client
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.sqltext.tables import KEYS
from madtree.trees import BOOSTED, FOREST, TREE

# By what they are: the kind, how it is made, and the tables with keys that it has.
MODELS = {
    "tree": (
        TREE,
        "tree_train('data', 'm', 'id', 'y', 'x, x + w', grouping_cols => 'g', surrogate_params => 'max_surrogates=1', "
        "max_competitors => 1, max_depth => 3, min_split => 9)",
        {"", "_nodes", "_surrogates", "_competitors"},
    ),
    "forest": (
        FOREST,
        "forest_train('data', 'm', 'id', 'w', 'x, k', grouping_cols => 'g', num_trees => 2, max_tree_depth => 3, "
        "intervals => true)",
        {"", "_packed", "_group", "_outcomes"},
    ),
    "forest of classes": (
        FOREST,
        "forest_train('data', 'm', 'id', 'y', 'x, x + w', num_trees => 2, max_tree_depth => 3, "
        "null_handling_params => 'max_surrogates=1')",
        {"", "_packed", "_group", "_surrogates"},
    ),
    "boosted": (BOOSTED, "boost_train('data', 'm', 'id', 'y', 'x, k', grouping_cols => 'g', num_trees => 3)",
                {"", "_packed", "_group", "_rounds"}),
}  # fmt: skip
SAID = 'm is damaged: its table "{}" has {}'


@pytest.fixture(params=MODELS)
def model(data: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    data.execute(f"SELECT {MODELS[request.param][1]}".encode())
    return str(request.param)


def test_every_key_is_of_a_model_here() -> None:
    assert {suffix for _, _, tables in MODELS.values() for suffix in tables} == {*KEYS}


@pytest.mark.one_in(2)
def test_a_key_that_is_there_twice_is_refused_by_every_function(data: psycopg.Connection, model: str) -> None:
    kind, _, tables = MODELS[model]
    calls = model_calls(kind, leave_out=("tree_drop",))
    wrong = []
    for number, suffix in enumerate(KEYS):
        table = f"m{suffix}"
        found = data.execute("SELECT to_regclass(%s) IS NOT NULL AND relkind = 'r' FROM pg_class WHERE oid = "
                             "to_regclass(%s)", [table, table]).fetchone()  # fmt: skip
        assert (found == (True,)) == (suffix in tables)
        if suffix not in tables:
            continue
        last = KEYS[suffix][-1]
        again = f"INSERT INTO {table} SELECT * FROM {table} ORDER BY {', '.join(KEYS[suffix])} DESC LIMIT 1"
        lacking = f"ALTER TABLE {table} ALTER {last} DROP NOT NULL; UPDATE {table} SET {last} = NULL WHERE ctid = "
        damages = (
            (again, "several rows with the key, "),
            (f"{lacking} (SELECT max(ctid) FROM {table})", f"a row without a whole key, .*{last} NULL"),
        )
        for turn, (damage, said) in enumerate(damages):
            tried = share(calls, 2, number + turn)
            with data.transaction(force_rollback=True):
                data.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey; {damage}".encode())
                wrong += [f"{damage}: {call}" for call in tried if not refused(data, call, SAID.format(table, said))]
    assert not wrong


def refused(db: psycopg.Connection, call: str, said: str) -> bool:
    with pytest.raises(psycopg.Error) as caught, db.transaction():
        db.execute(call.encode())
    return caught.value.sqlstate == "22023" and re.search(said, str(caught.value)) is not None


@pytest.mark.parametrize("name", ["tree_predict", "tree_display", "tree_prune", "tree_importance", "model_alias"])
def test_the_client_refuses_it_too(data: psycopg.Connection, name: str) -> None:
    data.execute(f"SELECT {MODELS['tree'][1]}".encode())
    needed = {
        "tree_predict": {"tree_model": "m", "new_data_table": "data", "output_table": "out"},
        "tree_prune": {"model": "m", "new_model": "out", "cp": 0.1},
        "model_alias": {"alias": "other", "model": "m"},
    }
    for suffix in share(sorted(MODELS["tree"][2]), 2, len(name)):
        with data.transaction(force_rollback=True):
            data.execute(f"ALTER TABLE m{suffix} DROP CONSTRAINT m{suffix}_pkey; "
                         f"INSERT INTO m{suffix} SELECT * FROM m{suffix}".encode())  # fmt: skip
            with pytest.raises(MadtreeError, match=SAID.format(f"m{suffix}", "several rows")) as caught:
                call_by_client(PsycopgHost(data), name, (), needed.get(name, {"model": "m"}))
            assert caught.value.sqlstate == "22023"


INDEXES = {
    "unique": "CREATE UNIQUE INDEX ON m_nodes (tree_id, node_id, depth)",
    "deferrable": "ALTER TABLE m_nodes ADD PRIMARY KEY (tree_id, node_id) DEFERRABLE INITIALLY DEFERRED",
    "of more columns": "ALTER TABLE m_nodes ADD PRIMARY KEY (tree_id, node_id, depth)",
    "of a column of such a name": 'ALTER TABLE m_nodes ADD "tree_id, node_id" serial PRIMARY KEY',
}


def test_a_child_has_keys_of_its_own(data: psycopg.Connection) -> None:
    data.execute("SELECT boost_train('data', 'm', 'id', 'y', 'x, k', num_trees => 3)")
    data.execute("CREATE TABLE more () INHERITS (m_rounds); INSERT INTO more SELECT * FROM m_rounds")
    with pytest.raises(psycopg.Error, match='m is damaged: its table "m_rounds" has several rows'):
        data.execute("SELECT boost_cut('m', 'out', 2)")


@pytest.mark.parametrize("kind", INDEXES)
def test_no_other_index_will_do(data: psycopg.Connection, kind: str) -> None:
    """What the catalogue says of a key is believed where it holds for each row at any time."""
    data.execute("SELECT tree_train('data', 'm', 'id', 'y', 'x, k', max_depth => 2, min_split => 9)")
    data.execute("ALTER TABLE m_nodes DROP CONSTRAINT m_nodes_pkey")
    with data.transaction(force_rollback=True):
        if kind != "deferrable":
            change = "SELECT t.* FROM m_nodes AS t WHERE node_id = 0"
            data.execute(f"CREATE TABLE one AS {change}; UPDATE one SET depth = 7; INSERT INTO m_nodes TABLE one")
        data.execute(INDEXES[kind].encode())
        if kind == "deferrable":
            data.execute("INSERT INTO m_nodes SELECT * FROM m_nodes WHERE node_id = 0")
        with pytest.raises(psycopg.Error, match='m is damaged: its table "m_nodes" has several rows'):
            data.execute("SELECT tree_display('m')")


def test_a_copy_without_keys_is_a_model(data: psycopg.Connection, user_db: psycopg.Connection) -> None:
    """Also for somebody who may read a part of it only."""
    data.execute(f"SELECT {MODELS['tree'][1]}".encode())
    for suffix in ("", "_nodes", "_summary", "_surrogates", "_competitors"):
        data.execute(f"CREATE TABLE n{suffix} AS TABLE m{suffix}".encode())
    data.execute("GRANT SELECT ON n, n_nodes, n_summary, n_surrogates TO PUBLIC")
    for db in (data, user_db):
        answers = [db.execute(f"SELECT tree_sql('{name}')".encode()).fetchone() for name in "n"]
        assert answers == [data.execute("SELECT tree_sql('m')").fetchone()]


@pytest.mark.parametrize("model", ["forest"], indirect=True)
def test_copies_have_the_keys_of_their_models(data: psycopg.Connection, model: str) -> None:
    data.execute("SELECT tree_refresh('m', 'data', 'c')")
    keys = (
        "SELECT substr(c.conrelid::regclass::text, 2), pg_get_constraintdef(c.oid) FROM pg_constraint c "
        "WHERE c.contype = 'p' AND c.conrelid::regclass::text ~ %s ORDER BY 1"
    )
    of_model = dict(data.execute(keys, ["^m(_|$)"]).fetchall())
    of_copy = dict(data.execute(keys, ["^c(_|$)"]).fetchall())
    assert of_copy.items() <= of_model.items()
    assert {*of_model} == MODELS[model][2]
