"""Trees of more rows than a block holds: sampled classes and bins, page ranges, passes by the aggregate."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from madtree.learn.packing import RawRows, prepare
from madtree.learn.prune.outcome import Outcome
from madtree.learn.prune.program import train_at_hand
from madtree.trees import FeatureKind
from madtree.trees.parameters import Parameters

N_ROWS = 300_000
LEVELS = ["a", "b", "c", "d", "e"]
KINDS = [FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED]


@pytest.fixture(scope="module")
def kept(dsn: str, shared_schema: str) -> dict[str, np.ndarray]:
    """The columns of a table; its features have few values, so that bins do not depend on the sample."""
    rng = np.random.default_rng(7)
    x, n, level = rng.integers(0, 90, N_ROWS) / 8, rng.integers(-500, 400, N_ROWS), rng.integers(0, 5, N_ROWS)
    y = x + n / 100 * (level > 2) + rng.normal(0, 1, N_ROWS)
    columns = {
        "x": x,
        "n": n,
        "level": level,
        "y": np.round(y, 3),
        "label": (y > 5).astype(int),
        "w": rng.integers(1, 9, N_ROWS) / 3,
    }
    listed = [column.tolist() for column in (np.arange(N_ROWS), *columns.values())]
    listed[3] = [LEVELS[number] for number in listed[3]]
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"SET search_path = {shared_schema}")
        db.execute("CREATE TABLE big (id int, x float8, n int, level text, y float8, label int, w float8)")
        with db.cursor().copy("COPY big FROM STDIN") as copy:
            for row in zip(*listed, strict=True):
                copy.write_row(row)
        db.execute("ANALYZE big")
    return columns


@pytest.fixture
def table(
    db: psycopg.Connection, schema: str, kept: dict[str, np.ndarray], shared_schema: str
) -> dict[str, np.ndarray]:
    """The columns of the table big, which tests only read."""
    db.execute(f"SET search_path = {schema}, {shared_schema}, public, madtree")
    return kept


def in_memory(
    columns: dict[str, np.ndarray], target: str, n_classes: int, *, weighted: bool, criterion: str
) -> Outcome:
    """The tree of the same rows, grown in one block."""
    features = np.vstack([columns["x"], columns["n"], columns["level"]]).astype(np.float64)
    weight = columns["w"].astype(np.float64) if weighted else None
    rows = RawRows(features, columns[target].astype(np.float64), weight, None)
    problem, block = prepare(rows, 1, n_classes, KINDS, Parameters(criterion, max_depth=6))
    return train_at_hand(problem, [block])[0]


@pytest.mark.in_turn
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("target", "n_classes", "criterion"), [("label", 2, "gini"), ("y", 0, "mse")])
def test_many_blocks_give_the_tree_of_one(
    db: psycopg.Connection, table: dict[str, np.ndarray], target: str, n_classes: int, weighted: bool, criterion: str
) -> None:
    expected = in_memory(table, target, n_classes, weighted=weighted, criterion=criterion)
    db.execute(
        "SELECT tree_train('big', 'model', 'id', %s, 'x, n, level', "
        "split_criterion => %s, weights => %s, max_depth => 6)",
        [target, criterion, "w" if weighted else None],
    )
    nodes = db.execute(
        "SELECT node_id, n_rows, weight, threshold, left_levels, risk, complexity, improvement, prediction::float8 "
        "FROM model_nodes ORDER BY node_id"
    ).fetchall()
    assert [row[0] for row in nodes] == expected.node_id.tolist()
    for i, (_, n_rows, weight, threshold, left, risk, complexity, improvement, prediction) in enumerate(nodes):
        assert n_rows == expected.n_rows[i]
        assert weight == expected.weight[i]
        assert threshold == (None if np.isnan(expected.threshold[i]) else expected.threshold[i])
        assert left == ([LEVELS[code - 1] for code in expected.left_codes[i]] if i in expected.left_codes else None)
        assert (risk, complexity) == (expected.risk[i], expected.complexity[i])
        assert improvement == (None if np.isnan(expected.improvement[i]) else expected.improvement[i])
        assert prediction == expected.prediction[i]


def test_what_a_sample_cannot_show_is_found_all_the_same(db: psycopg.Connection, table: dict[str, np.ndarray]) -> None:
    """One row with a class, one with a value and one with a NULL that no other row has."""
    db.execute("CREATE TABLE own AS TABLE big")
    db.execute("UPDATE own SET label = 77 WHERE id = 12345")
    db.execute("UPDATE own SET x = 1000 WHERE id = 54321")
    db.execute("UPDATE own SET n = NULL WHERE id = 99999")
    db.execute("UPDATE own SET label = NULL WHERE id = 111111")
    db.execute("ANALYZE own")
    db.execute("SELECT tree_train('own', 'model', 'id', 'label', 'x, n, level', max_depth => 3)")
    summary = db.execute(
        "SELECT dependent_var_levels, total_rows_processed, total_rows_skipped FROM model_summary"
    ).fetchone()
    assert summary == (["0", "1", "77"], N_ROWS - 1, 1)
    assert db.execute("SELECT class_weights[3] FROM model_nodes WHERE node_id = 0").fetchone() == (1,)
    db.execute("SELECT tree_train('own', 'lone', 'id', 'id > 0 AND x > 500', 'x', min_split => 2, min_bucket => 1)")
    largest = max(table["x"])
    assert db.execute("SELECT threshold FROM lone_nodes WHERE node_id = 0").fetchone() == ((largest + 1000) / 2,)


def test_a_mostly_unlabelled_table_is_learnt_from_its_labelled_rows(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE sparse AS SELECT i AS id, random() AS x, CASE WHEN i % 1000 = 0 THEN i % 7000 = 0 END AS y "
        "FROM generate_series(1, 300000) i"
    )
    db.execute("ANALYZE sparse")
    db.execute("SELECT tree_train('sparse', 'model', 'id', 'y', 'x')")
    totals = db.execute("SELECT total_rows_processed, total_rows_skipped FROM model_summary").fetchone()
    assert totals == (300, 299_700)


def test_exact_splits_of_a_feature_with_too_many_values_are_binned_with_a_notice(db: psycopg.Connection) -> None:
    notices: list[str] = []
    db.add_notice_handler(lambda diagnostic: notices.append(diagnostic.message_primary or ""))
    db.execute(
        "CREATE TABLE exact AS SELECT i AS id, i::float8 AS x, i % 7 AS k, i > 70000 AS y "
        "FROM generate_series(1, 100000) i"
    )
    db.execute("SELECT tree_train('exact', 'model', 'id', 'y', 'x, k', n_bins => 0)")
    assert any("n_bins: x: more than 65000 distinct values" in notice for notice in notices)
    assert db.execute("SELECT feature FROM model_nodes WHERE node_id = 0").fetchone() == ("x",)


def test_large_and_small_groups_in_one_run(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE uneven AS SELECT i AS id, CASE WHEN i <= 150000 THEN 0 ELSE 1 + i % 50 END AS g, "
        "(i * 7919 % 101)::float8 AS x, (i * 104729 % 13) AS n, "
        "((i * 7919 % 101) + (i * 104729 % 13) * 5 + i % 50 > 90) AS y FROM generate_series(1, 155000::bigint) i"
    )
    db.execute("SELECT tree_train('uneven', 'model', 'id', 'y', 'x, n', grouping_cols => 'g', max_depth => 5)")
    rows = db.execute("SELECT g, n_rows, success FROM model ORDER BY g").fetchall()
    assert rows == [(0, 150_000, True)] + [(g, 100, True) for g in range(1, 51)]
    for g in (0, 1, 50):
        db.execute("DROP TABLE IF EXISTS alone, alone_nodes, alone_summary, one")
        db.execute(f"CREATE TABLE one AS SELECT * FROM uneven WHERE g = {g}")
        db.execute("SELECT tree_train('one', 'alone', 'id', 'y', 'x, n', max_depth => 5)")
        differing = db.execute(
            "SELECT count(*) FROM (SELECT to_jsonb(a) - 'tree_id' FROM alone_nodes a EXCEPT ALL "
            "SELECT to_jsonb(n) - 'tree_id' FROM model_nodes n JOIN model USING (tree_id) WHERE g = %s) AS d",
            [g],
        ).fetchone()
        assert differing == (0,)
