"""Training on a real Citus cluster: the trees of a distributed table are those of a plain one, to the bit."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from forced import ARGUMENTS, differences, train_here
from psycopg.conninfo import make_conninfo
from psycopg_host import PsycopgHost
from spread_table import N_SHARDS

from madtree.doctor import Status, examine
from madtree.host import OnServers
from madtree.ingest import distribute
from madtree.request.arguments import check_arguments
from madtree.sqltext.distributed import DistributedTables
from madtree.sqltext.rows import RowSource
from madtree.storage.distributed import shard_keys
from madtree.train.train import train
from madtree.trees import Equality


def both(cluster: psycopg.Connection, target: str, features: str, **options: Any) -> None:
    """Models m_plain and m_spread."""
    named = "".join(f", {name} => %s" for name in options)
    for table in ("plain", "spread"):
        cluster.execute(
            f"SELECT tree_train(%s, %s, 'id', %s, %s, replace => true{named})",
            [table, f"m_{table}", target, features, *options.values()],
        )


@pytest.mark.parametrize(
    ("target", "features", "options", "tables"),
    [
        ("label", "x, n, level", {}, ["", "_nodes"]),
        ("label", "x, n, level", {"n_bins": 0, "max_depth": 12, "min_bucket": 1}, ["", "_nodes"]),
        ("label", "x, n, level", {"surrogate_params": "null_as_category=true"}, ["", "_nodes"]),
        ("(label = 1)::text", "x * 2, n + fold", {"split_criterion": "entropy"}, ["_nodes"]),
        ("label", "x, n, level", {"grouping_cols": "grp", "max_depth": 4}, ["", "_nodes"]),
        (
            "y",
            "x, n, level",
            {
                "grouping_cols": "id % 35",
                "weights": "w",
                "surrogate_params": "max_surrogates=1",
                "pruning_params": "cp=0.001, fold_col=fold",
            },
            ["", "_nodes", "_surrogates", "_cv"],
        ),
        (
            "y",
            "x, n, level",
            {
                "weights": "w",
                "max_depth": 5,
                "surrogate_params": "max_surrogates=2",
                "pruning_params": "cp=0.0001, fold_col=fold",
            },
            ["", "_nodes", "_surrogates", "_cv"],
        ),
    ],
    ids=["classes", "exact", "null level", "expressions", "groups", "small groups", "regression"],
)
def test_a_cluster_gives_the_trees_of_one_server(
    cluster: psycopg.Connection, target: str, features: str, options: dict[str, Any], tables: list[str]
) -> None:
    both(cluster, target, features, **options)
    found = {table: differences(cluster, f"m_spread{table}", f"m_plain{table}") for table in tables}
    assert found == dict.fromkeys(tables, 0)
    nodes = cluster.execute("SELECT count(*) FROM m_spread_nodes").fetchone()
    assert nodes is not None
    assert nodes[0] > 20


@pytest.mark.parametrize("strategy", ["auto", "aggregate"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"grouping_cols": "grp", "weights": "w", "parallel_workers": 1},
        {"dependent_variable": "y", "num_permutations": 2, "null_handling_params": "max_surrogates=1"},
    ],
    ids=["plain", "groups", "numbers"],
)
def test_a_cluster_gives_the_forests_of_one_server(
    cluster: psycopg.Connection, options: dict[str, Any], strategy: str
) -> None:
    """Of rows that are copied, or where they are, in waves."""
    arguments = {"dependent_variable": "label", **options}
    named = "".join(f", {name} => %s" for name in arguments)
    for table, way in (("plain", "auto"), ("spread", strategy)):
        cluster.execute(
            "SELECT forest_train(%s, %s, 'id', list_of_features => 'x, n, level', num_trees => 4, max_tree_depth => 6, "
            f"replace => true, strategy => %s{named})",
            [table, f"f_{table}", way, *arguments.values()],
        )
    assert {part: differences(cluster, f"f_spread{part}", f"f_plain{part}") for part in ("", "_nodes", "_group")} == {
        "": 0,
        "_nodes": 0,
        "_group": 0,
    }


def test_sampled_edges_are_the_same_each_time(cluster: psycopg.Connection) -> None:
    for name in ("one", "two"):
        cluster.execute("SELECT tree_train('spread', %s, 'id', 'label', 'u, x', max_depth => 6)", [name])
    assert differences(cluster, "one_nodes", "two_nodes") == 0


def test_random_folds_are_those_of_one_server(cluster: psycopg.Connection) -> None:
    for table, model in (("spread", "folded"), ("plain", "folded_here")):
        cluster.execute(
            f"SELECT tree_train('{table}', '{model}', 'id', 'label', 'x, n', pruning_params => 'cp=0.001, n_folds=3')"
        )
    assert differences(cluster, "folded_cv", "folded_here_cv") == 0
    ((n, low, high),) = cluster.execute(
        "SELECT count(*), min(cv_error_avg / root.e), max(cv_error_avg / root.e) "
        "FROM folded_cv, (SELECT max(cv_error_avg) AS e FROM folded_cv) AS root"
    ).fetchall()
    assert n > 3
    assert 0 < low < 0.7
    assert high == 1


def test_others_distribute_tables_meanwhile_and_work_tables_have_the_tables_shards(
    cluster: psycopg.Connection, citus: str
) -> None:
    """Neither the lock of the default colocation group is held, nor does the session's number of shards count."""
    ((schema,),) = cluster.execute("SELECT current_schema()::text").fetchall()
    shards: list[int] = []

    class Looking(PsycopgHost):
        def command(self, sql: str, types: Any = (), params: Any = ()) -> int:
            if sql.startswith("DROP TABLE"):
                found = self.connection.execute(
                    "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid::text ~ 'madtree_(rows|blocks)_' "
                    "GROUP BY logicalrelid"
                )
                shards.extend(row[0] for row in found)
                with psycopg.connect(citus, autocommit=True) as other:
                    other.execute(f"SET search_path = {schema}; SET lock_timeout = '5s'; CREATE TABLE beside (id int)")
                    other.execute("SELECT create_distributed_table('beside', 'id')")
            return super().command(sql, types, params)

    with cluster.transaction(force_rollback=True):
        cluster.execute("SET LOCAL citus.shard_count = 2")
        train_here(Looking(cluster), training_table_name="spread", output_table_name="m_meanwhile")
    assert shards == [N_SHARDS, N_SHARDS]


def test_work_tables_have_no_more_shards_than_there_are_parts(cluster: psycopg.Connection) -> None:
    """Others would have no rows, and take the coordinator's time."""
    cluster.execute("CREATE TABLE many (LIKE plain); SELECT create_distributed_table('many', 'id', shard_count => 24)")
    cluster.execute("INSERT INTO many TABLE plain")
    shards: dict[str, int] = {}

    class Looking(PsycopgHost):
        def command(self, sql: str, types: Any = (), params: Any = ()) -> int:
            if sql.startswith("DROP TABLE"):
                shards.update(
                    self.connection.execute(
                        "SELECT split_part(logicalrelid::text, '_', 2), count(*) FROM pg_dist_shard "
                        "WHERE logicalrelid::text ~ 'madtree_(rows|blocks|images)_' GROUP BY 1"
                    ).fetchall()
                )
            return super().command(sql, types, params)

    for grouping, expected in ((None, {"rows": 4, "blocks": 4}), ("id % 700", {"rows": 24, "images": 24})):
        shards.clear()
        with cluster.transaction():
            host = Looking(cluster)
            named = {"training_table_name": "many", "output_table_name": "m_many", "grouping_cols": grouping}
            train(host, check_arguments(host, *{**ARGUMENTS, **named, "replace": True}.values()))
        assert shards == expected
        both(cluster, "label", "x, n, level", **({"grouping_cols": grouping} if grouping else {}))
        assert differences(cluster, "m_many_nodes", "m_plain_nodes") == 0


@pytest.mark.parametrize("kind", ["reference table", "view", "temporary model", "columnar table"])
def test_what_cannot_be_spread_is_trained_by_the_coordinator(cluster: psycopg.Connection, kind: str) -> None:
    source, model = "spread", "m_other"
    if kind == "reference table":
        cluster.execute("CREATE TABLE copied (LIKE plain); SELECT create_reference_table('copied')")
        cluster.execute("INSERT INTO copied TABLE plain")
        source = "copied"
    elif kind == "columnar table":
        if not cluster.execute("SELECT 1 FROM pg_am WHERE amname = 'columnar'").fetchone():
            pytest.skip("no columnar tables here")
        cluster.execute("CREATE TABLE stripes_here USING columnar AS TABLE plain")
        source = "stripes_here"
    elif kind == "view":
        cluster.execute("CREATE VIEW seen AS SELECT * FROM spread")
        source = "seen"
    else:
        model = "pg_temp.m_other"
    for table, output in ((source, model), ("plain", "m_plain")):
        cluster.execute(f"SELECT tree_train('{table}', '{output}', 'id', 'label', 'x, n, level', replace => true)")
    assert differences(cluster, f"{model}_nodes", "m_plain_nodes") == 0


def test_a_columnar_table_is_dealt_out_by_its_ids(cluster: psycopg.Connection) -> None:
    if not cluster.execute("SELECT 1 FROM pg_am WHERE amname = 'columnar'").fetchone():
        pytest.skip("no columnar tables here")
    cluster.execute(
        "CREATE TABLE stripes (LIKE plain) USING columnar; SELECT create_distributed_table('stripes', 'id')"
    )
    cluster.execute("INSERT INTO stripes TABLE plain")
    for table in ("stripes", "plain"):
        cluster.execute(f"SELECT tree_train('{table}', 'm_{table}', 'id', 'label', 'x, n, level', replace => true)")
    assert differences(cluster, "m_stripes_nodes", "m_plain_nodes") == 0


def test_nothing_is_left_on_any_server_not_even_by_a_failure(cluster: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="division by zero"):
        cluster.execute("SELECT tree_train('spread', 'm_failed', 'id', 'label', '1 / (id - id), x')")
    left = "SELECT count(*) FROM pg_class WHERE relname ~ '^madtree_(rows|blocks|groups|images|counts|states)_'"
    assert cluster.execute(left.encode()).fetchone() == (0,)
    on_workers = cluster.execute("SELECT success, result FROM run_command_on_workers(%s)", [left]).fetchall()
    assert set(on_workers) == {(True, "0")}


@pytest.fixture(scope="module")
def tripping(cluster: psycopg.Connection) -> psycopg.Connection:
    """Table spread_t, models of whose feature trips(x) are t, of a tree, and f, of a forest; view spread_v."""
    trip(cluster, "nowhere")
    cluster.execute("CREATE TABLE spread_t (LIKE plain); SELECT create_distributed_table('spread_t', 'id')")
    cluster.execute("INSERT INTO spread_t SELECT * FROM plain WHERE id <= 20000")
    cluster.execute("CREATE VIEW spread_v AS SELECT id, label, trips(x) AS x, n FROM spread_t")
    cluster.execute("SELECT tree_train('spread_t', 't', 'id', 'label', 'trips(x), n', max_depth => 3)")
    cluster.execute("SELECT forest_train('spread_t', 'f', 'id', 'label', 'trips(x), n', num_trees => 2)")
    return cluster


def trip(cluster: psycopg.Connection, pattern: str) -> None:
    """Let trips() fail in the statements that match a pattern, on the servers that have the rows."""
    cluster.execute(
        "CREATE OR REPLACE FUNCTION trips(v float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
        f"IF current_query() ~ '{pattern}' AND current_setting('port') <> '{cluster.info.port}' THEN "
        "RAISE 'tripped' USING ERRCODE = 'P0002'; END IF; RETURN v; END $$"
    )


def servers(cluster: psycopg.Connection) -> list[str]:
    found = cluster.execute("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid > 0").fetchall()
    return [f"The error is one of the server {node}." for (node,) in found]


TRAIN = "SELECT tree_train('spread_t', 'm_t', 'id', '{}', 'trips(x), n', replace => true"
LARGE = f"{TRAIN.format('label')}, strategy => 'aggregate'"  # by the passes that large tables take


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        (f"{TRAIN.format('trips(x)')})", "trips"),
        (f"{TRAIN.format('label')})", "trips"),
        (f"{LARGE})", "trips"),
        (f"{LARGE}, n_bins => 0)", "GROUP BY"),
        (f"{LARGE})", "pack_images"),
        (f"{LARGE}, grouping_cols => 'trips(fold)')", "trips"),
        (f"{TRAIN.format('label')}, grouping_cols => 'id % 500')", "trips"),
        ("SELECT forest_train('spread_v', 'm_f', 'id', 'label', 'x, n')", "trips"),
        ("SELECT tree_predict('t', 'spread_t', 'p_t')", "trips"),
        ("SELECT forest_predict('f', 'spread_t', 'p_f')", "trips"),
        ("SELECT * FROM tree_evaluate('t', 'spread_t')", "trips"),
        ("SELECT * FROM tree_evaluate('f', 'spread_t')", "trips"),
        ("SELECT * FROM tree_confusion('t', 'spread_t')", "trips"),
    ],
    ids=[
        "profile",
        "rows",
        "sample",
        "values",
        "pack",
        "groups",
        "rows of groups",
        "copy of a view",
        "predict",
        "predict by a forest",
        "evaluate",
        "evaluate a forest",
        "confusion",
    ],
)
def test_an_error_names_the_server_that_it_comes_from(tripping: psycopg.Connection, call: str, pattern: str) -> None:
    trip(tripping, pattern)
    try:
        with pytest.raises(psycopg.Error, match="tripped") as caught:
            tripping.execute(call.encode())
    finally:
        trip(tripping, "nowhere")
    assert caught.value.diag.sqlstate == "P0002"
    assert caught.value.diag.message_detail in servers(tripping)


@pytest.mark.parametrize("model", ["t", "f"])
def test_an_evaluation_names_the_server_in_a_transaction_that_may_not_write(
    tripping: psycopg.Connection, model: str
) -> None:
    trip(tripping, "trips")
    tripping.execute("SET default_transaction_read_only = on")
    try:
        with pytest.raises(psycopg.Error, match="tripped") as caught:
            tripping.execute(f"SELECT * FROM tree_evaluate('{model}', 'spread_t')".encode())
    finally:
        tripping.execute("SET default_transaction_read_only = off")
        trip(tripping, "nowhere")
    assert caught.value.diag.message_detail in servers(tripping)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT madtree_internal.node_statistics(n, '', '', '', '', '', '', '', $1) FROM spread",
        "SELECT madtree_internal.grow_block($1, level::bytea) FROM spread",
        "UPDATE spread SET level = madtree_internal.moved_nodes($1, n, '', '', '', '', '', '', '')::text",
    ],
    ids=["count", "grow", "move"],
)
def test_what_fails_in_functions_of_ours_names_its_server(cluster: psycopg.Connection, statement: str) -> None:
    """They refuse a plan that is none."""
    servers_ = OnServers(PsycopgHost(cluster))
    run = servers_.command if statement.startswith("UPDATE") else servers_.query
    with pytest.raises(psycopg.Error) as caught, cluster.transaction(force_rollback=True):
        run(statement, ["pg_catalog.bytea"], [b"no plan"])
    assert str(caught.value.diag.message_detail).splitlines()[-1] in servers(cluster)


def test_rows_of_servers_are_streamed_in_batches(cluster: psycopg.Connection) -> None:
    with cluster.transaction():
        rows = OnServers(PsycopgHost(cluster)).stream("SELECT id FROM spread WHERE id <= 10 ORDER BY id", batch=4)
        assert [row["id"] for row in rows] == [*range(1, 11)]
        assert cluster.execute("SELECT count(*) FROM pg_cursors WHERE name LIKE 'madtree%'").fetchone() == (0,)


def test_the_doctor_looks_at_the_workers(cluster: psycopg.Connection) -> None:
    found = {finding.check: finding for finding in examine(cluster)}
    assert found["workers"].status is Status.OK
    assert "shards (citus.shard_count)" in found["shards"].message


def test_an_ordinary_user_trains_on_what_she_may_read(cluster: psycopg.Connection, citus: str) -> None:
    name = f"user_{secrets.token_hex(4)}"
    ((schema,),) = cluster.execute("SELECT current_schema()::text").fetchall()
    cluster.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'; CREATE SCHEMA {name} AUTHORIZATION {name}")
    try:
        cluster.execute(f"GRANT USAGE ON SCHEMA {schema} TO {name}")
        call = f"SELECT madtree.tree_train('{schema}.spread', '{name}.m', 'id', 'label', 'x, n, level')"
        with psycopg.connect(make_conninfo(citus, user=name, password=name), autocommit=True) as user:
            user.execute("SET search_path = ''")
            with pytest.raises(psycopg.Error, match="permission denied"):
                user.execute(call.encode())
            cluster.execute(f"GRANT SELECT ON {schema}.spread TO {name}")
            user.execute(call.encode())
        cluster.execute("SELECT tree_train('plain', 'm_plain', 'id', 'label', 'x, n, level', replace => true)")
        assert differences(cluster, f"{name}.m_nodes", "m_plain_nodes") == 0
    finally:
        cluster.execute(f"DROP SCHEMA {name} CASCADE; DROP OWNED BY {name}; DROP ROLE {name}")


def test_servers_pack_and_count_their_own_rows(cluster: psycopg.Connection) -> None:
    """The plans: rows are dealt out from server to server, blocks made in place, one state fetched from each shard."""
    ((schema,),) = cluster.execute("SELECT current_schema()::text").fetchall()
    tables = DistributedTables(schema, secrets.token_hex(8))
    relation = "spread AS madtree_source"
    source = RowSource(relation, "label::float8", "label IS NOT NULL", ("x", "n::float8"))

    def plan(query: str) -> str:
        text = re.sub(r"\$1", "'\\\\x00'::bytea", query)
        return "\n".join(row[0] for row in cluster.execute(f"EXPLAIN (COSTS OFF) {text}".encode()))

    with cluster.transaction(force_rollback=True):
        cluster.execute(tables.create_rows(["x", "n", "label"], relation).encode())
        host = PsycopgHost(cluster)
        distribute(host, tables.name("rows"), tables.shard_key, n_shards=N_SHARDS)
        keys = shard_keys(host, tables.name("rows"), N_SHARDS)
        assert len(keys) == N_SHARDS
        cluster.execute(tables.create_part_blocks().encode())
        distribute(host, tables.name("blocks"), "shard_key", beside=tables.name("rows"))

        cluster.execute(tables.create_group_rows().encode())
        distribute(host, tables.name("images"), "block_id", beside=tables.name("rows"))
        cluster.execute("CREATE TABLE of_groups AS SELECT 1 AS g1, 1 AS tree_id, 1 AS usable, 0 AS block")
        grouped = replace(source, grouping=("n",), groups="of_groups", equals=(Equality("="),))

        assert "INSERT/SELECT method: repartition" in plan(tables.distribute_groups(grouped))
        growing = plan(tables.grown())
        assert growing.index("Task") < growing.index("GroupAggregate")
        assert "INSERT/SELECT method: repartition" in plan(
            tables.distribute_rows(["x", "n", "label"], relation, 10, keys)
        )
        packing = plan(tables.pack_parts(RowSource(tables.aliased("rows"), *source_parts(source))))
        assert "INSERT/SELECT method" not in packing
        assert packing.index("Task") < packing.index("Insert on") < packing.index("GroupAggregate")
        counting = plan(tables.statistics())
        assert counting.index("Task") < counting.rindex("Aggregate")
        cluster.execute(tables.create_states().encode())
        distribute(host, tables.name("states"), "shard_key", n_shards=2)
        assert "INSERT/SELECT method: repartition" in plan(tables.scatter_states(keys[:2], 8))
        adding = plan(tables.gathered_states())
        assert adding.index("Task") < adding.index("Aggregate")


def source_parts(source: RowSource) -> tuple[Any, ...]:
    """All of a source but its relation."""
    return source.target, source.target_known, source.features
