"""Forests of odd tables, names, ids and numbers: right answers, or sentences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import MAKE_BOTH, grow_bare, rows, score

from madtree.errors import MadtreeError
from madtree.learn.prune import PackedNodes
from madtree.model.write import ModelOutput, write_packed
from madtree.trees import SINGLE

NAMES = ['"F ""o\'o"', '"semi;colon -- x"', "ä" * 31 + "x"]


@pytest.fixture(autouse=True)
def _tables(db: psycopg.Connection) -> None:
    db.execute(MAKE_BOTH)


def finite(values: list[dict[str, Any]]) -> bool:
    return all(value == value for row in values for value in row.values() if isinstance(value, float))


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_a_forests(db: psycopg.Connection, name: str) -> None:
    db.execute(
        'CREATE TABLE "T ""q\'x" AS SELECT id AS "Id; --", x AS "X ä", y AS "y""y", k AS "sel\'ect", g AS "G roup", '
        f'c AS "{"ä" * 31}" FROM t'
    )
    source = '"T ""q\'x"'
    db.execute(
        "SELECT madtree.forest_train(%s, %s, '\"Id; --\"', %s, %s, num_trees => 2, grouping_cols => '\"G roup\"')",
        [source, name, "ä" * 31, '"X ä", "y""y", "sel\'ect"'],
    )
    db.execute("SELECT madtree.forest_predict(%s, %s, '\"P ''p\"', 'prob')", [name, source])
    assert rows(db, 'SELECT count(*) AS n FROM "P \'p" WHERE estimated_prob_low IS NOT NULL') == [{"n": 600}]
    for call in ("tree_to_pmml(%s)", "tree_to_json(%s)", "get_tree(%s, 3, 2)", "tree_sql(%s, tree_id => 1)"):
        db.execute(f"SELECT madtree.{call}", [name])  # type: ignore[arg-type]
    assert len(rows(db, "SELECT * FROM madtree.tree_evaluate(%s, %s)", name, source)) == 4 * 5
    assert len(rows(db, "SELECT * FROM madtree.models WHERE kind = 'classification forest' AND n_trees = 6")) == 1
    db.execute("SELECT madtree.tree_drop(%s)", [name])
    left = rows(db, "SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema::regnamespace")
    assert {row["name"] for row in left} == {"t", "test", "T \"q'x", "P 'p"}


@pytest.mark.parametrize("dependent", ["c", "v"])
def test_a_tree_without_rows_is_a_leaf_of_all_rows(db: psycopg.Connection, dependent: str) -> None:
    """One row in three is in no tree's sample, and of samples of next to nothing most are empty."""
    db.execute("CREATE TABLE one AS SELECT * FROM t WHERE id = 1")
    grow_bare(db, "f", dependent, num_trees=10, source="one")
    assert all(row["n_rows"] > 0 for row in rows(db, "SELECT * FROM f"))
    (known,) = rows(db, "SELECT * FROM one")
    (said,) = score(db, "f", "response", "one")
    assert said[f"estimated_{dependent}"] == (known["c"] if dependent == "c" else pytest.approx(known["v"], rel=1e-15))
    assert rows(db, "SELECT oob_error FROM f_group") == [{"oob_error": None}]
    grow_bare(db, "f", dependent, num_trees=10, sample_ratio=1e-6, replace=True)
    found = score(db, "f", "response" if dependent == "v" else "prob_mean", "t")
    expected = (
        rows(db, "SELECT avg(v) AS mean FROM t")[0]["mean"]
        if dependent == "v"
        else rows(db, "SELECT avg((c = 'high')::int)::float8 AS mean FROM t")[0]["mean"]
    )
    assert {round(list(row.values())[1], 9) for row in found} == {round(expected, 9)}
    assert rows(db, "SELECT DISTINCT n_rows, tree_depth FROM f") == [{"n_rows": 600, "tree_depth": 0}]
    assert finite(rows(db, "SELECT * FROM f_nodes"))
    grow_bare(db, "whole", dependent, num_trees=1, sampling="none", max_tree_depth=0)
    told = "SELECT DISTINCT risk::float8, impurity::float8, prediction::text::float8 FROM {}_nodes"
    if dependent == "c":
        told = told.replace(", prediction::text::float8", "")
    (whole,), (empty,) = rows(db, told.format("whole")), rows(db, told.format("f"))
    assert empty == pytest.approx(whole, rel=1e-12)
    assert empty["risk"] > 0
    assert finite(rows(db, "SELECT * FROM madtree.tree_evaluate('f', 'test')"))


def test_tables_without_usable_rows_are_refused_in_a_sentence(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE none AS SELECT * FROM t WHERE false; CREATE TABLE nulls AS SELECT * FROM t")
    db.execute("UPDATE nulls SET c = NULL, v = NULL")
    for source in ("none", "nulls"):
        for dependent in ("c", "v"):
            for more in ({}, {"grouping_cols": "g"}):
                with pytest.raises(psycopg.Error, match=f"madtree: training_table_name: {source} has no "):
                    grow_bare(db, "f", dependent, source=source, **more)
    with pytest.raises(psycopg.Error, match="madtree: training_table_name: none has no row"):
        db.execute("SELECT madtree.tree_train('none', 'm', 'id', 'c', 'x')")
    with pytest.raises(psycopg.Error, match=r"t has no usable row: c is NULL, or \(0\) is NULL or 0, in each of"):
        grow_bare(db, "f", "c", weights="0")
    grow_bare(db, "f", "c", num_trees=2)
    assert score(db, "f", "prob", "none") == []
    assert {row["n"] for row in rows(db, "SELECT * FROM madtree.tree_confusion('f', 'none')")} == {0}


def test_what_does_not_vary_says_nothing(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE same AS SELECT *, 1 AS k1, 'a'::text AS k2, NULL::float8 AS n1, 'only' AS one FROM t")
    grow_bare(db, "f", "one", source="same", features="x, k1, k2, n1", num_trees=3, importance=True)
    assert {row["estimated_prob_only"] for row in score(db, "f", "prob_mean", "same")} == {1.0}
    (group,) = rows(db, "SELECT oob_error, oob_score, impurity_var_importance AS worth FROM f_group")
    assert group == {"oob_error": 0, "oob_score": 1, "worth": [0, 0, 0, 0]}
    grow_bare(db, "f", "v", source="same", features="k1, k2, n1", num_trees=3, replace=True)
    (group,) = rows(db, "SELECT oob_error, oob_score FROM f_group")
    assert group["oob_score"] <= 0
    assert rows(db, "SELECT DISTINCT n_leaves AS n FROM f") == [{"n": 1}]
    # All of these are missing in some rows, and one in all.
    grow_bare(db, "f", "c", source="same", features="n1, x, k1", null_handling_params="max_surrogates=3", replace=True,
         num_trees=3)  # fmt: skip
    assert finite(rows(db, "SELECT * FROM madtree.tree_evaluate('f', 'same')"))


IDS = {
    "doubles": "id / 7",
    "text": "'row ' || id",
    "uuid": "md5(id::text)::uuid",
    "large": "id * 10000000000::bigint",
    "negative": "-id::bigint",
    "decimals": "id::numeric / 3",
    "moments": "timestamptz 'epoch' + id * interval '1 s'",
    "nothing": "CASE WHEN id % 2 = 0 THEN id END",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", IDS)
def test_rows_are_drawn_by_ids_of_any_type(db: psycopg.Connection, kind: str) -> None:
    db.execute(f"CREATE TABLE other AS SELECT {IDS[kind]} AS id, id AS number, x, y, c FROM t".encode())
    grow_bare(db, "f", "c", "x, y", "other", num_trees=3, importance=True)
    db.execute("CREATE TABLE shuffled AS SELECT * FROM other ORDER BY md5(number::text)")
    grow_bare(db, "s", "c", "x, y", "shuffled", num_trees=3, importance=True)
    assert rows(db, "SELECT * FROM f_nodes ORDER BY 1, 2") == rows(db, "SELECT * FROM s_nodes ORDER BY 1, 2")
    assert rows(db, "SELECT * FROM f_group") == rows(db, "SELECT * FROM s_group")  # its importances, too
    (group,) = rows(db, "SELECT oob_error, n_trees FROM f_group")
    assert 0.1 < group["oob_error"] < 0.4
    in_bag = [row["n_rows"] for row in rows(db, "SELECT n_rows FROM f")]
    assert len(set(in_bag)) == 3
    assert all(450 < n < 750 for n in in_bag) or kind in ("doubles", "nothing")  # rows of one id, or none, go together
    db.execute("SELECT madtree.forest_predict('f', 'other', 'scored')")
    assert rows(db, "SELECT count(*) AS n FROM scored WHERE estimated_c IS NOT NULL") == [{"n": 600}]


@pytest.mark.parametrize(
    ("one", "other"), [("id", "-1 - id"), ("(id % 20::bigint << 32) + id / 20", "(id / 20::bigint << 32) + id % 20")]
)
def test_ids_that_look_alike_are_drawn_apart(db: psycopg.Connection, one: str, other: str) -> None:
    """Negative ones, and such that pack two numbers: of two rows as often both are in the bag as chance has it."""
    db.execute(
        "CREATE TABLE pairs AS SELECT number, (CASE side WHEN 0 THEN first ELSE second END)::bigint AS id, x, y, c "
        f"FROM (SELECT id AS number, {one} AS first, {other} AS second, x, y, c FROM t WHERE id / 20 > id % 20) AS t, "  # type: ignore[arg-type]
        "generate_series(0, 1) AS side"
    )
    grow_bare(db, "f", "c", "x, y", "pairs", num_trees=1, oob_predictions=True, importance=False)
    (both,) = rows(
        db,
        "SELECT count(*) AS n, (avg((found[1] = found[2])::int))::float8 AS share FROM "
        "(SELECT number, array_agg(n_oob_trees) AS found FROM pairs JOIN f_oob USING (id) GROUP BY number) AS f",
    )
    in_bag = 1 - math.exp(-1)
    assert both["n"] > 350
    assert both["share"] == pytest.approx(in_bag**2 + (1 - in_bag) ** 2, abs=0.1)


def test_rows_of_weight_0_are_not_there(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE half AS SELECT * FROM t WHERE x > 0")
    grow_bare(db, "f", "c", weights="CASE WHEN x > 0 THEN 1 ELSE 0 END", num_trees=3)
    grow_bare(db, "h", "c", source="half", num_trees=3)
    found, expected = (
        rows(db, f"SELECT tree_id, node_id, n_rows, threshold, class_weights FROM {m}_nodes ORDER BY 1, 2")
        for m in ("f", "h")
    )
    assert found == expected


def test_many_trees_of_few_rows(db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE few AS SELECT * FROM t WHERE id <= 12")
    grow_bare(db, "f", "c", source="few", num_trees=700)
    shares = score(db, "f", "prob", "few")
    assert all(abs(sum(list(row.values())[1:]) - 1) < 1e-12 for row in shares)
    assert {len(row["node_ids"]) for row in score(db, "f", "leaf", "few")} == {700}
    assert len(rows(db, "SELECT DISTINCT tree_id FROM madtree.tree_path('f', 'few', '5')")) == 700


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("num_trees => 100001", "num_trees must be from 1 to 100000, not 100001"),
        ("max_tree_depth => -1", "max_tree_depth must be from 0 to 60, not -1"),
        ("num_splits => 1", "num_splits must be 0 .every threshold. or 2 to 65000, not 1"),
        ("num_splits => -5", "num_splits must be 0 .every threshold. or 2 to 65000, not -5"),
        ("null_handling_params => 'max_surrogate=1'", "null_handling_params"),
        ("sample_ratio => 'NaN'", "sample_ratio must be above 0 and at most 1, not nan"),
        ("num_random_features => 6", "num_random_features must be from 1 to 5, not 6"),
        ("num_permutations => 0", "num_permutations must be from 1 to 1000, not 0"),
        ("split_criterion => 'poisson'", "split_criterion poisson is for regression"),
        ("weights => '-1'", "weights: .-1. is negative in 600 rows"),
    ],
)
def test_an_argument_out_of_range_is_called_by_its_name(db: psycopg.Connection, more: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match=f"madtree: {message}"):
        db.execute(f"SELECT madtree.forest_train('t', 'f', 'id', 'c', 'x, y, z, k, h', {more})".encode())


def test_a_group_cannot_be_called_like_a_column_of_a_forests_tables(db: psycopg.Connection) -> None:
    for name in ("gid", "sample_id", "oob_error", "n_trees"):
        with pytest.raises(psycopg.Error, match=f"madtree: grouping_cols: .{name}. is also the name") as refused:
            grow_bare(db, "f", "c", "x", grouping_cols=f"g AS {name}")
        assert refused.value.diag.message_hint == "Give it another one: g AS name."


def test_a_tree_replaces_a_forest_with_all_its_tables_and_the_other_way_round(db: psycopg.Connection) -> None:
    tables = "SELECT relname AS name FROM pg_class WHERE relname ~ '^m(_|$)' AND relkind = 'r' AND " \
        "relnamespace = current_schema::regnamespace ORDER BY 1"  # fmt: skip
    for _ in range(2):
        grow_bare(db, "m", "c", num_trees=2, replace=True)
        assert "m_group" in [row["name"] for row in rows(db, tables)]
        db.execute("SELECT madtree.tree_train('t', 'm', 'id', 'c', 'x', replace => true)")
        assert [row["name"] for row in rows(db, tables)] == ["m", "m_nodes", "m_statistics", "m_summary"]


def test_a_canceled_training_leaves_nothing(db: psycopg.Connection) -> None:
    db.execute("SET statement_timeout = '300ms'")
    with pytest.raises(psycopg.errors.QueryCanceled):
        grow_bare(db, "f", "v", num_trees=20_000)
    db.execute("RESET statement_timeout")
    assert rows(db, "SELECT to_regclass('f') AS f") == [{"f": None}]


@pytest.mark.parametrize(("grouping", "where"), [(None, ""), ("g", " in 3 of 3 groups")])
def test_a_notice_tells_of_ids_that_do_not_tell_rows_apart(
    db: psycopg.Connection, grouping: str | None, where: str
) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda diagnostic: told.append(str(diagnostic.message_primary)))
    db.execute("ALTER TABLE t ADD one int DEFAULT 1")
    for id_ in ("one", "id"):
        db.execute(
            "SELECT madtree.forest_train('t', %s, %s, 'c', 'x, y', num_trees => 3, grouping_cols => %s)",
            [f"by_{id_}", id_, grouping],
        )
    assert told[0].startswith("id_col_name: one does not tell rows of t apart: 600 rows have 1 distinct value;")
    assert told[1:] == [
        "id_col_name: rows with the same one are drawn together, so that each tree has all rows or "
        f"none{where}, and there is no out-of-bag error; name a column that tells rows apart"
    ]


def test_small_samples_are_no_sign_of_ids_that_repeat(db: psycopg.Connection) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda diagnostic: told.append(str(diagnostic.message_primary)))
    db.execute("SELECT madtree.forest_train('t', 'few', 'id', 'c', 'x, y', num_trees => 2, sample_ratio => 0.0001)")
    assert not [each for each in told if "drawn together" in each]


@pytest.mark.parametrize(("n_classes", "n_trees"), [(300, 3), (2, 255)])
def test_as_many_classes_and_votes_as_one_byte_does_not_hold(
    db: psycopg.Connection, n_classes: int, n_trees: int
) -> None:
    """The class that most trees vote for, by the leaf that each tree sends a row to."""
    db.execute(
        "CREATE TABLE many AS SELECT i AS id, i::float8 AS x, i * 7 %% 600 AS y, i %% %s AS c "
        "FROM generate_series(1, 600) AS i",
        [n_classes],
    )
    grow_bare(db, "m", "c", "x, y", "many", num_trees=n_trees, max_tree_depth=9, oob_predictions=True)
    response = [row["estimated_c"] for row in score(db, "m", "response", "many")]
    prob = [list(row.values())[1:] for row in score(db, "m", "prob", "many")]
    of_leaf = {(row["tree_id"], row["node_id"]): row["prediction"] for row in rows(db, "SELECT * FROM m_nodes")}
    for leaves, predicted, shares in zip(score(db, "m", "leaf", "many"), response, prob, strict=True):
        votes = [of_leaf[tree, leaf] for tree, leaf in enumerate(list(leaves.values())[1], 1)]
        counts = [votes.count(k) for k in range(n_classes)]
        assert predicted == counts.index(max(counts))
        assert shares == [count / n_trees for count in counts]
    (mean,) = rows(db, "SELECT avg(n_oob_trees)::float8 AS n_trees FROM m_oob")
    assert mean["n_trees"] == pytest.approx(n_trees * math.exp(-1), rel=0.1)


def test_it_tells_of_groups_without_trees(db: psycopg.Connection) -> None:
    db.execute("UPDATE t SET c = NULL WHERE g = (SELECT min(g) FROM t)")
    assert " 4 trees, 1 group without any, " in grow_bare(db, "m", "c", grouping_cols="g", num_trees=2)
    assert rows(db, "SELECT num_failed_groups AS n FROM m_summary") == [{"n": 1}]
    single = "SELECT madtree.tree_train('t', 's', 'id', 'c', 'x, y', grouping_cols => 'g') AS said"
    assert " 2 trees, 1 group without any, " in rows(db, single)[0]["said"]


def test_a_notice_tells_of_a_class_for_each_row(db: psycopg.Connection) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda diagnostic: told.append(str(diagnostic.message_primary)))
    db.execute("CREATE TABLE named AS SELECT id, x, y, 'name ' || id AS name, c FROM t WHERE id <= 100")
    n = rows(db, "SELECT count(*) AS n FROM named")[0]["n"]
    for dependent in ("c", "name"):
        grow_bare(db, f"by_{dependent}", dependent, "x, y", "named", num_trees=1, max_tree_depth=2)
    assert told == [
        f"dependent_variable: name has {n} distinct values in {n} rows, and each is taken as a class: what names "
        "single rows cannot be learnt"
    ]


def test_a_tree_that_no_value_can_hold_ends_in_a_sentence() -> None:
    packed = replace(PackedNodes.none(), sizes=np.array([3, 2**30]))
    with pytest.raises(MadtreeError, match=r"nodes of 1,024 MB in all.*at most 1,023 MB") as caught:
        write_packed(ModelOutput(None, None), packed, SINGLE)  # type: ignore[arg-type]
    assert "max_tree_depth" in str(caught.value.hint)
