"""boost_staged: loss and metric by the number of rounds, held against predictions by so many rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import psycopg
import pytest
from boosted_data import HALF, MAKE, boost, score
from forest_data import rows

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "numbers": ("y", {}),
    "numbers, weights and groups": ("y", {"weights": "w", "grouping_cols": "g", **HALF, "num_trees": 20}),
    "two classes": ("late", {"weights": "w"}),
    "two classes, groups": ("late", {"grouping_cols": "g", **HALF, "num_trees": 30}),
    "exponential": ("late", {"loss": "exponential"}),
    "five classes, groups": ("k", {"grouping_cols": "g", "weights": "w", **HALF, "num_trees": 20}),
    "poisson": ("n", {"loss": "poisson"}),
    "absolute_error, groups": ("y", {"loss": "absolute_error", "grouping_cols": "g", **HALF, "num_trees": 20}),
    "quantile": ("y", {"loss": "quantile", "boost_params": "quantile=0.3", "weights": "w"}),
    "huber, groups": ("y", {"loss": "huber", "grouping_cols": "g", **HALF, "num_trees": 20}),
    "gamma": ("n + 1", {"loss": "gamma", "weights": "w"}),
}


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)


def staged(db: psycopg.Connection, model: str = "m", table: str = "t") -> list[dict[str, Any]]:
    return rows(db, f"SELECT * FROM madtree.boost_staged('{model}', '{table}')")


def lost(loss: str, raw: np.ndarray, outcome: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """(n,) the losses of rows, from scores (n, n_scores); of classes outcomes are their places. `threshold`: (n,)"""
    if raw.shape[1] > 1:
        return np.log(np.exp(raw).sum(axis=1)) - raw[np.arange(len(raw)), outcome.astype(int)]
    one = raw[:, 0]
    return {
        "log_loss": lambda: np.logaddexp(0, one) - outcome * one,
        "exponential": lambda: np.exp(np.where(outcome == 1, -one, one)),
        "squared_error": lambda: (outcome - one) ** 2 / 2,
        "absolute_error": lambda: np.abs(outcome - one),
        "quantile": lambda: np.where(outcome >= one, 0.3, -0.7) * (outcome - one),
        "huber": lambda: np.where(
            np.abs(outcome - one) <= threshold,
            (outcome - one) ** 2 / 2,
            threshold * (np.abs(outcome - one) - threshold / 2),
        ),
        "poisson": lambda: np.exp(one) - outcome * one,
        "gamma": lambda: one + outcome * np.exp(-one),
    }[loss]()


def columns(found: list[dict[str, Any]]) -> np.ndarray:
    return np.array([[value for name, value in row.items() if name != "id"] for row in found])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("training", TRAININGS)
def test_it_is_what_predictions_by_so_many_rounds_lose(db: psycopg.Connection, training: str) -> None:
    target, more = TRAININGS[training]
    boost(db, target, **more)
    db.execute("CREATE TABLE other AS SELECT * FROM t WHERE id % 3 > 0")
    found = staged(db, table="other")
    data = rows(db, f"SELECT g, w, {target} AS outcome FROM t WHERE mod(id, 3) > 0 ORDER BY id")
    keep = np.arange(900) % 3 != 2
    group = np.array([row["g"] for row in data])
    weight = np.array([float(row["w"]) for row in data]) if "weights" in more else np.ones(len(data))
    classes = rows(db, "SELECT dependent_var_levels AS l, loss FROM m_summary")[0]
    actual = np.array([str(row["outcome"]).lower() if classes["l"] else row["outcome"] for row in data])
    place = np.array([classes["l"].index(label) for label in actual]) if classes["l"] else actual.astype(float)
    key = "g" if "grouping_cols" in more else "NULL AS g"
    groups = rows(db, f"SELECT gid, n_rounds, base_score, loss_threshold, {key} FROM m_group")
    most = max(row["n_rounds"] for row in groups)
    thresholds = {row["g"]: row["loss_threshold"] or math.nan for row in groups}
    threshold = np.array([thresholds[None if None in thresholds else each] for each in group])
    length = {row["gid"]: row["n_rounds"] for row in groups} | {None: most}
    expected = {}
    # The first rounds, the last of each group, and those beside them.
    numbers = {0, 1, 2, *(each + beside for each in length.values() for beside in (-1, 0, 1))}
    for number in sorted(numbers.intersection(range(most + 1))):
        if number:
            raw = columns(score(db, "raw", num_trees=number))[keep]
            said = [row for row in score(db, "response", num_trees=number) if row["id"] % 3 > 0]
            response = [next(value for name, value in row.items() if name != "id") for row in said]
        else:
            base = {row["g"]: row["base_score"] for row in groups}
            raw = np.array([base[None if None in base else each] for each in group])
            response = None
        losses = lost(classes["loss"], raw, place, threshold)
        if classes["l"]:
            if response is None:
                two = np.column_stack((-raw, raw)) if raw.shape[1] == 1 else raw
                judged = two.argmax(axis=1) == place
            else:
                judged = np.array([str(each).lower() == label for each, label in zip(response, actual, strict=True)])
        else:
            linked = np.exp(raw[:, 0]) if classes["loss"] in ("poisson", "gamma") else raw[:, 0]
            judged = (linked - actual) ** 2
        scopes = {None: np.ones(len(data), bool)} | {
            row["gid"]: group == row["g"] for row in groups if row["g"] is not None
        }
        for gid, mine in scopes.items():
            value = np.average(judged[mine], weights=weight[mine])
            expected[gid, number] = (
                int(mine.sum()),
                np.average(losses[mine], weights=weight[mine]),
                value if classes["l"] else math.sqrt(value),
            )
    if "grouping_cols" in more:
        assert len(set(length.values())) > 1
    scopes = dict.fromkeys(row["tree_id"] for row in found)
    assert [*scopes] == ([None, *sorted(g["gid"] for g in groups)] if "grouping_cols" in more else [1])
    assert [(row["tree_id"], row["num_trees"]) for row in found] == [
        (gid, number) for gid in scopes for number in range(length[gid] + 1)
    ]
    for row in found:
        gid = row["tree_id"] if "grouping_cols" in more else None
        if row["num_trees"] not in numbers:
            continue
        n, loss, value = expected[gid, row["num_trees"]]
        assert row["n"] == n
        assert row["loss"] == pytest.approx(loss, rel=1e-10)
        assert row["value"] == pytest.approx(value, rel=1e-10)
        assert row["metric"] == ("accuracy" if classes["l"] else "rmse")
        assert row["group_values"] == ({"g": groups[gid - 1]["g"]} if gid else None)


def test_on_the_rows_of_training_it_is_the_loss_of_training(db: psycopg.Connection) -> None:
    for target, more in (("y", {"weights": "w"}), ("k", {"grouping_cols": "g"}), ("n", {"loss": "poisson"})):
        boost(db, target, **more)
        losses = {(row["gid"], row["round"]): row["training_loss"] for row in rows(db, "SELECT * FROM m_rounds")}
        found = [row for row in staged(db) if row["tree_id"]]
        assert len(found) == len(losses)
        for row in found:
            assert row["loss"] == pytest.approx(losses[row["tree_id"], row["num_trees"]], rel=1e-6)


def test_the_last_round_is_what_evaluation_says(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE other AS SELECT * FROM t WHERE id % 3 = 0")
    for target, metric in (("k", "accuracy"), ("y", "rmse")):
        boost(db, target, grouping_cols="g", weights="w", num_trees=5, **HALF)
        last = {row["tree_id"]: row["value"] for row in staged(db, table="other")}
        judged = rows(db, "SELECT * FROM madtree.tree_evaluate('m', 'other')")
        assert last == {
            row["tree_id"]: pytest.approx(row["value"], rel=1e-12) for row in judged if row["metric"] == metric
        }


def test_rows_that_do_not_count_are_left_out(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET k = NULL WHERE g = 2")
    boost(db, "k", grouping_cols="g", weights="w")
    db.execute("CREATE TABLE other AS SELECT * FROM t WHERE id % 3 = 0")
    before = staged(db, table="other")
    assert len({row["tree_id"] for row in before}) == 4  # all, and three groups of four
    db.execute("""INSERT INTO other SELECT id, 77, a, b, c, w, y, late, k, n FROM t LIMIT 5;
        INSERT INTO other SELECT id, NULL, a, b, c, w, y, late, k, n FROM t LIMIT 5;
        INSERT INTO other SELECT id, g, a, b, c, NULL, y, late, k, n FROM t LIMIT 5;
        INSERT INTO other SELECT id, g, a, b, c, 0, y, late, k, n FROM t LIMIT 5;
        INSERT INTO other SELECT id, g, a, b, c, w, y, late, NULL, n FROM t LIMIT 5;
        INSERT INTO other SELECT id, g, a, b, c, w, y, late, 'unheard of', n FROM t LIMIT 5""")
    after = staged(db, table="other")
    for row, former in zip(after, before, strict=True):
        assert row["n"] == former["n"]
        assert row["loss"] == pytest.approx(former["loss"], rel=1e-12)
    db.execute("DELETE FROM other WHERE g = 3")
    (of_none,) = [row for row in staged(db, table="other") if row["n"] == 0 and row["num_trees"] == 1]
    assert (of_none["loss"], of_none["value"]) == (None, None)


@pytest.mark.parametrize(
    ("target", "more", "change", "said"),
    [
        ("y", {}, "SET y = 'NaN' WHERE id = 5", "y is infinite or NaN in 1 row of other"),
        ("y", {}, "SET y = '-Infinity' WHERE id < 3", "y is infinite or NaN in 2 rows of other"),
        ("y", {"weights": "v"}, "SET v = -1 WHERE id = 5", "weights v is negative, infinite or NaN in 1 row of other"),
        ("y", {"weights": "v"}, "SET v = 'NaN' WHERE id = 5", "weights v is negative, infinite or NaN in 1 row"),
        ("n", {"loss": "poisson"}, "SET n = -1 WHERE id = 5", "n is negative, infinite or NaN in 1 row of other"),
        ("n", {"loss": "gamma"}, "SET n = 0 WHERE id = 5", "n is not above 0, infinite or NaN in 1 row of other"),
    ],
)
def test_unfit_values_are_told(
    db: psycopg.Connection, target: str, more: dict[str, Any], change: str, said: str
) -> None:
    db.execute("ALTER TABLE t ADD v float8; UPDATE t SET v = w, n = n + 1; CREATE TABLE other AS TABLE t")
    boost(db, target, **more)
    staged(db, table="other")
    db.execute(f"UPDATE other {change}")
    with pytest.raises(psycopg.Error, match=said):
        staged(db, table="other")


def test_it_is_the_same_from_views_and_by_workers(db: psycopg.Connection) -> None:
    boost(db, "late", grouping_cols="g", num_trees=5, **HALF)
    db.execute("""CREATE TABLE many AS SELECT row_number() OVER () AS id, g, a, b, c, w, y, late, k, n
        FROM t, generate_series(1, 400); ANALYZE many; CREATE VIEW seen AS SELECT * FROM many""")
    whole = staged(db, table="many")
    assert whole[0]["n"] == 360_000
    for table in ("seen", "many"):
        db.execute("SET max_parallel_workers_per_gather = 0")
        alone = staged(db, table=table)
        db.execute("RESET max_parallel_workers_per_gather")
        for row, other in zip(alone, whole, strict=True):
            assert {**row, "loss": 0, "value": 0} == {**other, "loss": 0, "value": 0}
            assert row["loss"] == pytest.approx(other["loss"], rel=1e-12)
            assert row["value"] == pytest.approx(other["value"], rel=1e-12)


def test_it_writes_nothing(db: psycopg.Connection) -> None:
    boost(db, "late")
    expected = staged(db)
    with db.transaction():
        db.execute("SET TRANSACTION READ ONLY")
        assert staged(db) == expected


def test_other_models_are_refused(db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('t', 'one', 'id', 'late', 'a')")
    with pytest.raises(psycopg.Error, match="model: one is a model of single trees") as error:
        staged(db, "one")
    assert error.value.diag.message_hint == "madtree.tree_evaluate measures a tree as a whole."
    boost(db, "late")
    db.execute("CREATE TABLE bare AS SELECT id, a, b, c FROM t")
    with pytest.raises(psycopg.Error, match="test_table: bare lacks late"):
        staged(db, table="bare")


def test_pages_of_rows_that_are_gone_say_nothing(db: psycopg.Connection) -> None:
    boost(db, "y", num_trees=2)
    db.execute("CREATE TABLE gone (LIKE t); INSERT INTO gone SELECT t.* FROM t, generate_series(1, 300)")
    db.execute("ANALYZE gone; DELETE FROM gone; INSERT INTO gone SELECT * FROM t")  # the planner thinks of many rows
    assert [row["n"] for row in staged(db, "m", "gone")] == [row["n"] for row in staged(db)]
