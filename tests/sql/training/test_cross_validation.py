"""Cross-validation through SQL: folds at random and by column, groups, blocks, the chosen tree, mistakes."""

from __future__ import annotations

import re

import numpy as np
import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from training import train

COLUMNS = "cp, n_splits, rel_error, cv_error_avg, cv_error_stddev, xerror, xstd, chosen"


@pytest.fixture
def table(db: psycopg.Connection) -> psycopg.Connection:
    """Table data: a signal in x and level, noise in n; folds f of unequal size; two groups g."""
    rng = np.random.default_rng(3)
    db.execute(
        "CREATE TABLE data (id int, x float8, n int, level text, y float8, label boolean, w float8, f text, g int)"
    )
    with db.cursor().copy("COPY data FROM STDIN") as copy:
        for i in range(900):
            x, n, level = rng.normal(), int(rng.integers(0, 50)), "abcd"[rng.integers(0, 4)]
            y = x + (level in "cd") + rng.normal(0, 0.7)
            missing = rng.random() < 0.05
            fold = "pqr"[int(3 * rng.random() ** 2)]
            weight = float(rng.integers(1, 4)) / 2
            copy.write_row((i, None if missing else x, n, level, y, bool(y > 0.6), weight, fold, i % 2))
    return db


def cv(db: psycopg.Connection, model: str = "model") -> list[tuple[float, ...]]:
    return db.execute(f"SELECT {COLUMNS} FROM {model}_cv ORDER BY cp DESC", prepare=False).fetchall()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(  # each two of these meet in one of the trainings
    ("dependent", "weights", "surrogates"),
    [
        ("label", None, "max_surrogates=0"),
        ("label", "w", "max_surrogates=2"),
        ("y", None, "max_surrogates=2"),
        ("y", "w", "max_surrogates=0"),
    ],
)
def test_errors_are_those_of_trees_trained_without_each_fold(
    table: psycopg.Connection, dependent: str, weights: str | None, surrogates: str
) -> None:
    """Every fold's tree trained and pruned by itself, and its held-out rows scored by tree_predict."""
    what = (dependent, "x, n, level")
    options = {"min_split": 20, "min_bucket": 7, "n_bins": 0, "max_depth": 8, "weights": weights}
    options["surrogate_params"] = surrogates
    train(table, "data", "model", *what, pruning_params="cp=0.008, fold_col=f", **options)
    found = cv(table)
    assert len(found) >= 4
    root_risk = table.execute("SELECT root_risk FROM model").fetchone()[0]
    total = table.execute(f"SELECT sum({weights or '1'}) FROM data").fetchone()[0]
    cps = np.array([row[0] for row in found]) * root_risk
    points = np.append(10 * cps[0], np.sqrt(cps[:-1] * cps[1:]))
    errors = np.zeros((len(points), 2))
    rates: list[list[float]] = [[] for _ in points]
    for fold in "pqr":
        table.execute(f"CREATE TABLE taught AS SELECT * FROM data WHERE f <> '{fold}'")
        table.execute(f"CREATE TABLE tested AS SELECT * FROM data WHERE f = '{fold}'")
        train(table, "taught", "whole", *what, pruning_params="cp=0", **options)
        own_risk = table.execute("SELECT root_risk FROM whole").fetchone()[0]
        share = table.execute(f"SELECT sum({weights or '1'}) FROM taught").fetchone()[0] / total
        for i, point in enumerate(points):
            table.execute("SELECT tree_prune('whole', 'part', %s)", [point * share / own_risk])
            table.execute("SELECT tree_predict('part', 'tested', 'scored')")
            miss = (
                f"({dependent} <> estimated_{dependent})::int" if dependent == "label" else f"y - estimated_{dependent}"
            )
            e, e2, rows = table.execute(
                f"SELECT sum(w * e ^ 2), sum(w * e ^ 4), sum(w) FROM (SELECT {miss} AS e, {weights or '1.0'} AS w "
                "FROM tested JOIN scored USING (id)) AS s",
                prepare=False,
            ).fetchone()
            errors[i] += (float(e), float(e2))
            rate = float(e) / float(rows)
            rates[i].append(rate if dependent == "label" else rate**0.5)
            table.execute("SELECT tree_drop('part')")
            table.execute("DROP TABLE scored")
        table.execute("SELECT tree_drop('whole')")
        table.execute("DROP TABLE taught, tested")
    for row, (e, e2), rate in zip(found, errors, rates, strict=True):
        assert row[5] == pytest.approx(e / root_risk, rel=1e-9)
        assert row[6] == pytest.approx((e2 - e**2 / float(total)) ** 0.5 / root_risk, rel=1e-9)
        assert row[3] == pytest.approx(np.mean(rate), rel=1e-9)
        assert row[4] == pytest.approx(np.std(rate, ddof=1), rel=1e-9)


@pytest.mark.parametrize(
    ("dependent", "miss"), [("label", "(label <> estimated_label)::int"), ("y", "y - estimated_y")]
)
def test_the_last_row_of_a_tree_that_is_not_pruned_is_the_whole_tree(
    table: psycopg.Connection, dependent: str, miss: str
) -> None:
    what = (dependent, "x, n, level")
    options = {"min_split": 20, "max_depth": 6, "n_bins": 0, "max_leaf_nodes": 14, "min_impurity_decrease": 1e-4}
    train(table, "data", "model", *what, pruning_params="cp=-1, fold_col=f", **options)
    train(table, "data", "grown", *what, pruning_params="cp=-1", **options)
    rows = cv(table)
    grown, root_risk = table.execute("SELECT n_leaves, root_risk FROM grown").fetchone()
    assert (rows[-1][0], rows[-1][1]) == (-1, grown - 1)
    assert rows[-2][0] >= 0
    assert (grown, rows[-1][1]) == (14, 13)
    wrong = 0.0
    for fold in "pqr":
        table.execute(f"CREATE TABLE taught AS SELECT * FROM data WHERE f <> '{fold}'")
        table.execute(f"CREATE TABLE tested AS SELECT * FROM data WHERE f = '{fold}'")
        train(table, "taught", "whole", *what, pruning_params="cp=-1", replace=True, **options)
        table.execute("SELECT tree_predict('whole', 'tested', 'scored')")
        query = f"SELECT sum(({miss}) ^ 2.0) FROM tested JOIN scored USING (id)"
        wrong += float(table.execute(query, prepare=False).fetchone()[0])
        table.execute("DROP TABLE taught, tested, scored")
    assert rows[-1][5] == pytest.approx(wrong / root_risk, rel=1e-9)


@pytest.mark.parametrize(("rule", "width"), [("min", 0.0), ("1se", 1.0)])
def test_the_tree_is_pruned_at_the_chosen_cp(table: psycopg.Connection, rule: str, width: float) -> None:
    parameters = f"cp=0.001, n_folds=10, rule={rule}"
    train(table, "data", "model", "label", "x, n, level", pruning_params=parameters)
    rows = cv(table)
    best = min(rows, key=lambda row: row[5])
    chosen = next(row for row in rows if row[5] <= best[5] + width * best[6])
    assert [row for row in rows if row[7]] == [chosen]
    n_leaves, pruning_cp = table.execute("SELECT n_leaves, pruning_cp FROM model").fetchone()
    assert (n_leaves, pruning_cp) == (chosen[1] + 1, chosen[0])
    assert rows[-1][0] == pytest.approx(0.001)
    assert rows[0][1:3] == (0, 1.0)
    assert table.execute("SELECT n_folds, input_cp FROM model_summary").fetchone() == (10, 0.001)


def test_the_seed_decides_the_folds(table: psycopg.Connection) -> None:
    def cv_of(seed: int) -> list[tuple[float, ...]]:
        train(table, "data", "model", "y", "x, n, level", pruning_params="n_folds=5", seed=seed, replace=True)
        return cv(table)

    assert cv_of(1) == cv_of(1)
    assert [row[5] for row in cv_of(1)] != [row[5] for row in cv_of(2)]


@pytest.mark.parametrize("grouping", ["", ", grouping_cols => 'z > 300'"], ids=["one tree", "groups"])
def test_folds_do_not_depend_on_where_rows_stand(db: psycopg.Connection, grouping: str) -> None:
    db.execute(
        "CREATE TABLE fa AS SELECT i AS id, (i*271%600)::float8 AS x, (i*457%600)::float8 AS z, "
        "((i*271%600) > 360) <> (i*i%3 = 0) AS y FROM generate_series(1, 600) i"
    )

    def trained(table: str, strategy: str = "auto") -> list[list[tuple]]:
        db.execute(
            f"SELECT tree_train('{table}', 'm', 'id', 'y', 'x,z', pruning_params => 'n_folds=5', replace => true, "
            f"strategy => '{strategy}', parallel_workers => 1{grouping})"
        )
        return [db.execute(f"SELECT * FROM m{part} ORDER BY m{part}::text").fetchall() for part in ("_cv", "_nodes")]

    expected = trained("fa")
    db.execute("UPDATE fa SET y = y WHERE id = 1")
    assert trained("fa") == expected
    for strategy in ("memory", "workers", "aggregate"):
        db.execute("DROP TABLE IF EXISTS other; CREATE TABLE other AS SELECT * FROM fa ORDER BY md5(id::text)")
        assert trained("other", strategy) == expected, strategy
    db.execute("CREATE VIEW seen AS SELECT * FROM fa")
    assert trained("seen") == expected
    db.execute("CREATE TABLE named AS SELECT 'row ' || id AS id, x, z, y FROM fa")
    by_name = trained("named")
    db.execute("CREATE TABLE named_too AS SELECT * FROM named ORDER BY md5(id)")
    assert trained("named_too") == by_name
    assert by_name[0] != expected[0]


def test_rows_of_one_id_are_held_out_together(db: psycopg.Connection) -> None:
    """So copies of a row do not vouch for each other: a tree that knows all rows by heart is as wrong as it is."""
    db.execute(
        "CREATE TABLE copies AS SELECT i AS id, i AS x, hashint4(i) % 2 = 0 AS y "
        "FROM generate_series(1, 200) i, generate_series(1, 5)"
    )
    train(db, "copies", "model", "y", "x", pruning_params="n_folds=4, cp=-1", min_split=2, min_bucket=1, n_bins=0)
    assert cv(db, "model")[-1][5] > 0.7


def test_ids_that_are_all_the_same_leave_a_tree_without_errors(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE same AS SELECT 1 AS id, i AS x, i > 50 AS y FROM generate_series(1, 100) i")
    train(db, "same", "model", "y", "x", pruning_params="n_folds=4")
    assert db.execute("SELECT count(*) > 0 FROM model_nodes").fetchone() == (True,)


@pytest.mark.parametrize("parameters", ["n_folds=5, cp=0.002", "fold_col=f, cp=0.002"])
def test_each_group_is_validated_as_if_alone(table: psycopg.Connection, parameters: str) -> None:
    what = ("y", "x, n, level")
    train(table, "data", "grouped", *what, grouping_cols="g", pruning_params=parameters)
    for g in (0, 1):
        table.execute(f"CREATE TABLE part{g} AS SELECT * FROM data WHERE g = {g}")
        train(table, f"part{g}", f"alone{g}", *what, pruning_params=parameters)
        of_group = table.execute(f"SELECT {COLUMNS} FROM grouped_cv WHERE g = {g} ORDER BY cp DESC").fetchall()
        assert of_group == cv(table, f"alone{g}")


def test_many_blocks_give_the_table_of_one(table: psycopg.Connection) -> None:
    table.execute(
        "CREATE TABLE big AS SELECT r * 1000 + id AS id, n, level, label, f FROM data, generate_series(1, 90) r"
    )
    options = {"max_depth": 4, "pruning_params": "fold_col=f"}
    for model, workers in (("one", None), ("two", 2)):
        train(table, "big", model, "label", "n, level", parallel_workers=workers, **options)
    assert cv(table, "one") == cv(table, "two")
    # Ninety replicas of every row: the relative errors are those of the rows themselves.
    train(table, "data", "small", "label", "n, level", min_split=1, min_bucket=1, **options)
    train(table, "big", "large", "label", "n, level", min_split=90, min_bucket=90, **options)
    small, large = cv(table, "small"), cv(table, "large")
    assert [row[5] for row in large] == pytest.approx([row[5] for row in small], rel=1e-9)


def test_random_folds_of_a_large_table(table: psycopg.Connection) -> None:
    table.execute(
        "CREATE TABLE big AS SELECT i AS id, (i * 7919::bigint % 1009)::float8 AS x, "
        "i * 104729::bigint % 100 < 50 AS y FROM generate_series(1, 150000) i"
    )
    train(table, "big", "model", "y", "x", max_depth=3, pruning_params="n_folds=4")
    rows = cv(table)
    assert all(0.9 < row[5] < 1.2 for row in rows)
    assert all(row[6] > 0 for row in rows)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("fold_col=id", "fold_col: id has 900 distinct values; there must be 2 to 255, one for each fold"),
        ("fold_col=one", "fold_col: one has 1 distinct value; there must be 2 to 255, one for each fold"),
        ("n_folds=256", "n_folds must be 0 (no cross-validation) or an integer from 2 to 255"),
    ],
)
def test_folds_that_cannot_be(table: psycopg.Connection, parameters: str, words: str) -> None:
    table.execute("ALTER TABLE data ADD COLUMN one int DEFAULT 1")
    with pytest.raises(InvalidParameterValue, match=re.escape(words)):
        train(table, "data", "model", "y", "x", pruning_params=parameters)
    assert table.execute("SELECT to_regclass('model')").fetchone() == (None,)


def test_rows_without_a_fold_are_skipped(table: psycopg.Connection) -> None:
    table.execute("UPDATE data SET f = NULL WHERE id < 10")
    train(table, "data", "model", "y", "x", pruning_params="fold_col=f")
    assert table.execute("SELECT total_rows_skipped >= 10 FROM model_summary").fetchone() == (True,)


def test_a_pure_target_has_no_errors_to_relate(table: psycopg.Connection) -> None:
    train(table, "data", "model", "g IS NOT NULL", "x", pruning_params="n_folds=3, cp=0.01")
    assert cv(table) == [(0.01, 0, None, 0.0, 0.0, None, None, True)]
