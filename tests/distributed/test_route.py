"""The distributed route gives the trees of the usual one, to the bit, whatever the shards."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from forced import SMALL_BLOCKS, ShardedHost, differences, train_distributed, train_here
from kept_sessions import KeptSessions
from psycopg_host import PsycopgHost

from madtree.request.boost_arguments import check_boost_arguments
from madtree.storage import distributed
from madtree.train.train import train

N_ROWS = 36_000


MAKE = f"""
    SELECT setseed(0.25);
    CREATE TABLE big AS SELECT i AS id, nullif((random() * 90)::int, 7) / 8.0::float8 AS x,
        (random() * 200)::int - 100 AS n, chr(97 + (random() * 5)::int) AS level, (random() * 9)::int / 3.0 AS w,
        i % 4 AS fold, CASE WHEN i <= 2 * {N_ROWS} / 3 THEN 1 ELSE i / 500 END AS grp, random() AS u
    FROM generate_series(1, {N_ROWS}) AS i;
    ALTER TABLE big ADD y float8, ADD label int;
    UPDATE big SET y = round((coalesce(x, 3) + n / 50.0 * (level > 'c')::int + u * 3)::numeric, 3);
    UPDATE big SET label = (y > 7)::int + (y > 9)::int;
    ANALYZE big
"""


@pytest.fixture(scope="module")
def made(dsn: str, shared_schema: str, sessions: KeptSessions) -> None:
    with sessions.session(dsn) as admin:
        admin.execute(f"SET search_path = {shared_schema}, public, madtree")
        admin.execute(MAKE)


@pytest.fixture
def big(db: psycopg.Connection, schema: str, shared_schema: str, made: None) -> None:
    """Table big, for reading only: features of few values, so that bins do not depend on a sample; NULLs, weights,
    groups, folds.
    """
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")


CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "classes": ({}, ["", "_nodes"]),
    "entropy of NULLs as a level": (
        {"split_criterion": "entropy", "surrogate_params": "null_as_category=true"},
        ["", "_nodes"],
    ),
    "weighted regression with folds and surrogates": (
        {
            "dependent_variable": "y",
            "weights": "w",
            "max_depth": 5,
            "surrogate_params": "max_surrogates=2",
            "pruning_params": "cp=0.0001, fold_col=fold",
        },
        ["", "_nodes", "_surrogates", "_cv"],
    ),
    "random folds": ({"pruning_params": "cp=0.001, n_folds=3", "max_depth": 5}, ["", "_nodes", "_cv"]),
    "random folds of groups": (
        {"pruning_params": "n_folds=3", "grouping_cols": "grp", "list_of_features": "x, n, level", "max_depth": 4},
        ["", "_nodes", "_cv"],
    ),
    "exact splits": ({"n_bins": 0, "max_depth": 6}, ["", "_nodes"]),
    "expressions": ({"dependent_variable": "(label > 0)::text", "list_of_features": "x * 2, n + fold"}, ["_nodes"]),
    "large and small groups": ({"grouping_cols": "grp", "list_of_features": "x, n, level"}, ["", "_nodes"]),
    "little memory": ({"memory_mb": 8, "max_depth": 12}, ["", "_nodes"]),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES)
def test_shards_give_the_trees_of_one_server(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    arguments, tables = CASES[case]
    host = ShardedHost(db)
    # Both in this process: another version of numpy may round logarithms otherwise.
    train_distributed(db, monkeypatch, host, output_table_name="spread", **arguments)
    train_here(PsycopgHost(db), output_table_name="whole", **arguments)
    assert {table: differences(db, f"spread{table}", f"whole{table}") for table in tables} == dict.fromkeys(tables, 0)
    nodes = db.execute("SELECT count(*) FROM spread_nodes").fetchone()
    assert nodes is not None
    assert nodes[0] > 10
    assert len(host.states) >= 5
    assert max(host.states) <= distributed.STATE_BYTES + 8


def test_rows_of_boosted_models_bring_their_offsets(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {"training_table_name": "big", "id_col_name": "id", "list_of_features": "x, n, level", "num_trees": 3}
    asked = {**named, "dependent_variable": "label > 0", "offsets": "nullif(w, 2) - 1"}
    host = ShardedHost(db)
    with monkeypatch.context() as patch, db.transaction():
        patch.setattr("madtree.train.source.placement", lambda host, oid: "spread")
        task = check_boost_arguments(host, **asked, output_table_name="spread")
        train(host, replace(task, tuning=SMALL_BLOCKS))
    db.execute("SELECT madtree.boost_train('big', 'whole', 'id', 'label > 0', 'x, n, level', num_trees => 3, "
               "offsets => 'nullif(w, 2) - 1')")  # fmt: skip
    assert any("madtree_internal.pack_images(" in statement for statement in host.statements)
    assert {part: differences(db, f"spread{part}", f"whole{part}") for part in ("_group", "_packed", "_rounds")} == {
        "_group": 0,
        "_packed": 0,
        "_rounds": 0,
    }


def test_states_stay_small_where_the_frontier_is_wide(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = ShardedHost(db)
    train_distributed(db, monkeypatch, host, n_bins=0, max_depth=14, min_bucket=1, min_split=2, memory_mb=1024)
    assert distributed.STATE_BYTES // 4 < max(host.states) <= distributed.STATE_BYTES + 8
    # Those that are large are added up piece by piece, each where the pieces of its place are.
    scattering = [s for s in host.statements if re.match(r'INSERT INTO \S+"madtree_states_', s)]
    assert scattering
    assert all("GROUP BY shard_key) AS madtree_counted" in s for s in scattering)
    assert sum("sum_of_states(" in s for s in host.statements) == len(scattering)


def test_states_that_servers_add_up_give_the_same_tree(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep: dict[str, Any] = {"n_bins": 0, "max_depth": 14, "min_bucket": 1, "min_split": 2}
    train_distributed(db, monkeypatch, ShardedHost(db), output_table_name="spread", **deep)
    train_here(PsycopgHost(db), output_table_name="whole", **deep)
    assert {part: differences(db, f"spread{part}", f"whole{part}") for part in ("", "_nodes")} == {"": 0, "_nodes": 0}


def test_emitted_statements_are_ones_that_citus_hands_to_its_servers(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = ShardedHost(db)
    train_distributed(db, monkeypatch, host, pruning_params="n_folds=2, cp=0.001")
    packing = [s for s in host.statements if "pack_images(" in s]
    counting = [s for s in host.statements if "node_statistics(" in s]
    moving = [s for s in host.statements if "moved_nodes(" in s]
    assert len(packing) == 1
    assert len(counting) > 5
    assert 5 < len(moving) <= len(counting)
    # The part is what both tables are distributed by: grouped by it, a statement needs no other server.
    key, part = r'\S+"madtree_key_\w+"', r'(\S+"madtree_part_\w+")'
    assert re.search(rf"GROUP BY {key}, {part}, \1::pg_catalog\.bit\(32\)\) AS", packing[0])
    for statement in packing + counting + moving:
        # Each of these would make Citus fetch the rows to the coordinator.
        assert not re.search(
            r"\b(ORDER BY|DISTINCT|LIMIT|OFFSET|WITHIN GROUP|OVER|FILTER|ctid|nextval|random)\b", statement
        )
    for statement in counting + moving:
        assert re.findall("GROUP BY [^)]*", statement) in ([], ["GROUP BY shard_key"])
    # Nothing but whole rows' own tables is read by place.
    distributed_ = [s for s in host.statements if s.startswith("INSERT INTO") and "ctid" in s]
    assert len(distributed_) == 1


def test_small_groups_are_grown_where_the_rows_of_their_blocks_are(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = ShardedHost(db)
    train_distributed(
        db, monkeypatch, host, output_table_name="spread", grouping_cols="n % 40", list_of_features="x, n"
    )
    train_here(PsycopgHost(db), output_table_name="whole", grouping_cols="n % 40", list_of_features="x, n")
    assert differences(db, "spread_nodes", "whole_nodes") == 0
    # Of each group one row comes to the coordinator.
    (counting,) = [s for s in host.statements if "hash_record(" in s]
    assert re.search(r"GROUP BY 1, 2\) AS madtree_counted$", counting)
    (table,) = [s for s in host.statements if "AS tree_id" in s and s.startswith("CREATE")]
    assert "GROUP BY madtree_by, g1)" in table
    (growing,) = [s for s in host.statements if "grow_block(" in s]
    assert re.search(r"GROUP BY block_id, block_id::pg_catalog.bit\(32\)$", growing)
    # No row comes to the coordinator.
    assert not any("node_statistics(" in s or "ORDER BY 1) AS madtree_row" in s for s in host.statements)


@pytest.mark.parametrize("by", ["label::bit(2)", 'level COLLATE "loose"'], ids=["no hash", "a loose collation"])
def test_groups_that_have_no_hash_are_counted_by_the_coordinator(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    db.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    host, grouped = ShardedHost(db), {"grouping_cols": f"{by} AS kind", "list_of_features": "x, n", "max_depth": 3}
    train_distributed(db, monkeypatch, host, output_table_name="spread", **grouped)
    train_here(PsycopgHost(db), output_table_name="whole", **grouped)
    assert differences(db, "spread_nodes", "whole_nodes") == 0
    assert not any("hash_record(" in s for s in host.statements)


def test_only_columns_that_an_expression_names_are_distributed(
    db: psycopg.Connection, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = ShardedHost(db)
    train_distributed(
        db, monkeypatch, host, dependent_variable="label > 0", list_of_features="x * 2, n + fold", max_depth=2
    )
    (distributed_,) = [s for s in host.statements if s.startswith("INSERT INTO") and "ctid" in s]
    listed = re.search(r"pg_catalog.int4, ([^()]*) FROM ", distributed_)
    assert listed is not None
    assert listed[1] == "x, n, fold, label"


def test_work_tables_are_gone_and_parts_are_even(
    db: psycopg.Connection, schema: str, big: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    class Looking(ShardedHost):
        def command(self, sql: str, types: Any = (), params: Any = ()) -> int:
            if sql.startswith("DROP TABLE"):
                blocks = re.search(r'\S+\."madtree_blocks_\w+"', sql)
                assert blocks is not None
                sizes.extend(row[0] for row in self.connection.execute(f"SELECT n_rows FROM {blocks[0]}"))
            return super().command(sql, types, params)

    train_distributed(db, monkeypatch, Looking(db))
    assert len(sizes) == -(-N_ROWS // 2048)
    assert sum(sizes) == N_ROWS
    assert max(sizes) < 1.2 * min(sizes)
    left = db.execute(
        "SELECT count(*) FROM pg_class WHERE relnamespace = %s::regnamespace AND relname LIKE 'madtree%%'", [schema]
    ).fetchone()
    assert left == (0,)
