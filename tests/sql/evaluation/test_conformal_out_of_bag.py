"""conformal_quantiles of a forest from its own rows, held against numpy over predictions that each tree makes alone."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE, grow_bare, rows, score

from madtree.learn.data import keyed, mixed

N_TREES = 15
LEVELS = "0.5, 0.9, 0.95"
QUANTILES = "SELECT * FROM madtree.conformal_quantiles('f', levels => %s)"


@pytest.fixture(autouse=True)
def _table(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    db.execute("UPDATE t SET v = v + sin(id * 91.7) * (1 + g)")


def in_bag(ids: Any, seed: int = 1, share: float = 1.0, once: bool = False) -> Any:
    """(N_TREES, n) times that each row was drawn, -1 where it was out of reach; of our own it has the hash alone."""
    identity = mixed(np.asarray(ids, np.uint32))
    cumulated = np.cumsum(np.exp(-1) / np.cumprod([1.0, *range(1, 10)]))
    found = []
    for member in range(N_TREES):
        low = mixed(identity ^ keyed(1, seed, np.array([member]))[0]) & 0xFFFF
        uniform = (low + 0.5) / 65536
        drawn = (low < (1 - np.exp(-1)) * 65536).astype(int) if once else np.searchsorted(cumulated, uniform)
        reached = mixed(identity ^ keyed(2, seed, np.array([member]))[0]) < share * 2.0**32
        found.append(np.where(reached, drawn, -1))
    return np.array(found)


def errors(db: psycopg.Connection, outcome: str, drawn: Any) -> dict[int, float]:
    """Of each row that some tree has not seen how wrong these are about it; `drawn` by the ids in ascending order."""
    of_row = {row["id"]: row for row in rows(db, "SELECT id, g, c, v FROM t ORDER BY id")}
    leaves = {row["id"]: row["node_ids"] for row in score(db, "f", "leaf")}
    nodes = {}
    for row in rows(db, "SELECT tree_id, node_id, prediction, to_jsonb(n) -> 'class_weights' AS w FROM f_nodes AS n"):
        nodes[row["tree_id"], row["node_id"]] = row["prediction"], row["w"]
    first = {row["id"]: 0 for row in of_row.values()}
    if "g" in {name for row in rows(db, "SELECT * FROM f LIMIT 1") for name in row}:
        trees = {row["g"]: row["t"] for row in rows(db, "SELECT g, min(tree_id) - 1 AS t FROM f GROUP BY g")}
        first = {row["id"]: trees[row["g"]] for row in of_row.values()}
    classes = sorted({row["c"] for row in of_row.values() if row["c"] is not None})
    found = {}
    for place, (id_, row) in enumerate(of_row.items()):
        if leaves[id_] is None or row[outcome] is None:
            continue
        said = [nodes[first[id_] + k + 1, leaf] for k, leaf in enumerate(leaves[id_]) if drawn[k][place] == 0]
        if not said:
            continue
        if outcome == "v":
            found[id_] = abs(row["v"] - np.mean([prediction for prediction, _ in said]))
        else:
            shares = np.mean([np.array(weights) / sum(weights) for _, weights in said], axis=0)
            found[id_] = 1 - shares[classes.index(row["c"])]
    return found


def quantile(wrong: Any, level: float) -> float:
    n = len(wrong)
    return float(np.quantile(wrong, min(1, ceil((n + 1) * level) / n), method="inverted_cdf"))


@pytest.mark.in_turn
@pytest.mark.parametrize("outcome", ["v", "c"])
@pytest.mark.parametrize(
    ("more", "sample"),
    [
        ({}, {}),
        ({"seed": 9, "sample_ratio": 0.6, "min_bucket": 5}, {"seed": 9, "share": 0.6}),
        ({"sampling": "without_replacement", "null_handling_params": "max_surrogates=2"}, {"once": True}),
    ],
    ids=["poisson", "a part of the rows", "without replacement"],
)
def test_quantiles_of_what_trees_say_that_have_not_seen_a_row(
    db: psycopg.Connection, outcome: str, more: dict[str, Any], sample: dict[str, Any]
) -> None:
    grow_bare(db, "f", outcome, num_trees=N_TREES, **more)
    wrong = errors(db, outcome, in_bag(range(1, 601), **sample))
    found = rows(db, QUANTILES, LEVELS)
    assert [row["level"] for row in found] == [0.5, 0.9, 0.95]
    for row in found:
        assert row["n"] == len(wrong)
        assert row["quantile"] == pytest.approx(quantile([*wrong.values()], row["level"]), rel=1e-12)
    named = rows(db, "SELECT * FROM madtree.conformal_quantiles('f', 't', %s)", LEVELS)
    assert named == found


def test_of_each_group_also_of_some_rows_only(db: psycopg.Connection) -> None:
    db.execute("DELETE FROM t WHERE g = 0 AND id > 10")  # so few that for some of their trees no row was drawn
    db.execute("UPDATE t SET v = NULL WHERE id % 50 = 1 AND g > 0")
    grow_bare(db, "f", "v", num_trees=N_TREES, grouping_cols="g")
    ids = [row["id"] for row in rows(db, "SELECT id FROM t ORDER BY id")]
    groups = {row["id"]: row["g"] for row in rows(db, "SELECT id, g FROM t")}
    drawn = in_bag(ids)
    few = [place for place, id_ in enumerate(ids) if groups[id_] == 0]
    for of_tree in drawn:
        if not of_tree[few].any():  # a leaf of all rows of the group, which it has seen
            of_tree[few] = 1
    assert (drawn[:, few] == 1).all(axis=1).any()
    wrong = errors(db, "v", drawn)
    found = rows(db, QUANTILES, "0.5")
    assert [row["group_values"] for row in found] == [None, {"g": 0}, {"g": 1}, {"g": 2}]
    for row in found:
        own = [e for id_, e in wrong.items() if row["group_values"] in (None, {"g": groups[id_]})]
        assert (row["n"], row["quantile"]) == (len(own), pytest.approx(quantile(own, 0.5), rel=1e-12))


def test_weights_and_rows_without_features_leave_rows_out(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE t ADD w float8; UPDATE t SET w = id % 3")
    db.execute("INSERT INTO t (id, g, v, w, c) VALUES (700, 1, 55, 1, 'low')")
    for outcome in ("v", "c"):
        grow_bare(db, "f", outcome, num_trees=N_TREES, weights="w", replace=True)
        ids = [*range(1, 601), 700]
        wrong = errors(db, outcome, in_bag(ids))
        own = [e for id_, e in wrong.items() if id_ % 3 and id_ < 601]
        (row,) = rows(db, QUANTILES, "0.8")
        assert (row["n"], row["quantile"]) == (len(own), pytest.approx(quantile(own, 0.8), rel=1e-12))


@pytest.mark.parametrize("kind", ["text", "uuid"])
def test_ids_of_other_types_and_expressions(db: psycopg.Connection, kind: str) -> None:
    db.execute(f"ALTER TABLE t ALTER id TYPE {kind} USING md5(id::text)::{kind}")  # type: ignore[arg-type]
    grow_bare(db, "f", "v", num_trees=N_TREES, oob_predictions=True)
    said = rows(db, "SELECT abs(v - estimated_v) AS e FROM t JOIN f_oob USING (id) WHERE n_oob_trees > 0")
    (row,) = rows(db, QUANTILES, "0.9")
    assert row["quantile"] == pytest.approx(quantile([each["e"] for each in said], 0.9), rel=1e-12)


@pytest.mark.parametrize("outcome", ["v", "c"])
def test_new_rows_are_covered(db: psycopg.Connection, outcome: str) -> None:
    db.execute("CREATE TABLE later AS SELECT * FROM t WHERE id > 400; DELETE FROM t WHERE id > 400")
    grow_bare(db, "f", outcome, num_trees=100, min_bucket=3)
    (row,) = rows(db, QUANTILES, "0.9")
    type_ = "response" if outcome == "v" else "prob_mean"
    actual = {row["id"]: row for row in rows(db, "SELECT id, v, c FROM later")}
    said = score(db, "f", type_, "later")
    if outcome == "v":
        wrong = [abs(each["estimated_v"] - actual[each["id"]]["v"]) for each in said]
    else:
        wrong = [1 - each[f"estimated_prob_{actual[each['id']]['c']}"] for each in said]
    assert np.mean(np.array(wrong) <= row["quantile"]) > 0.9 - 4 * np.sqrt(0.09 * (1 / 200 + 1 / 400))


CHANGES = [
    "INSERT INTO t SELECT id + 1000, g, x, y, z, k, h, c, v FROM t LIMIT 1",
    "DELETE FROM t WHERE id = 17",
    "UPDATE t SET id = id + 1",
    "UPDATE t SET v = v + 2, c = CASE c WHEN 'low' THEN 'high' ELSE 'low' END WHERE id % 5 = 0",
    "UPDATE t SET x = -x",
    "DROP TABLE t; CREATE TABLE t AS SELECT id, g, y AS x, x AS y, z, k, h, c, v FROM kept",
]


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("outcome", ["v", "c"])
def test_other_rows_than_those_of_the_training_are_refused(db: psycopg.Connection, outcome: str, change: str) -> None:
    grow_bare(db, "f", outcome, num_trees=N_TREES)
    db.execute("CREATE TABLE kept AS TABLE t")
    rows(db, QUANTILES, LEVELS)
    db.execute(change)  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match="the rows of t are not those any more that f was trained on") as error:
        rows(db, QUANTILES, LEVELS)
    assert "or train the forest again" in str(error.value.diag.message_hint)


def test_a_table_that_lies_in_another_order_is_the_same(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v", num_trees=N_TREES)
    found = rows(db, QUANTILES, LEVELS)
    db.execute("CREATE TABLE other AS SELECT * FROM t ORDER BY md5(id::text)")
    db.execute("DROP TABLE t; ALTER TABLE other RENAME TO t")
    assert rows(db, QUANTILES, LEVELS) == found


@pytest.mark.parametrize("outcome", ["v", "c"])
def test_where_nothing_may_be_written(db: psycopg.Connection, outcome: str) -> None:
    grow_bare(db, "f", outcome, num_trees=N_TREES)
    found = rows(db, QUANTILES, LEVELS)
    with db.transaction():
        db.execute("SET TRANSACTION READ ONLY")
        assert rows(db, QUANTILES, LEVELS) == found


def test_a_table_whose_values_have_bins(db: psycopg.Connection) -> None:
    """Where a split lies within one, rows out of bag may go another way than in training, which saw the bin alone."""
    db.execute(
        "CREATE TABLE large AS SELECT i AS id, i * 7919 % 997 / 50.0 AS x, i * 31 % 24 AS y "
        "FROM generate_series(1, 9000) AS i"
    )
    db.execute("ALTER TABLE large ADD v float8; UPDATE large SET v = x * (y % 5) + hashint4(id) / 500000000.0")
    grow_bare(db, "f", "v", "x, y", source="large", num_trees=20, min_bucket=5, oob_predictions=True)
    query = "SELECT abs(v - estimated_v) AS e FROM large JOIN f_oob USING (id) WHERE n_oob_trees > 0"
    said = [row["e"] for row in rows(db, query)]
    (trained,) = rows(db, "SELECT oob_error FROM f_group")
    assert trained["oob_error"] != pytest.approx(np.mean(np.square(said)), rel=1e-6)
    (row,) = rows(db, QUANTILES, "0.9")
    assert (row["n"], row["quantile"]) == (len(said), pytest.approx(quantile(said, 0.9), rel=1e-12))
    db.execute("UPDATE large SET id = 9001 - id")
    with pytest.raises(psycopg.Error, match="its error on out-of-bag rows is another one"):
        rows(db, QUANTILES, "0.9")


def test_an_outcome_that_is_always_the_same(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET v = 1234567.891")
    grow_bare(db, "f", "v", num_trees=N_TREES)
    (row,) = rows(db, QUANTILES, "0.9")
    assert row["quantile"] == pytest.approx(0, abs=1e-8)
    db.execute("UPDATE t SET v = 3")
    with pytest.raises(psycopg.Error, match="its error on out-of-bag rows is another one"):
        rows(db, QUANTILES, "0.9")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("tree_train('t', 'f', 'id', 'v', 'x, y')", "not NULL: a tree has seen all of its own"),
        ("boost_train('t', 'f', 'id', 'v', 'x, y', num_trees => 3)", "not NULL: a boosted model has seen all of its"),
        ("forest_train('t', 'f', 'id', 'v', 'x, y', num_trees => 3, sampling => 'none')", "its samples have all rows"),
    ],
)
def test_models_that_have_seen_all_rows_need_a_table(db: psycopg.Connection, call: str, said: str) -> None:
    db.execute(f"SELECT madtree.{call}")  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match=f"calibration_table must be the name of a table or view, .*{said}"):
        rows(db, QUANTILES, LEVELS)


def test_what_is_told(db: psycopg.Connection) -> None:
    told: Counter[str] = Counter()
    grow_bare(db, "f", "v", num_trees=N_TREES)
    db.add_notice_handler(lambda said: told.update([str(said.message_primary)]))
    rows(db, QUANTILES, LEVELS)
    assert not told
    rows(db, "SELECT * FROM madtree.conformal_quantiles('f', 't')")
    assert [*told] == ["f was trained on t: each row is judged by the trees whose samples lack it"]
    db.execute("DROP TABLE t")
    with pytest.raises(psycopg.Error, match="calibration_table: relation t does not exist"):
        rows(db, QUANTILES, LEVELS)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "damage", ["seed = NULL", "sampling = 'twice'", "sample_ratio = 'NaN'", "sample_ratio = -1", "num_trees = 16"]
)
def test_a_summary_that_tells_no_samples(db: psycopg.Connection, damage: str) -> None:
    grow_bare(db, "f", "v", num_trees=N_TREES)
    db.execute(f"UPDATE f_summary SET {damage}")  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error, match="madtree: "):
        rows(db, QUANTILES, LEVELS)


def test_a_summary_that_does_not_count_rows(db: psycopg.Connection) -> None:
    grow_bare(db, "f", "v", num_trees=N_TREES)
    for column in ("total_rows_processed", "total_rows_skipped"):
        db.execute(f"UPDATE f_summary SET {column} = NULL")  # type: ignore[arg-type]
        with pytest.raises(psycopg.Error, match=f"madtree: f is damaged: {column} in its summary is NULL"):
            rows(db, QUANTILES, LEVELS)
        db.execute(f"UPDATE f_summary SET {column} = 0")  # type: ignore[arg-type]
