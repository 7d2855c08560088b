"""What a training tells besides its result: many classes, features that give the answer away, trees cut to nothing."""

from __future__ import annotations

import psycopg
import pytest
from datasets import load_golf, load_iris, load_mtcars
from training import train


@pytest.fixture
def data(db: psycopg.Connection) -> psycopg.Connection:
    db.execute("""
        CREATE TABLE t AS SELECT i AS id, i % 577 AS delay, i % 90 AS ninety, i % 2 = 0 AS y, sin(i)::float8 AS z,
            i * 7919 % 1000 AS x, 'n' || i AS name, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS kind, i % 4 AS g
        FROM generate_series(1, 3000) AS i""")
    return db


def test_whole_numbers_that_are_hardly_classes(data: psycopg.Connection, notices: list[str]) -> None:
    assert "classification (577 classes), 3000 rows" in train(data, "t", "many", "delay", "z", max_depth=1)
    assert [line for line in notices if "577 distinct values are taken as classes" in line and "delay::float8" in line]
    notices.clear()
    assert "classification" in train(data, "t", "meant", "delay", "z", max_depth=1, classification=True)
    assert "regression" in train(data, "t", "number", "delay", "x", max_depth=1, classification=False)
    assert "classification" in train(data, "t", "few", "ninety", "z", max_depth=1)
    assert not [line for line in notices if "distinct values" in line]
    # more than one class for every ten rows, but so few rows that it says nothing
    data.execute("CREATE TABLE small AS SELECT *, row_number() OVER () AS n FROM t LIMIT 200")
    train(data, "small", "s", "n % 19", "z", max_depth=1)
    assert not [line for line in notices if "distinct values" in line]
    train(data, "small", "s2", "n % 30", "z", max_depth=1)
    assert [line for line in notices if "its 30 distinct values" in line and "(n % 30)::float8" in line]


def test_a_thousand_whole_numbers_are_a_mistake(data: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match=r"id is of type integer.*has more than 1,000 distinct values") as raised:
        train(data, "t", "m", "id", "z")
    assert "id::float8, or classification => false" in raised.value.diag.message_hint
    assert "classification => true" in raised.value.diag.message_hint
    assert "regression" in train(data, "t", "m", "id", "z", classification=False, max_depth=1)
    assert "classification" in train(data, "t", "c", "id % 1001", "z", classification=True, max_depth=1)
    assert "classification" in train(data, "t", "d", "x", "z", max_depth=1)  # just a thousand
    assert "regression" in train(data, "t", "e", "id::float8", "z", max_depth=1)


def test_a_number_may_be_classes(data: psycopg.Connection) -> None:
    train(data, "t", "m", "round(z::numeric)", "x", classification=True)
    assert data.execute("SELECT dependent_var_levels FROM m_summary").fetchone() == (["-1", "0", "1"],)
    data.execute("SELECT madtree.tree_predict('m', 't', 'scored')")
    metrics = dict(data.execute("SELECT metric, value FROM madtree.tree_evaluate('m', 't')").fetchall())
    right = "SELECT avg((estimated_round = round(z::numeric)::text)::int)::float8 FROM scored JOIN t USING (id)"
    assert data.execute(right).fetchone() == (pytest.approx(metrics["accuracy"]),)


def test_a_tree_that_pruning_cuts_down_says_so_once(data: psycopg.Connection, notices: list[str]) -> None:
    cut = {"pruning_params": "cp=0.5"}
    train(data, "t", "bare", "y", "z, x", **cut)
    (line,) = notices
    assert line.startswith("pruning left the tree with a single leaf")
    assert all(way in line for way in ("cp=-1", "weights", "split_criterion"))
    notices.clear()
    train(data, "t", "groups", "y", "z, x", grouping_cols="g % 2", **cut)
    assert not notices  # of a single class each: there was nothing to grow
    train(data, "t", "groups2", "y", "z, x", grouping_cols="kind", **cut)
    (line,) = notices
    assert line.startswith("pruning left 3 of 3 trees with a single leaf")
    notices.clear()
    data.execute("SELECT madtree.tree_predict('groups2', 't', 'odds', 'prob')")
    data.execute("SELECT madtree.tree_predict('bare', 't', 'odds2', 'prob_columns')")
    assert [line.split(" so all rows ")[0] for line in notices] == [
        "3 of 3 trees of groups2 have a single leaf,",
        "bare has a single leaf,",
    ]
    data.execute("SELECT madtree.tree_predict('bare', 't', 'classes')")
    assert len(notices) == 2
    notices.clear()
    train(data, "t", "low", "(x > 500) <> (id % 10 = 0)", "x, z", pruning_params="cp=0.1")
    (line,) = notices
    assert line.startswith("pruning left the tree with less than half of the depth to which it had grown")
    notices.clear()
    train(data, "t", "asked", "y", "z, x", max_depth=0)
    train(data, "t", "whole", "(x > 500) <> (id % 10 = 0)", "x, z", max_depth=1)
    assert not notices


def test_features_that_give_the_answer_away(data: psycopg.Connection, notices: list[str]) -> None:
    data.execute("ALTER TABLE t ADD late boolean GENERATED ALWAYS AS (delay > 300) STORED")
    train(data, "t", "m", "delay", "late, x, delay % 2, kind", classification=False, max_depth=2)
    (line,) = [line for line in notices if "computed from" in line]
    assert line.startswith("list_of_features: computed from delay, which is to be predicted: late, delay % 2;")
    notices.clear()
    train(data, "t", "p", "late", "x, delay, z")
    data.execute("CREATE VIEW codes AS SELECT *, upper(kind) AS code FROM t")
    train(data, "codes", "q", "kind", "z, code, x")
    train(data, "t", "r", "x::float8", "z, delay, x", grouping_cols="g")
    assert [line.split(";")[0] for line in notices] == [
        "list_of_features: delay alone predicts late almost perfectly",
        "list_of_features: code alone predicts kind almost perfectly",
        "list_of_features: x alone predicts x almost perfectly in 4 of 4 trees",
    ]
    notices.clear()
    train(data, "t", "ids", "y", "name, kind, x", max_depth=2)
    assert [line.split(";")[0] for line in notices if "categories" in line] == [
        "list_of_features: nearly as many categories as there are rows (3000): name (3000)"
    ]
    assert not [line for line in notices if "alone predicts" in line]  # so many categories part any rows


def test_usual_data_raise_no_doubts(db: psycopg.Connection, notices: list[str]) -> None:
    load_golf(db)
    load_iris(db)
    load_mtcars(db)
    train(db, "golf", "g", "class", '"OUTLOOK", temperature, windy', min_split=3, min_bucket=1)
    train(db, "iris", "i", "species", "*")
    train(db, "mtcars", "c", "mpg", "*", list_of_features_to_exclude="model", min_bucket=1)
    train(db, "mtcars", "k", "cyl", "mpg, disp, hp, wt", min_bucket=1)
    assert notices == []


def test_a_constant_outcome_is_told(data: psycopg.Connection, notices: list[str]) -> None:
    data.execute("ALTER TABLE t ADD same int DEFAULT 7")
    assert "classification (1 class), 3000 rows" in train(data, "t", "m", "same", "z")
    assert [line for line in notices if "same is '7' in all 3000 rows: there is nothing to learn" in line]
    notices.clear()
    train(data, "t", "n", "2.5::float8", "z")
    assert [line for line in notices if "is 2.5 in all 3000 rows: there is nothing to learn" in line]
    notices.clear()
    train(data, "t", "k", "y", "z", max_depth=1)
    assert not [line for line in notices if "nothing to learn" in line]


def test_a_tree_without_a_split_says_so(data: psycopg.Connection, notices: list[str]) -> None:
    train(data, "t", "m", "y", "x", min_bucket=2000)
    train(data, "t", "wanted", "y", "x", max_depth=0)
    (line,) = notices
    assert line.startswith("no split was made, so that all rows of a tree are predicted alike")
    notices.clear()
    data.execute("SELECT madtree.tree_predict('m', 't', 'out', 'prob')")
    train(data, "t", "one", "(true)", "x")
    data.execute("SELECT madtree.tree_predict('one', 't', 'of_one', 'prob')")
    of_m, of_one = notices  # none of predictions by a model that knows one class
    assert of_m.startswith("m has a single leaf, so all rows of the table get the same probabilities")
    assert of_one.endswith("there is nothing to learn, and every row will be predicted as that")


def test_boosted_models_without_a_split_say_so(data: psycopg.Connection, notices: list[str]) -> None:
    boost = "SELECT madtree.boost_train('t', 'm{0}', 'id', '{1}', 'x', num_trees => 2, min_bucket => 500{2})"
    by_group = ", grouping_cols => 'g'"  # of 750 rows each, in which the latter two outcomes are constant
    for number, outcome in enumerate(("ninety > 40", "z", "(NOT y)", "g::float8")):
        data.execute(boost.format(number, outcome, by_group))
    data.execute(boost.format("", "z", ""))
    assert len(notices) == 2
    assert all(line.endswith("alike: none lowers the loss within min_bucket and min_gain") for line in notices)


def test_boosting_that_diverges_says_so(data: psycopg.Connection, notices: list[str]) -> None:
    boost = (
        "SELECT madtree.boost_train('t', 'm{0}', 'id', 'z > 0', 'x', num_trees => 4, learning_rate => {1},"
        " boost_params => 'subsample=0.05')"
    )
    for number, rate in enumerate((1, 0.1)):
        data.execute(boost.format(number, rate))
    (line,) = notices
    assert line.startswith("the training loss is higher after the last round than after the first one; what may help")


def test_rounds_that_no_row_tells_when_to_stop(data: psycopg.Connection, notices: list[str]) -> None:
    for fraction in ("1e-9", "0.1"):
        held_out = f"validation_params => 'fraction={fraction}'"
        data.execute(f"SELECT madtree.boost_train('t', 'b{fraction[0]}', 'id', 'y', 'x', num_trees => 1, {held_out})")
    (line,) = notices
    assert line.startswith("validation_params: no row is held out")


def test_what_is_asked_for_in_vain(data: psycopg.Connection, notices: list[str]) -> None:
    train = "SELECT madtree.{0}_train('t', '{0}{1}', 'id', 'y', 'x', num_trees => 1, {2})"
    for importance in (False, True):
        more = f"importance => {importance}, num_permutations => 2"
        data.execute(train.format("forest", int(importance), more))
    for share in (0, 0.1):
        more = f"validation_params => 'fraction={share}, n_iter_no_change=2'"
        data.execute(train.format("boost", int(share > 0), more))
    assert [line.partition(" ")[0] for line in notices] == ["num_permutations:", "validation_params:"]


@pytest.mark.parametrize(("constant", "shown"), [("7", "7"), ("-(7)", "-7"), ("'red'", "red"), ("(true)", "true")])
def test_a_constant_that_is_written_alone_is_an_outcome(
    data: psycopg.Connection, notices: list[str], constant: str, shown: str
) -> None:
    """In GROUP BY, PostgreSQL would take 7 for the seventh column, and refuse 'red'."""
    assert "classification (1 class), 3000 rows" in train(data, "t", "m", constant, "z")
    assert [line for line in notices if f"is '{shown}' in all 3000 rows: there is nothing to learn" in line]


def test_an_error_on_out_of_bag_rows_says_of_what(data: psycopg.Connection) -> None:
    call = "SELECT madtree.forest_train('t', %s, 'id', %s, 'x', num_trees => 5, max_tree_depth => 3)"
    (said,) = data.execute(call, ["numbers", "z"]).fetchone() or ("",)
    (error,) = data.execute("SELECT oob_error FROM numbers_group").fetchone() or (0.0,)
    assert f"out-of-bag mean squared error {error:.4g} (its root {error**0.5:.4g}), " in said
    (said,) = data.execute(call, ["classes", "y"]).fetchone() or ("",)
    (error,) = data.execute("SELECT oob_error FROM classes_group").fetchone() or (0.0,)
    assert f", out-of-bag error {error:.4g}, " in said


def test_a_feature_that_gains_no_more_than_chance_is_named(db: psycopg.Connection, notices: list[str]) -> None:
    """One with as many categories whose outcomes differ is not."""
    db.execute("""
        CREATE TABLE t AS SELECT i AS id, 'p' || i * 7919 % 1009 AS plane, i % 24 AS hour,
            (hashtext(i::text) & 1023) / 1024.0 < 0.2 + i % 24 * 0.005 AS late,
            (hashtext(i::text) & 1023) / 1024.0 < 0.2 + (hashtext((i * 7919 % 1009)::text) & 15) * 0.04 AS old,
            (hashtext(i::text) & 1023) / 1024.0::float8 AS delay
        FROM generate_series(1, 30000) AS i""")

    def told(outcome: str, features: str, **more: object) -> list[str]:
        notices.clear()
        train(db, "t", "m", outcome, features, replace=True, **more)
        return [line for line in notices if "gain no more than chance" in line]

    (line,) = told("late", "plane, hour")
    assert "plane has 1009 categories, and its splits, " in line
    for criterion in ("entropy", "gini"):
        assert told("late", "plane, hour", split_criterion=criterion)
        assert not told("old", "plane, hour", split_criterion=criterion)
    assert told("delay", "plane, hour")
    assert not told("late", "hour")
    assert not told("late", "plane, hour", pruning_params="n_folds=5")
