"""conformal_train and predictions by what it keeps: the same numbers as joining conformal_quantiles by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from forest_data import rows

import madtree
from madtree.host.psycopg import PsycopgHost
from madtree.request import Costs
from madtree.score import score_table

MAKE = """
CREATE TYPE size AS ENUM ('small', 'large', 'medium');
CREATE TABLE t AS SELECT i AS id, hashint4(i) / 4294967296.0::float8 AS x, hashint4(-i) / 4294967296.0::float8 AS z,
    (ARRAY['a', 'b', 'c'])[1 + i % 3] AS g, 1 + i % 4 AS span, 0.1 + i % 7 / 10.0 AS w
FROM generate_series(1, 3000) AS i;
ALTER TABLE t ADD y float8, ADD k size, ADD late boolean, ADD n int;
UPDATE t SET y = 3 * x + z * z + (1 + id % 3) * (hashint4(id + 7000) / 8589934592.0);
UPDATE t SET k = (ARRAY['large', 'medium', 'small'])[1 + width_bucket(y, -1, 2, 2) % 3]::size, late = y > 0.4,
    n = greatest(0, ceil(y * span))::int;
CREATE TABLE training AS SELECT * FROM t WHERE id <= 1000;
CREATE TABLE calibration AS SELECT * FROM t WHERE id > 1000 AND id <= 2000;
CREATE TABLE later AS SELECT * FROM t WHERE id > 2000;
INSERT INTO later (id, g) VALUES (9001, 'unheard of'), (9001, 'a'), (9002, NULL);
"""
FOREST, BOOST = "num_trees => 6, importance => false", "num_trees => 4"
# Training, the function that predicts, the outcome, and the type that quantiles are about.
MODELS: dict[str, tuple[str, str, str, str]] = {
    "tree": ("tree_train('training', 'm', 'id', 'y', 'x, z')", "tree_predict", "y", "response"),
    "tree of classes": ("tree_train('training', 'm', 'id', 'k', 'x, z')", "tree_predict", "k", "prob"),
    "tree of a boolean": ("tree_train('training', 'm', 'id', 'late', 'x, z')", "tree_predict", "late", "prob"),
    "forest": (f"forest_train('training', 'm', 'id', 'y', 'x, z', {FOREST})", "forest_predict", "y", "response"),
    "forest of classes": (
        f"forest_train('training', 'm', 'id', 'k', 'x, z', {FOREST})",
        "forest_predict",
        "k",
        "prob_mean",
    ),
    "boosted classes": (f"boost_train('training', 'm', 'id', 'k', 'x, z', {BOOST})", "boost_predict", "k", "prob"),
    "boosted": (f"boost_train('training', 'm', 'id', 'y', 'x, z', {BOOST})", "boost_predict", "y", "response"),
    "boosted boolean": (
        f"boost_train('training', 'm', 'id', 'late', 'x, z', {BOOST})",
        "boost_predict",
        "late",
        "prob",
    ),
}
CLASSES: dict[str, list[Any]] = {"k": ["small", "large", "medium"], "late": [False, True]}  # in order of the type


@pytest.fixture(scope="module")
def tables(shared_db: psycopg.Connection, shared_schema: str) -> str:
    """The schema of the tables, which tests read only."""
    shared_db.execute(MAKE)
    return shared_schema


@pytest.fixture
def db(db: psycopg.Connection, schema: str, tables: str) -> psycopg.Connection:
    db.execute(f"SET search_path = {schema}, {tables}, public, madtree".encode())
    return db


def train(db: psycopg.Connection, name: str, *, grouped: bool = False) -> None:
    training = MODELS[name][0]
    db.execute(
        (training[:-1] + ", grouping_cols => 'g')" if grouped else training).join(["SELECT madtree.", ""]).encode()
    )


def by_hand(db: psycopg.Connection, name: str, level: float, *, grouped: bool) -> list[tuple[Any, ...]]:
    """What follows from conformal_quantiles and a prediction of another type, in plain Python."""
    _, predict, outcome, type_ = MODELS[name]
    found = rows(db, f"SELECT * FROM madtree.conformal_quantiles('m', 'calibration', '{level}')")
    quantiles = {(row["group_values"] or {}).get("g"): row["quantile"] for row in found}
    db.execute(f"SELECT madtree.{predict}('m', 'later', 'said', '{type_}')".encode())
    said = rows(db, "SELECT s.*, l.g FROM said AS s JOIN (SELECT DISTINCT ON (id, g) id, g FROM later) AS l USING (id)")
    made: list[tuple[Any, ...]] = []
    for row in said:
        quantile = quantiles.get(row["g"] if grouped else None)
        if outcome == "y":
            number = row["estimated_y"]
            ends = [None, None] if number is None else [number - quantile, number + quantile]
            made.append((row["id"], number, *ends))
            continue
        shares = {each: row[f"estimated_prob_{str(each).lower()}"] for each in CLASSES[outcome]}
        known = [each for each, share in shares.items() if share is not None]
        made.append((row["id"], [each for each in known if 1 - shares[each] <= quantile] if known else None))
    return made


def predicted(db: psycopg.Connection, name: str, level: float, in_blocks: bool | None) -> list[tuple[Any, ...]]:
    _, predict, outcome, _ = MODELS[name]
    db.execute("DROP TABLE IF EXISTS o")
    given = {"level": level, "function": predict, "in_blocks": in_blocks}
    with db.transaction():
        score_table(PsycopgHost(db), "m", "later", "o", "conformal", costs=Costs(start=0.0, per_worker=0.0), **given)
    columns = (
        ("estimated_y", "estimated_y_low", "estimated_y_high") if outcome == "y" else (f"estimated_{outcome}_set",)
    )
    found = rows(db, "SELECT * FROM o")
    assert [*found[0]] == ["id", *columns]
    if outcome == "k":  # of a type that psycopg does not know
        found = rows(db, "SELECT id, estimated_k_set::text[] FROM o")
    return [tuple(row.values()) for row in found]


def in_order(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)


@pytest.mark.one_in(4)
@pytest.mark.in_turn
@pytest.mark.parametrize("grouped", [False, True], ids=["whole", "grouped"])
@pytest.mark.parametrize("name", MODELS)
def test_the_same_as_by_hand_in_whatever_way_rows_are_scored(db: psycopg.Connection, name: str, grouped: bool) -> None:
    train(db, name, grouped=grouped)
    left = "id <= 9000" if not grouped else "NOT (id = 9001 AND g = 'a')"
    db.execute(f"CREATE TABLE later AS SELECT * FROM later WHERE {left}".encode())
    db.execute("SELECT madtree.conformal_train('m', 'calibration', '0.8, 0.9')")
    told = rows(
        db, "SELECT tree_id, level, n, quantile FROM madtree.conformal_quantiles('m', 'calibration', '0.8, 0.9')"
    )
    assert rows(db, "SELECT * FROM m_conformal ORDER BY tree_id NULLS FIRST, level") == told
    for level in (0.8, 0.9):
        db.execute("DROP TABLE IF EXISTS said")
        expected = in_order(by_hand(db, name, level, grouped=grouped))
        ways = (True, False) if MODELS[name][1] == "tree_predict" else (None,)
        for in_blocks in ways:
            assert in_order(predicted(db, name, level, in_blocks)) == expected, in_blocks


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MODELS)
def test_as_many_new_rows_are_covered_as_the_level_says(db: psycopg.Connection, name: str) -> None:
    _, predict, outcome, _ = MODELS[name]
    db.execute("CREATE TABLE later AS SELECT * FROM later WHERE id <= 9000")
    train(db, name)
    db.execute("SELECT madtree.conformal_train('m', 'calibration')")
    is_covered = (
        "y BETWEEN estimated_y_low AND estimated_y_high"
        if outcome == "y"
        else f"{outcome} = ANY (estimated_{outcome}_set)"
    )
    for level in (0.8, 0.9, 0.95):
        db.execute(
            f"SELECT madtree.{predict}('m', 'later', 'o', 'conformal', level => {level}, replace => true)".encode()
        )
        (found,) = rows(db, f"SELECT avg(({is_covered})::int)::float8 AS share FROM o JOIN later USING (id)")
        assert found["share"] > level - 4 * (level * (1 - level) * 2 / 1000) ** 0.5


def test_the_row_that_a_quantile_is_of_is_covered(db: psycopg.Connection) -> None:
    """Though 1 - (1 - p) need not be p: of single trees whole leaves have the very probability."""
    db.execute("SELECT madtree.tree_train('training', 'm', 'id', 'k', 'x, z', weights => 'w', max_depth => 4)")
    shares = "0.05, 0.15, 0.25, 0.35, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99"
    db.execute(f"SELECT madtree.conformal_train('m', 'calibration', '{shares}')".encode())
    for in_blocks in (True, False):
        for level in map(float, shares.split(", ")):
            db.execute("DROP TABLE IF EXISTS o")
            with db.transaction():
                score_table(
                    PsycopgHost(db),
                    "m",
                    "calibration",
                    "o",
                    "conformal",
                    level=level,
                    function="tree_predict",
                    in_blocks=in_blocks,
                )
            (found,) = rows(
                db, "SELECT count(*) FILTER (WHERE k = ANY (estimated_k_set)) AS n FROM o JOIN t USING (id)"
            )
            assert found["n"] >= np.ceil(1001 * level - 1e-9), level


def test_a_forest_keeps_what_its_own_rows_say(db: psycopg.Connection) -> None:
    train(db, "forest")
    said = db.execute("SELECT madtree.conformal_train('m')").fetchone()
    told = rows(db, "SELECT n, quantile FROM madtree.conformal_quantiles('m', levels => '0.8, 0.9, 0.95')")
    n = told[0]["n"]
    assert said == (f"conformal_train: quantiles of levels 0.8, 0.9, 0.95 by {n} rows of training kept with m",)
    assert rows(db, "SELECT n, quantile FROM m_conformal ORDER BY level") == told


def test_a_group_with_few_rows_takes_the_quantile_of_all(db: psycopg.Connection) -> None:
    train(db, "boosted", grouped=True)
    db.execute("CREATE TABLE few AS SELECT * FROM calibration WHERE g > 'a' OR id < 1020")
    told: list[str] = []
    db.add_notice_handler(lambda said: told.append(str(said.message_primary)))
    db.execute("SELECT madtree.conformal_train('m', 'few', '0.9')")
    assert any("too few rows of 1 group" in each for each in told)
    db.execute("SELECT madtree.boost_predict('m', 'later', 'o', 'conformal')")
    found = rows(
        db,
        "SELECT DISTINCT g, round((estimated_y_high - estimated_y)::numeric, 9) AS width FROM o JOIN later USING (id) "
        "WHERE id < 9000 ORDER BY g",
    )
    kept = rows(
        db, "SELECT tree_id, round(quantile::numeric, 9) AS width FROM m_conformal ORDER BY tree_id NULLS FIRST"
    )
    assert kept[1]["width"] is None
    assert [row["width"] for row in found] == [kept[0]["width"], kept[2]["width"], kept[3]["width"]]


def test_it_is_made_anew_goes_with_the_model_and_is_not_copied(db: psycopg.Connection) -> None:
    train(db, "tree of a boolean")
    db.execute("SELECT madtree.conformal_train('m', 'calibration', '0.5')")
    db.execute("SELECT madtree.conformal_train('m', 'calibration', '0.6, 0.7')")
    assert [row["level"] for row in rows(db, "SELECT level FROM m_conformal ORDER BY level")] == [0.6, 0.7]
    db.execute(
        "SELECT madtree.tree_prune('m', 'p', 0.1), madtree.calibrate('m', 'calibration', 'c'), "
        "madtree.tree_refresh('m', 'calibration', 'r')"
    )
    (made,) = rows(
        db, "SELECT to_regclass('p_conformal') AS p, to_regclass('c_conformal') AS c, to_regclass('r_conformal') AS r"
    )
    assert made == {"p": None, "c": None, "r": None}
    assert '"m_conformal"' in str(db.execute("SELECT madtree.tree_drop('m')").fetchone())
    train(db, "boosted boolean")
    db.execute(
        "SELECT madtree.conformal_train('m', 'calibration', '0.5'), madtree.boost_cut('m', 'b', 2), "
        "madtree.calibrate('m', 'calibration', 'k')"
    )
    (made,) = rows(db, "SELECT to_regclass('b_conformal') AS b, to_regclass('k_conformal') AS k")
    assert made == {"b": None, "k": None}
    db.execute(
        "SELECT madtree.conformal_train('k', 'later', '0.5'), "
        "madtree.boost_predict('k', 'later', 'o', 'conformal', level => 0.5)"
    )
    train_again = "SELECT madtree." + MODELS["boosted"][0][:-1] + ", replace => true)"
    db.execute(train_again.encode())
    assert rows(db, "SELECT to_regclass('m_conformal') AS m") == [{"m": None}]


def test_an_alias_predicts_by_the_quantiles_of_its_model(db: psycopg.Connection) -> None:
    train(db, "tree")
    db.execute("SELECT madtree.model_alias('best', 'm'), madtree.conformal_train('best', 'calibration')")
    db.execute("SELECT madtree.tree_predict('best', 'later', 'o', 'conformal')")
    n = rows(db, "SELECT n FROM m_conformal")[0]["n"]
    said = db.execute("SELECT madtree.conformal_train('best', 'calibration', '0.9')").fetchone()
    assert said == (f"conformal_train: quantiles of level 0.9 by {n} rows of calibration kept with best",)
    assert rows(db, "SELECT to_regclass('m_conformal') IS NOT NULL AS kept") == [{"kept": True}]


@pytest.fixture(scope="module")
def models(shared_db: psycopg.Connection, tables: str) -> None:
    """The models m, n and rates, of which m has quantiles, and a table of few rows."""
    train(shared_db, "boosted")
    shared_db.execute(
        "SELECT madtree.conformal_train('m', 'calibration'), "
        "madtree.boost_train('training', 'n', 'id', 'y', 'x', num_trees => 1)"
    )
    more = "split_criterion => 'poisson', exposure => 'span', max_depth => 2"
    shared_db.execute(f"SELECT madtree.tree_train('training', 'rates', 'id', 'n', 'x', {more})".encode())
    shared_db.execute("CREATE TABLE fewer AS SELECT * FROM calibration LIMIT 18")


@pytest.mark.parametrize(
    ("call", "said", "hint"),
    [
        (
            "boost_predict('m', 'later', 'o', 'conformal', level => 0.7)",
            "level: m keeps quantiles of the levels 0.8, 0.9, 0.95, not of 0.7",
            "Keep it with the others: SELECT madtree.conformal_train('m', 'calibration_table', '0.7, 0.8, 0.9, 0.95').",
        ),
        ("boost_predict('m', 'later', 'o', 'conformal', level => 1)", "level must be a number above 0", None),
        ("boost_predict('m', 'later', 'o', 'conformal', level => NULL)", "level must be a number above 0", None),
        ("boost_predict('m', 'later', 'o', 'raw', level => 0.8)", "level is for the types 'conformal'", None),
        (
            "boost_predict('m', 'later', 'o', 'conformal', 3)",
            "num_trees: quantiles for type 'conformal' are those of all",
            "Leave it out.",
        ),
        (
            "boost_predict('n', 'later', 'o', 'conformal')",
            "model: n has no quantiles, which type 'conformal' takes",
            "Keep them, by a table of rows that training has not seen: SELECT madtree.conformal_train('n', "
            "'calibration_table', '0.9').",
        ),
        (
            "conformal_train('m', 'fewer', '0.5, 0.95')",
            "levels: 0.95 takes at least 19 rows, and fewer has 18",
            "Take a lower level",
        ),
        ("conformal_train('m')", "calibration_table must be the name of a table or view, not NULL", "Give a table"),
        ("conformal_train('m', 'calibration', '1')", "levels must be numbers between 0 and 1", None),
        ("conformal_train('rates', 'calibration')", "model: rates predicts rates, and how", "rate * exposure"),
        ("tree_sql('rates', 'conformal')", "type must be one of response, leaf for a regression model", None),
        ("boost_sql('m', 'conformal')", "type must be one of response, raw", None),
        (
            "boost_predict('m', 'later', 'o', 'interval')",
            "type must be one of response, raw, leaf, conformal",
            "Type 'conformal' has intervals, after madtree.conformal_train.",
        ),
    ],
)
def test_mistakes_are_told(db: psycopg.Connection, models: None, call: str, said: str, hint: str | None) -> None:
    before = rows(db, "SELECT * FROM m_conformal")
    with pytest.raises(psycopg.Error) as error:
        db.execute(f"SELECT madtree.{call}".encode())
    assert said in str(error.value)
    assert (hint or "") in str(error.value.diag.message_hint)
    assert rows(db, "SELECT * FROM m_conformal") == before
    assert rows(db, "SELECT to_regclass('o') AS o, to_regclass('rates_conformal') AS r") == [{"o": None, "r": None}]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM m_conformal WHERE tree_id IS NULL",
        "DELETE FROM m_conformal WHERE tree_id = 2",
        "INSERT INTO m_conformal SELECT * FROM m_conformal",
        "UPDATE m_conformal SET tree_id = 2147483647 WHERE tree_id = 3",
        "UPDATE m_conformal SET quantile = NULL WHERE tree_id IS NULL",
        "UPDATE m_conformal SET quantile = 'Infinity' WHERE tree_id = 1",
        "UPDATE m_conformal SET quantile = -1 WHERE tree_id = 1",
        "DELETE FROM m_conformal",
        "INSERT INTO m_conformal SELECT i, 0.9, 1, 1 FROM generate_series(4, 1200000) AS i",
    ],
)
def test_tables_that_somebody_has_changed(db: psycopg.Connection, damage: str) -> None:
    train(db, "tree", grouped=True)
    db.execute("SELECT madtree.conformal_train('m', 'calibration')")
    db.execute(damage.encode())
    with pytest.raises(psycopg.Error, match="m is damaged: its quantiles are none of its groups"):
        db.execute("SELECT madtree.tree_predict('m', 'later', 'o', 'conformal')")
    db.execute(
        "SELECT madtree.conformal_train('m', 'calibration'), madtree.tree_predict('m', 'later', 'o', 'conformal')"
    )


@pytest.mark.parametrize(("name", "grouped"), [("forest", True), ("boosted classes", True), ("tree", False)])
def test_workers_say_the_same(db: psycopg.Connection, name: str, grouped: bool) -> None:
    train(db, name, grouped=grouped)
    db.execute("SELECT madtree.conformal_train('m', 'calibration')")
    db.execute("CREATE TABLE later AS SELECT * FROM later WHERE id <= 9000")
    alone = {row[0]: row[1:] for row in predicted(db, name, 0.9, True)}
    db.execute("INSERT INTO later SELECT l.* FROM later AS l, generate_series(1, 60)")
    db.execute("ANALYZE later; SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0")
    together = predicted(db, name, 0.9, True)
    assert len(together) == 61_000
    assert all(alone[row[0]] == row[1:] for row in together)


def test_a_former_table_of_predictions_makes_way(db: psycopg.Connection) -> None:
    train(db, "tree of classes")
    db.execute("SELECT madtree.conformal_train('m', 'calibration'), madtree.tree_predict('m', 'later', 'o')")
    for type_ in ("conformal", "conformal", "prob", "conformal", "response"):
        db.execute(f"SELECT madtree.tree_predict('m', 'later', 'o', '{type_}', replace => true)".encode())


def test_python_calls_it_and_a_server_without_the_extension_says_the_same(db: psycopg.Connection) -> None:
    train(db, "forest of classes", grouped=True)
    client = madtree.connect(db, engine="client")
    assert "kept with m" in client.conformal_train("m", "calibration")
    kept = rows(db, "SELECT * FROM m_conformal ORDER BY tree_id NULLS FIRST, level")
    client.forest_predict("m", "later", "theirs", "conformal")
    db.execute(
        "SELECT madtree.conformal_train('m', 'calibration'), madtree.forest_predict('m', 'later', 'ours', 'conformal')"
    )
    assert rows(db, "SELECT * FROM m_conformal ORDER BY tree_id NULLS FIRST, level") == kept
    assert rows(db, "SELECT * FROM ours EXCEPT ALL SELECT * FROM theirs") == []
    assert rows(db, "SELECT count(*) AS n FROM theirs") == rows(db, "SELECT count(*) AS n FROM later")


@pytest.mark.one_in(2)
@pytest.mark.in_turn
@pytest.mark.parametrize("grouped", [False, True], ids=["whole", "grouped"])
@pytest.mark.parametrize("name", ["forest", "forest of classes", "boosted", "boosted classes"])
def test_data_frames_are_predicted_the_same(db: psycopg.Connection, name: str, grouped: bool) -> None:
    train(db, name, grouped=grouped)
    db.execute("DELETE FROM later WHERE id > 2300" + " OR g <> 'b'" * grouped)
    client = madtree.connect(db)
    model = (client.forest if "forest" in name else client.boosted)("m")
    assert "kept with m" in model.conformal_train("calibration", levels="0.8")
    data = rows(db, "SELECT x, z FROM later ORDER BY id")
    frame = {column: [row[column] for row in data] for column in ("x", "z")}
    found = model.predict(frame, type="conformal", level=0.8, gid=2 if grouped else None)
    expected = [row[1:] for row in sorted(predicted(db, name, 0.8, None))]
    if "classes" in name:
        found = [([c for c, is_in in zip(CLASSES["k"], row, strict=True) if is_in],) for row in found]
    assert [tuple(row) for row in found] == expected
    with pytest.raises(madtree.MadtreeError, match=r"m keeps quantiles of the levels 0\.8, not of 0\.9"):
        model.predict(frame, type="conformal", gid=2 if grouped else None)
