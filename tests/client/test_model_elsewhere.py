"""Data that are only read, on one server, and models and predictions on another one."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest
from fix_server import Server
from plain_database import left_over
from psycopg.conninfo import make_conninfo
from stopping_rows import LATE, assert_nothing_is_left

import madtree
from madtree.client.calls import CallError

NODES = "SELECT * FROM {}_nodes ORDER BY tree_id, node_id"


@pytest.fixture
def source(plain: str, server: Server) -> str:
    """DSN of the data, in sessions that cannot write; a view and a table of many rows are beside the small one."""
    with psycopg.connect(server.dsn_of(dbname=database_of(plain)), autocommit=True) as admin:
        admin.execute(
            "CREATE TYPE shop.mood AS ENUM ('low', 'high');"
            "CREATE VIEW shop.adults AS SELECT id, age, channel, member, region, bought, 'low'::shop.mood AS mood"
            " FROM shop.visits WHERE age > 17;"
            "CREATE TABLE shop.many AS SELECT i AS id, (i * 37 % 9001)::float8 AS x, i % 2 AS half,"
            " i * 37 % 9001 > 4000 AS y FROM generate_series(1, 140000) AS i;"
            "CREATE VIEW shop.all_of_many AS SELECT * FROM shop.many;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO public"
        )
    return make_conninfo(plain, options="-c default_transaction_read_only=on")


@pytest.fixture
def apart(source: str, other_database: str) -> Iterator[madtree.Client]:
    with madtree.connect(source, model_dsn=other_database, on_message=lambda line: None) as client:
        yield client


@pytest.fixture
def together(plain: str) -> Iterator[madtree.Client]:
    """The same user where data and models are in one database."""
    with madtree.connect(plain, engine="client", on_message=lambda line: None) as client:
        yield client


def database_of(dsn: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])


def same(apart: madtree.Client, together: madtree.Client, query: str) -> bool:
    """Whether a query has the same rows, and some, where the models are; one schema is called mine."""
    here = together.query(query.format("mine.m")).to_dicts()
    return bool(here) and here == apart.query(query.format("m")).to_dicts()


def metrics(rows: Iterable[Any]) -> dict[tuple[int | None, str], float]:
    return {(row.tree_id, row.metric): row.value for row in rows}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("table", "more"),
    [
        ("visits", {}),
        ("visits", {"grouping_cols": "region", "pruning_params": "n_folds=3"}),
        ("visits", {"grouping_cols": "channel, member", "weights": "id", "surrogate_params": "max_surrogates=2"}),
        ("adults", {}),
        ("adults", {"grouping_cols": "region", "pruning_params": "n_folds=3"}),
    ],
)
def test_trees_predictions_and_errors_are_those_of_one_server(
    apart: madtree.Client, together: madtree.Client, table: str, more: dict[str, Any]
) -> None:
    arguments = "id", "bought", "age, channel, member"
    data = f"shop.{table}"
    apart.tree_train(data, "m", *arguments, **more)
    together.tree_train(data, "mine.m", *arguments, **more)
    assert same(apart, together, NODES)
    for type_ in ("response", "prob", "leaf"):
        apart.tree_predict("m", data, f"m_{type_}", type_)
        together.tree_predict("mine.m", data, f"mine.m_{type_}", type_)
        assert same(apart, together, f"SELECT * FROM {{}}_{type_} ORDER BY id")
    assert metrics(apart.tree_evaluate("m", data)) == pytest.approx(metrics(together.tree_evaluate("mine.m", data)))
    assert apart.tree_confusion("m", data).to_dicts() == together.tree_confusion("mine.m", data).to_dicts()
    row = 700 if "channel" not in more.get("grouping_cols", "") else 701
    assert apart.tree_path("m", data, row).to_dicts() == together.tree_path("mine.m", data, row).to_dicts()
    assert [model.name for model in apart.models()] == ["m"]
    assert not [name for name in left_over(together.conninfo) if not name.startswith(("mine.", "shop."))]


def test_a_backslash_is_read_as_it_is_where_the_rows_are(source: str, other_database: str) -> None:
    """What is a whole expression where the model is could end the statement there."""
    feature = r"CASE WHEN '\' || '; SELECT 1; --' = '' THEN age END"
    with madtree.connect(
        make_conninfo(source, options="-c standard_conforming_strings=off"), model_dsn=other_database
    ) as client:
        client.tree_train("shop.visits", "m", "id", "bought", "age")
        client.query("UPDATE m_summary SET features = ARRAY[%s]", [feature])
        client.query("UPDATE m_nodes SET feature = %s WHERE feature IS NOT NULL", [feature])
        for call in (client.tree_predict, client.tree_shap):
            with pytest.raises(CallError, match="standard_conforming_strings is off"):
                call("m", "shop.visits", "out")


def test_forests(apart: madtree.Client, together: madtree.Client) -> None:
    more: dict[str, Any] = {"grouping_cols": "region", "num_trees": 3, "oob_predictions": True}
    for client, name in ((apart, "m"), (together, "mine.m")):
        client.forest_train("shop.visits", name, "id", "bought", "age, channel", **more)
        client.forest_predict(name, "shop.visits", f"{name}_prob", "prob")
    assert same(apart, together, NODES)
    assert same(apart, together, "SELECT * FROM {}_prob ORDER BY id")
    assert same(apart, together, "SELECT * FROM {}_oob ORDER BY id")
    of_numbers = {"intervals": True, "min_bucket": 10, "num_trees": 3, "replace": True}
    for client, name in ((apart, "m"), (together, "mine.m")):
        forest = client.forest_train("shop.visits", name, "id", "age", "channel, member", **of_numbers)
        forest.predict("shop.visits", f"{name}_between", "interval", level=0.8)
    assert same(apart, together, "SELECT * FROM {}_outcomes ORDER BY tree_id")
    assert same(apart, together, "SELECT * FROM {}_between ORDER BY id")
    for client, name in ((apart, "m"), (together, "mine.m")):
        client.forest_train("shop.visits", name, "id", "bought", "age, channel", **more, replace=True)
    said = metrics(apart.tree_evaluate("m", "shop.visits"))
    assert said == pytest.approx(metrics(together.tree_evaluate("mine.m", "shop.visits")))


def test_a_view_of_more_rows_than_a_block_is_read_once(apart: madtree.Client, together: madtree.Client) -> None:
    apart.tree_train("shop.all_of_many", "m", "id", "y", "x", max_depth=4)
    together.tree_train("shop.all_of_many", "mine.m", "id", "y", "x", max_depth=4)
    (found,) = apart.query("SELECT n_rows, threshold FROM m_nodes WHERE node_id = 0")
    (expected,) = together.query("SELECT n_rows, threshold FROM mine.m_nodes WHERE node_id = 0")
    assert found[0] == expected[0] == 140_000
    # Its sample is another one than that of a table's pages.
    assert abs(found[1] - expected[1]) < 90
    with pytest.raises(CallError, match=r"all_of_many is no plain table, and has groups of more than 65,536 rows"):
        apart.tree_train("shop.all_of_many", "g", "id", "y", "x", grouping_cols="half")
    apart.tree_train("shop.many", "g", "id", "y", "x", grouping_cols="half", max_depth=4)
    together.tree_train("shop.many", "mine.g", "id", "y", "x", grouping_cols="half", max_depth=4)
    assert apart.model("g").nodes.to_dicts() == together.model("mine.g").nodes.to_dicts()


def test_what_one_of_the_servers_lacks_is_said(apart: madtree.Client, source: str, other_database: str) -> None:
    with pytest.raises(CallError, match=r"mood is of type shop.mood, which the server of the model lacks") as told:
        apart.tree_train("shop.adults", "m", "id", "bought", "age, mood")
    assert told.value.hint == "Cast it, for instance to text, or create the type there, too."
    apart.tree_train("shop.adults", "m", "id", "bought", "age, mood::text")
    with pytest.raises(CallError, match=r"relation public.m does not exist"):
        apart.tree_predict("m", "public.m", "p")  # it is at the other server
    with pytest.raises(ValueError, match="model_dsn needs engine='client'"):
        madtree.connect(source, model_dsn=other_database, engine="extension")


def test_a_superuser_of_the_data_does_not_run_what_another_role_wrote(
    server: Server, plain: str, source: str, ordinary_user: tuple[str, str]
) -> None:
    """On the model's server she is nobody's superuser; where the expressions run, she is."""
    with psycopg.connect(server.dsn_of(dbname=database_of(plain)), autocommit=True) as admin:
        admin.execute("CREATE ROLE madtree_reader LOGIN; GRANT USAGE ON SCHEMA mine TO public")
    try:
        with madtree.connect(plain, engine="client", on_message=lambda line: None) as owner:
            owner.tree_train("shop.visits", "mine.m", "id", "bought", "abs(age)")
            owner.query("GRANT SELECT ON ALL TABLES IN SCHEMA mine TO public")
        data = server.dsn_of(dbname=database_of(plain))
        with madtree.connect(data, model_dsn=server.dsn_of(dbname=database_of(plain), user="madtree_reader")) as reader:
            with pytest.raises(CallError, match=r"has the expression abs\(age\).*rights of a superuser"):
                reader.tree_evaluate("mine.m", "shop.visits")
            assert reader.tree_evaluate("mine.m", "shop.visits", trust_owner=True)
    finally:
        with psycopg.connect(server.dsn_of(dbname=database_of(plain)), autocommit=True) as admin:
            admin.execute("DROP OWNED BY madtree_reader; DROP ROLE madtree_reader")


def test_frames_go_to_the_models_server_and_clients_to_other_processes(apart: madtree.Client) -> None:
    model = apart.tree_train("shop.visits", "m", "id", "bought", "age, channel")
    predicted = model.predict({"age": np.array([3.0, 60.0]), "channel": np.array(["web", "shop"], object)})
    assert len(predicted) == 2
    with pickle.loads(pickle.dumps(apart)) as copy:
        assert copy.has_source
        assert copy.engine == "client"
    with pytest.raises(CallError, match="this client reads data from another one"):
        madtree.DecisionTreeClassifier(apart).fit(np.zeros((4, 1)), [0, 1, 0, 1])


def test_rows_come_over_several_connections(
    source: str, other_database: str, together: madtree.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="madtree")
    arguments = "id", "y", "x", None, "gini", None, None, 4
    with madtree.connect(source, model_dsn=other_database, connections=2, on_message=lambda line: None) as client:
        client.tree_train("shop.many", "m", *arguments)
        assert "madtree: rows are read over 2 other connections" in caplog.messages
        together.tree_train("shop.many", "mine.m", *arguments)
        assert same(client, together, NODES)


def test_connections_to_the_data_that_break(plain: str, admin: psycopg.Connection, other_database: str) -> None:
    data = make_conninfo(plain, host="127.0.0.1")
    for connections in (1, 2):
        with madtree.connect(data, model_dsn=other_database, connections=connections) as client:
            with pytest.raises(madtree.LostConnectionError, match=r"^the connection to .* broke while rows") as told:
                client.tree_train("shop.many", "m", "id", "bought", f"age, shop.end_at(id, {LATE})")
            assert connections == 2 or "127.0.0.1" in told.value.message
            assert not client.connection.closed
            assert left_over(other_database) == []
            assert_nothing_is_left(admin, plain, n_sessions=connections - 1)
            if connections == 2:
                client.tree_train("shop.many", "m", "id", "bought", "age")
                client.tree_drop("m")


def test_calls_may_be_awaited(source: str, other_database: str, together: madtree.Client) -> None:
    together.tree_train("shop.visits", "mine.m", "id", "bought", "age, channel")

    async def program() -> None:
        with pytest.raises(ValueError, match="model_dsn needs engine='client'"):
            await madtree.connect_async(source, engine="extension", model_dsn=other_database)
        async with await psycopg.AsyncConnection.connect(source, autocommit=True) as own:
            client = await madtree.connect_async(own, model_dsn=other_database, on_message=lambda line: None)
            async with client as db:
                model = await db.tree_train("shop.visits", "m", "id", "bought", "age, channel")
                assert list(await model.nodes()) == list(together.model("mine.m").nodes)
                scored = together.model("mine.m").predict("shop.visits")
                assert sorted(await model.predict("shop.visits")) == sorted(scored)
            assert db.connection.closed  # what the client has opened; the other one is the caller's
            assert not own.closed
        async with await madtree.connect_async(source, model_dsn=other_database) as db:
            assert [row.name for row in await db.models()] == ["m"]
            found = await db.query("SELECT to_regclass('shop.visits') IS NULL")
            assert [tuple(row) for row in found] == [(True,)]

    with ThreadPoolExecutor(1) as pool:  # an event loop of a browser's tests may be running in this thread
        pool.submit(asyncio.run, program()).result()
