"""Scoring distributed tables on a real Citus cluster: what a model says of them is what it says of a plain table."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from forced import differences
from psycopg_host import PsycopgHost

from madtree.score.evaluate import tree_confusion, tree_evaluate
from madtree.score.predict import tree_predict

LARGE = "max_depth => 13, min_split => 2, min_bucket => 1, n_bins => 0"


@pytest.fixture(scope="module")
def models(cluster: psycopg.Connection) -> psycopg.Connection:
    """Model large, of more leaves than one expression is good for on a single server; tables s_... of its scores."""
    cluster.execute(f"SELECT tree_train('plain', 'large', 'id', 'label', 'x, n, level, w, e, fold', {LARGE})")
    ((leaves,),) = cluster.execute("SELECT n_leaves FROM large").fetchall()
    assert leaves > 1_000
    cluster.execute("SELECT tree_predict('large', 'plain', 's_plain')")
    return cluster


def metrics(rows: list[Any]) -> dict[tuple[Any, ...], Any]:
    """Values by all else; sums of floats depend a little on their order."""
    return {tuple(map(str, row[:-1])): pytest.approx(row[-1], rel=1e-9, nan_ok=True) for row in rows}


@pytest.mark.parametrize(
    ("target", "options"),
    [("label", ""), ("y", ""), ("label", ", grouping_cols => 'fold'"), ("y", ", weights => 'w'")],
    ids=["classes", "numbers", "groups", "weights"],
)
def test_a_model_of_the_same_transaction_is_used_on_distributed_rows(
    cluster: psycopg.Connection, target: str, options: str
) -> None:
    with cluster.transaction(force_rollback=True):
        cluster.execute(f"SELECT tree_train('spread', 'm', 'id', '{target}', 'x, n, level', max_depth => 4{options})")
        found = {
            table: metrics(cluster.execute(f"SELECT * FROM tree_evaluate('m', '{table}')").fetchall())
            for table in ("spread", "plain")
        }
        assert found["spread"] == found["plain"]
        for table in ("spread", "plain"):
            cluster.execute(f"SELECT tree_predict('m', '{table}', 'p_{table}')")
        assert differences(cluster, "p_spread", "p_plain") == 0
        if target == "label":
            matrices = [
                cluster.execute(f"SELECT * FROM tree_confusion('m', '{table}')").fetchall()
                for table in ("spread", "plain")
            ]
            assert matrices[0] == matrices[1]


def test_a_large_model_scores_distributed_rows_in_time_though_the_workers_compile(models: psycopg.Connection) -> None:
    jit = models.execute("SELECT DISTINCT result FROM run_command_on_workers('SHOW jit')").fetchall()
    assert jit == [("on",)], "elsewhere it shows nothing"
    said = models.execute("SELECT tree_predict('large', 'spread', 's_spread')").fetchone()
    assert said is not None
    assert differences(models, "s_spread", "s_plain") == 0
    judged, expected = (
        metrics(models.execute(f"SELECT * FROM tree_evaluate('large', '{t}')").fetchall()) for t in ("spread", "plain")
    )
    assert judged == expected


def test_predictions_lie_beside_their_rows_where_these_are_spread_by_their_ids(models: psycopg.Connection) -> None:
    models.execute("CREATE TABLE otherwise (LIKE plain); SELECT create_distributed_table('otherwise', 'x')")
    models.execute("INSERT INTO otherwise SELECT * FROM plain WHERE id <= 500 AND x IS NOT NULL")
    for table, output in (("spread", "beside"), ("otherwise", "here"), ("spread", "pg_temp.mine")):
        models.execute(f"SELECT tree_predict('large', '{table}', '{output}')")
    found = models.execute(
        "SELECT logicalrelid::text, column_to_column_name(logicalrelid, partkey), colocationid = "
        "(SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'spread'::regclass) "
        "FROM pg_dist_partition WHERE logicalrelid::text IN ('beside', 'here', 'mine')"
    ).fetchall()
    assert found == [("beside", "id", True)]
    assert differences(models, "beside", "s_plain") == 0
    assert differences(models, "mine", "s_plain") == 0


def test_a_large_model_is_evaluated_in_a_transaction_that_may_not_write(models: psycopg.Connection) -> None:
    expected = models.execute("SELECT * FROM tree_confusion('large', 'plain')").fetchall()
    with models.transaction(force_rollback=True):
        models.execute("SET TRANSACTION READ ONLY")
        assert models.execute("SELECT * FROM tree_confusion('large', 'spread')").fetchall() == expected


def test_distributed_rows_are_scored_by_blocks_where_an_expression_is_too_large(models: psycopg.Connection) -> None:
    host = PsycopgHost(models)
    with models.transaction(force_rollback=True):
        tree_predict(host, "large", "spread", "s_blocks", "response", in_blocks=True)
        assert differences(models, "s_blocks", "s_plain") == 0
        assert tree_confusion(host, "large", "spread", in_blocks=True) == tree_confusion(host, "large", "plain")
        counts = [row["value"] for row in tree_evaluate(host, "large", "spread", in_blocks=True)[:2]]
        assert counts == [250_000, 0]


@pytest.mark.parametrize("more", ["tree_train", "forest_train", "boost_train", "tree_train, grouping_cols => 'fold'"])
def test_trainings_keep_statistics_of_their_rows(cluster: psycopg.Connection, more: str) -> None:
    function, *options = more.split(", ")
    size = {"tree_train": "max_depth => 4", "forest_train": "num_trees => 3", "boost_train": "num_trees => 3"}[function]
    with cluster.transaction(force_rollback=True):
        for table in ("spread", "plain"):
            arguments = ", ".join([f"'{table}', 'm_{table}', 'id', 'label', 'x, n, level'", size, *options])
            cluster.execute(f"SELECT {function}({arguments})")
        cluster.execute("CREATE TEMP VIEW moved AS SELECT id, label, x + 1 AS x, n, level, fold FROM plain")
        for table in ("spread", "plain"):  # of so many rows some are drawn, by their places
            assert cluster.execute(f"SELECT sum(n) FROM m_{table}_statistics WHERE feature = 'x'").fetchone() > (8_000,)
            assert cluster.execute(f"SELECT max(psi) FROM tree_drift('m_{table}', 'spread')").fetchone() < (0.01,)
            assert cluster.execute(f"SELECT max(psi) FROM tree_drift('m_{table}', 'moved')").fetchone() > (0.1,)
