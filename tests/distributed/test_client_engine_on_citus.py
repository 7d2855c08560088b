"""The client as the engine on a cluster that has no extension of ours: the same trees, wherever rows are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from private_cluster import joined_database, nodes_of, run
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import madtree

TABLES = """
CREATE TABLE plain AS SELECT i AS id, nullif(i * 37 % 91, 7)::float8 AS x, i * 53 % 97 AS n,
    (ARRAY['a', 'b', NULL, 'c'])[1 + i % 4] AS level, i % 5 AS grp, i * 37 % 91 > 40 AND i % 4 <> 1 AS y
    FROM generate_series(1, 100000) AS i;
CREATE TABLE spread (LIKE plain); SELECT create_distributed_table('spread', 'id', shard_count => 8);
INSERT INTO spread TABLE plain;
CREATE TABLE small (LIKE plain); SELECT create_distributed_table('small', 'id', shard_count => 4);
INSERT INTO small SELECT * FROM plain WHERE id <= 5000;
CREATE TABLE everywhere (LIKE plain); SELECT create_reference_table('everywhere');
INSERT INTO everywhere SELECT * FROM plain WHERE id <= 5000;
CREATE TABLE few AS SELECT * FROM plain WHERE id <= 5000;
"""


@pytest.fixture(scope="module")
def bare(citus: str) -> Iterator[str]:
    """DSN of a database on the same servers that has citus and nothing else."""
    with joined_database(nodes_of(citus), f"madtree_bare_{os.getpid()}") as dsn:
        run(dsn, TABLES)
        yield dsn


@pytest.mark.parametrize(("table", "like"), [("spread", "plain"), ("small", "few"), ("everywhere", "few")])
def test_a_cluster_without_the_extension_gives_the_trees_of_one_server(bare: str, table: str, like: str) -> None:
    def same(query: str) -> bool:
        expected = client.query(query.format(f"{like}_m")).to_dicts()
        return bool(expected) and client.query(query.format(f"{table}_m")).to_dicts() == expected

    said: list[str] = []
    with madtree.connect(bare, engine="client", on_message=said.append) as client:
        for grouping in (None, "grp"):
            for data in (table, like):
                model = f"{data}_m"
                client.tree_train(data, model, "id", "y", "x, n, level", grouping_cols=grouping, replace=True)
                for type_ in ("response", "prob"):
                    client.query(f"DROP TABLE IF EXISTS {model}_{type_}")
                    client.tree_predict(model, data, f"{model}_{type_}", type_)
            assert same("SELECT * FROM {}_nodes ORDER BY tree_id, node_id")
            assert same("SELECT * FROM {}_response ORDER BY id")
            assert same("SELECT * FROM {}_prob ORDER BY id")
            assert metrics(client, table) == pytest.approx(metrics(client, like))
            assert client.tree_path(f"{table}_m", table, 5)
        said.clear()
        more: dict[str, Any] = {"num_trees": 2, "max_tree_depth": 6, "oob_predictions": True, "replace": True}
        for data in (table, like):
            model = f"{data}_m"
            client.forest_train(data, model, "id", "y", "x, n, level", **more)
            client.query(f"DROP TABLE IF EXISTS {model}_response")
            client.forest_predict(model, data, f"{model}_response")
        assert said == []
        assert same("SELECT * FROM {}_nodes ORDER BY tree_id, node_id")
        assert same("SELECT * FROM {}_response ORDER BY id")
        assert same("SELECT * FROM {}_oob ORDER BY id")
        beside = "SELECT partmethod = 'h' AS spread FROM pg_dist_partition WHERE logicalrelid = '{}'::regclass"
        found = client.query(beside.format(f"{table}_m_response")).to_dicts()
        assert found == ([] if table == "everywhere" else [{"spread": True}])
        assert metrics(client, table) == pytest.approx(metrics(client, like))


def test_data_of_a_cluster_and_models_elsewhere(bare: str, other_database: str) -> None:
    with madtree.connect(bare, model_dsn=other_database, on_message=lambda line: None) as client:
        for data in ("spread", "small"):
            client.tree_train(data, "m", "id", "y", "x, n, level", replace=True)
            assert "accuracy" in {row.metric for row in client.tree_evaluate("m", data)}
            assert "100000" in client.tree_predict("m", "spread", f"{data}_p")


def test_servers_read_what_is_sent_as_this_one_does(bare: str, citus: str) -> None:
    name = conninfo_to_dict(bare)["dbname"]
    for node in nodes_of(citus)[1:]:
        run(make_conninfo(node.dsn, dbname="postgres"), f"ALTER DATABASE {name} SET TimeZone = 'Asia/Tokyo'")
    hour = "extract(hour FROM to_timestamp(id * 2000))"
    with madtree.connect(bare, engine="client", on_message=lambda line: None) as client:
        client.tree_train("few", "by_hour", "id", f"{hour} > 11", hour)
        for table in ("few", "small"):
            client.tree_predict("by_hour", table, f"{table}_by_hour")
        query = "SELECT * FROM {}_by_hour ORDER BY id"
        assert client.query(query.format("small")).to_dicts() == client.query(query.format("few")).to_dicts()


def metrics(client: madtree.Client, data: str) -> dict[tuple[int | None, str], float | None]:
    return {(row.tree_id, row.metric): row.value for row in client.tree_evaluate(f"{data}_m", data)}


def test_shards_that_have_moved_are_said_as_the_extension_says_it(bare: str) -> None:
    said = "could not find valid entry for shard 102008"
    body = f"BEGIN RAISE EXCEPTION '{said}' USING ERRCODE = 'XX000'; END"
    run(bare, f"CREATE FUNCTION moved(x float8) RETURNS float8 LANGUAGE plpgsql AS $$ {body} $$")
    with (
        madtree.connect(bare, engine="client", on_message=lambda line: None) as client,
        pytest.raises(madtree.CallError, match=f"madtree: shards have been moved or split meanwhile: {said}") as e,
    ):
        client.tree_train("few", "m", "id", "y", "moved(x)")
    assert e.value.sqlstate == "40001"
