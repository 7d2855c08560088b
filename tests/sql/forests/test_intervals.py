"""Intervals of forests, held against what numpy makes of the leaves and of the outcomes that these keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import FEATURES, MAKE_BOTH, grow_bare, rows, score

import madtree
from madtree.host.psycopg import PsycopgHost
from madtree.learn.data import keyed, mixed
from madtree.request.forest_arguments import check_forest_arguments
from madtree.score import draw_leaf_outcomes

N_TREES = 20
LOW, MEAN, HIGH = "estimated_v_low", "estimated_v", "estimated_v_high"
KEPT = """
SELECT tree_id, array_agg(node_id ORDER BY node_id) AS leaves, min(outcomes::text)::float8[] AS outcomes
FROM f_outcomes JOIN f_nodes USING (tree_id) WHERE is_leaf GROUP BY tree_id ORDER BY tree_id
"""


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE_BOTH)
    db.execute("UPDATE t SET v = v + sin(id * 91.7) * (1 + g)")


def intervals(db: psycopg.Connection, source: str = "t", level: float = 0.9, model: str = "f") -> list[dict[str, Any]]:
    db.execute("DROP TABLE IF EXISTS between_")
    call = "SELECT madtree.forest_predict(%s, %s, 'between_', 'interval', level => %s)"
    db.execute(call, [model, source, level])
    return rows(db, "SELECT * FROM between_ ORDER BY id")


def kept(db: psycopg.Connection) -> dict[int, dict[int, float]]:
    """Of each tree the outcomes by leaf."""
    found = {row["tree_id"]: row for row in rows(db, KEPT)}
    return {tree: dict(zip(row["leaves"], row["outcomes"], strict=True)) for tree, row in found.items()}


def check(db: psycopg.Connection, source: str, level: float, first_tree: Mapping[Any, int]) -> None:
    """Hold the intervals of a table's rows against numpy's quantiles; `first_tree` by group, or by None."""
    outcomes = kept(db)
    groups = {row["id"]: row["g"] for row in rows(db, f"SELECT id, g FROM {source}")}
    means = {row["id"]: row["estimated_v"] for row in score(db, "f", "response", source)}
    leaves = {row["id"]: row["node_ids"] for row in score(db, "f", "leaf", source)}
    said = intervals(db, source, level)
    assert [*said[0]] == ["id", MEAN, LOW, HIGH]
    assert {row["id"] for row in said} == leaves.keys()
    for row in said:
        assert row[MEAN] == means[row["id"]]
        first = first_tree.get(groups[row["id"]], first_tree.get(None))
        if first is None:
            assert row[LOW] is row[HIGH] is row[MEAN] is None
            continue
        own = [outcomes[first + k][leaf] for k, leaf in enumerate(leaves[row["id"]])]
        below = (1 - level) / 2
        assert [row[LOW], row[HIGH]] == np.quantile(own, [below, 1 - below], method="linear").tolist()


def drawn(db: psycopg.Connection, weight: str | None, first_tree: Mapping[Any, int], seed: int = 1) -> None:
    """Hold what leaves keep against a draw by the ids, a leaf after the other."""
    of_row = {row["id"]: row for row in rows(db, f"SELECT id, g, v, {weight or 1} AS w FROM t")}
    leaves = {row["id"]: row["node_ids"] for row in score(db, "f", "leaf")}
    identity = mixed(np.array([*of_row], np.uint32))
    best: dict[tuple[int, int], tuple[float, float]] = {}
    for member in range(N_TREES):
        u = (mixed(identity ^ keyed(3, seed, np.array([member]))[0]) + 0.5) / 2**32
        for (id_, row), share in zip(of_row.items(), u.tolist(), strict=True):
            if row["v"] is None or not row["w"] or leaves[id_] is None:
                continue
            first = first_tree.get(row["g"], first_tree.get(None))
            assert first is not None
            at = first + member, leaves[id_][member]
            key = (share if weight is None else -np.log1p(-share) / row["w"], row["v"])
            best[at] = min(best.get(at, (np.inf, np.inf)), key)
    assert {(tree, leaf): v for tree, own in kept(db).items() for leaf, v in own.items()} == {
        at: outcome for at, (_, outcome) in best.items()
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", [0.9, 0.5, 0.01])
def test_intervals_are_quantiles_of_the_outcomes_that_leaves_keep(db: psycopg.Connection, level: float) -> None:
    grow_bare(db, "f", "v", num_trees=N_TREES, intervals=True)
    check(db, "test", level, {None: 1})
    drawn(db, None, {None: 1})


@pytest.mark.parametrize(
    "more",
    [
        {"seed": 7, "sampling": "none", "split_rule": "random"},
        {"null_handling_params": "max_surrogates=2", "sample_ratio": 0.5, "min_bucket": 10},
        {"null_handling_params": "null_as_category=true", "max_tree_depth": 0},
    ],
    ids=["all rows", "surrogates", "roots"],
)
def test_of_any_forest(db: psycopg.Connection, more: dict[str, Any]) -> None:
    db.execute("INSERT INTO t (id, g, v) VALUES (1001, 1, NULL), (1002, 2, 77)")  # without outcome; without features
    grow_bare(db, "f", "v", num_trees=N_TREES, intervals=True, **more)
    check(db, "test", 0.8, {None: 1})
    if "null_as_category=true" not in more.values():
        db.execute("DELETE FROM t WHERE id = 1002")
    drawn(db, None, {None: 1}, more.get("seed", 1))


def test_of_groups_and_weights(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE t ADD w float8; UPDATE t SET w = CASE WHEN id % 7 = 0 THEN 0 ELSE 1 + id % 4 END")
    grow_bare(db, "f", "v", num_trees=N_TREES, intervals=True, grouping_cols="g", weights="w")
    first = {row["g"]: row["tree_id"] for row in rows(db, "SELECT g, min(tree_id) AS tree_id FROM f GROUP BY g")}
    check(db, "test", 0.9, first)
    drawn(db, "w", first)


def test_a_heavy_row_is_kept_in_proportion_to_its_weight(db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE t ADD w float8; UPDATE t SET w = CASE WHEN id = 5 THEN 200 ELSE 1 END, v = id")
    grow_bare(db, "f", "v", num_trees=400, max_tree_depth=0, intervals=True, weights="w")
    (said,) = rows(db, "SELECT avg((outcomes = '{5}')::int) AS share, count(*) AS n FROM f_outcomes")
    assert said["n"] == 400
    assert abs(float(said["share"]) - 200 / 799) < 4 * (0.25 * 0.75 / 400) ** 0.5


def test_the_same_bytes_however_it_runs(db: psycopg.Connection) -> None:
    kept_by = {}
    db.execute("CREATE TABLE shuffled AS SELECT * FROM t ORDER BY id * 7919 % 601")
    db.execute("CREATE VIEW seen AS SELECT * FROM t")
    for way, source, more in (
        ("memory", "t", {"parallel_workers": 0}),
        ("workers", "t", {"parallel_workers": 1, "strategy": "workers"}),
        ("aggregate", "t", {"strategy": "aggregate"}),
        ("shuffled", "shuffled", {}),
        ("view", "seen", {}),
    ):
        grow_bare(db, "f", "v", source=source, num_trees=5, intervals=True, replace=True, **more)
        kept_by[way] = rows(db, "SELECT tree_id, outcomes::text FROM f_outcomes ORDER BY tree_id")
    assert all(found == kept_by["memory"] for found in kept_by.values())


def test_ids_that_are_not_unique_draw_the_least_outcome(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET id = 1")
    grow_bare(db, "f", "v", num_trees=3, max_tree_depth=0, intervals=True)
    (least,) = rows(db, "SELECT min(v) AS v FROM t")
    assert [row["outcomes"] for row in rows(db, "SELECT outcomes FROM f_outcomes")] == [[least["v"]]] * 3


def test_the_table_comes_and_goes_with_its_model(db: psycopg.Connection) -> None:
    made = "SELECT to_regclass('f_outcomes') IS NOT NULL AS made"
    grow_bare(db, "f", "v", num_trees=2, intervals=True)
    assert rows(db, made) == [{"made": True}]
    db.execute("SELECT madtree.forest_predict('f', 't', 'p', 'interval')")
    db.execute("SELECT madtree.forest_predict('f', 't', 'p', 'interval', replace => true, level => 0.5)")
    db.execute("SELECT madtree.forest_predict('f', 't', 'p', replace => true)")
    grow_bare(db, "f", "v", num_trees=2, replace=True)
    assert rows(db, made) == [{"made": False}]
    with pytest.raises(psycopg.Error, match="f keeps no outcomes of its leaves") as error:
        intervals(db)
    assert error.value.diag.message_hint == "Train it again with intervals => true."
    grow_bare(db, "f", "v", num_trees=2, intervals=True, replace=True)
    assert "f_outcomes" in str(db.execute("SELECT madtree.tree_drop('f')").fetchone())
    assert rows(db, made) == [{"made": False}]


@pytest.mark.parametrize("level", ["0", "1", "-0.5", "'NaN'", "NULL", "90"])
def test_a_level_that_is_none(db: psycopg.Connection, level: str) -> None:
    grow_bare(db, "f", "v", num_trees=2, intervals=True)
    with pytest.raises(psycopg.Error, match="level must be a number above 0 and below 1, not "):
        db.execute(f"SELECT madtree.forest_predict('f', 't', 'p', 'interval', level => {level})")


@pytest.mark.parametrize(
    ("type_", "level", "said"),
    [
        ("response", "2", "level is for the types 'conformal' and 'interval', not for 'response'"),
        ("leaf", "'NaN'", "level is for the types 'conformal' and 'interval', not for 'leaf'"),
        ("response", "0.8", "level is for the types 'conformal' and 'interval', not for 'response'"),
    ],
)
def test_a_level_of_what_is_no_interval(db: psycopg.Connection, type_: str, level: str, said: str) -> None:
    grow_bare(db, "f", "v", num_trees=2)
    with pytest.raises(psycopg.Error, match=said):
        db.execute(f"SELECT madtree.forest_predict('f', 't', 'p', '{type_}', level => {level})")  # type: ignore[arg-type]
    db.execute("SELECT madtree.forest_predict('f', 't', 'p', 'response', level => NULL)")
    if type_ == "leaf":  # which is not for frames
        return
    with pytest.raises(madtree.MadtreeError, match=said):
        madtree.connect(db).forest("f").predict(
            {name: [0.5] for name in "xyz"}, type=type_, level=float(level.strip("'"))
        )


def test_classes_have_none(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="intervals: c is a class") as error:
        grow_bare(db, "f", "c", num_trees=2, intervals=True)
    assert "conformal" in str(error.value.diag.message_hint)
    grow_bare(db, "f", "c", num_trees=2)
    with pytest.raises(psycopg.Error, match="type must be one of response, prob") as error:
        intervals(db)
    assert "conformal" in str(error.value.diag.message_hint)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM f_outcomes WHERE tree_id = 1",
        "UPDATE f_outcomes SET outcomes = outcomes || 1.0::float8 WHERE tree_id = 1",
        "UPDATE f_outcomes SET outcomes[1] = 'NaN' WHERE tree_id = 1",
        "UPDATE f_outcomes SET outcomes[1] = NULL WHERE tree_id = 1",
        "UPDATE f_outcomes SET outcomes[1] = 'Infinity' WHERE tree_id = 2",
        "UPDATE f_outcomes SET tree_id = 7 WHERE tree_id = 2",
    ],
)
def test_tables_that_somebody_has_changed(db: psycopg.Connection, damage: str) -> None:
    grow_bare(db, "f", "v", num_trees=2, intervals=True)
    db.execute(damage)
    with pytest.raises(psycopg.Error, match="f is damaged: it has not an outcome for each of its leaves"):
        intervals(db)
    assert len(score(db, "f", "response")) == 600


NOISE = "sqrt(-2 * ln(1 - random())) * cos(6.2831853 * random())"
SHAPES = {
    "skewed": f"3 * x + CASE k WHEN 'a' THEN 1 ELSE 0.2 END * exp({NOISE})",
    "wider with x": f"(1 + x) * {NOISE}",
    "by group": f"10 * g + (1 + g) * {NOISE}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_as_many_new_outcomes_as_are_asked_for_lie_between(db: psycopg.Connection, shape: str) -> None:
    """Where rows of a leaf are alike; where they are not, more do."""
    db.execute("SELECT setseed(0.25)")
    db.execute(
        f"""CREATE TABLE many AS SELECT i AS id, i % 3 AS g, i / 3 % 4 AS x, (ARRAY['a', 'b'])[1 + i / 12 % 2] AS k,
        NULLIF(i / 24 % 3, 0) AS z FROM generate_series(1, 12000) AS i;
        CREATE TABLE train AS SELECT *, ({SHAPES[shape]})::float8 AS v FROM many WHERE NOT madtree.holdout(id, 0.5);
        CREATE TABLE new AS SELECT *, ({SHAPES[shape]})::float8 AS v FROM many WHERE madtree.holdout(id, 0.5)"""
    )
    more = {"grouping_cols": "g"} if shape == "by group" else {}
    grow_bare(db, "f", "v", "x, k, z", "train", num_trees=200, min_bucket=40, intervals=True, **more)
    for level in (0.5, 0.9):
        intervals(db, "new", level)
        share = f"count(*) AS n, avg((v BETWEEN {LOW} AND {HIGH})::int)::float8 AS share"
        for by in ("g", "x"):
            for row in rows(db, f"SELECT {by}, {share} FROM between_ JOIN new USING (id) GROUP BY {by}"):
                # Noise of the new rows; and of at least four leaves, of some 300 rows each, and of one draw a tree.
                of_leaves = (1 / 200 + 1 / 300) / 4
                noise = (level * (1 - level) * (1 / row["n"] + of_leaves)) ** 0.5
                assert abs(row["share"] - level) < 4 * noise, (by, row)


def test_rows_of_a_leaf_that_differ_make_intervals_wider_than_they_need_be(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE train AS SELECT * FROM t WHERE id % 2 = 0")
    grow_bare(db, "f", "v", source="train", num_trees=100, intervals=True)
    db.execute("CREATE TABLE new AS SELECT * FROM t WHERE id % 2 = 1")
    intervals(db, "new", 0.8)
    query = f"SELECT avg((v BETWEEN {LOW} AND {HIGH})::int)::float8 AS share FROM between_ JOIN new USING (id)"
    (said,) = rows(db, query)
    assert 0.76 < said["share"] < 1


def test_leaves_of_few_rows_are_told_of(db: psycopg.Connection) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
    grow_bare(db, "f", "v", num_trees=2, intervals=True)
    assert [text for text in told if "intervals: with min_bucket 1 " in text]
    told.clear()
    grow_bare(db, "f", "v", num_trees=2, intervals=True, min_bucket=10, replace=True)
    assert not [text for text in told if "intervals" in text]


def test_trees_are_asked_some_at_a_time(db: psycopg.Connection) -> None:
    """Whatever a pass over the table may hold, it draws the same."""
    grow_bare(db, "f", "v", num_trees=7, intervals=True, grouping_cols="g")
    expected = [v for row in rows(db, "SELECT outcomes FROM f_outcomes ORDER BY tree_id") for v in row["outcomes"]]
    host = PsycopgHost(db)
    arguments = ("t", "f", "id", "v", FEATURES, None, "g", 7)
    task = check_forest_arguments(host, *arguments, intervals=True, replace=True)
    for most in (1, 20_000, 2**28):
        with db.transaction():
            assert draw_leaf_outcomes(host, task, most).outcomes.tolist() == expected


def test_pages_of_rows_that_are_gone_say_nothing(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE gone (LIKE t); INSERT INTO gone SELECT t.* FROM t, generate_series(1, 300)")
    db.execute("ANALYZE gone; DELETE FROM gone; INSERT INTO gone SELECT * FROM t")  # the planner thinks of many rows
    grow_bare(db, "f", "v", num_trees=5, intervals=True, min_bucket=10)
    expected = rows(db, "SELECT outcomes FROM f_outcomes ORDER BY tree_id")
    grow_bare(db, "f", "v", source="gone", num_trees=5, intervals=True, min_bucket=10, replace=True)
    assert rows(db, "SELECT outcomes FROM f_outcomes ORDER BY tree_id") == expected
