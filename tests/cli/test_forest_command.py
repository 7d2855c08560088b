"""`madtree forest`, and the commands that use a model, on a forest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from terminal import Said, Terminal

Command = Callable[..., Said]
Answer = Callable[..., Any]
TRAIN = ["--id", "id", "-y", "late", "-x", "hour, day, carrier"]


def summary_of(db: psycopg.Connection) -> dict[str, Any]:
    with db.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        row = cursor.execute("SELECT * FROM f_summary").fetchone()
    assert row
    return row


def test_a_forest_lives_its_whole_life(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    model, scored = f"{schema}.f", f"{schema}.scored"
    said = madtree("forest", points, model, *TRAIN, "--trees", "5")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{model}: forest for classification, 400 rows, 5 trees, ")
    (error,) = db.execute("SELECT oob_error FROM f_group").fetchone()  # type: ignore[misc]
    assert f" leaves, out-of-bag error {error:.4g}, " in said.out

    told = answer("predict", model, points, scored, "--type", "prob_mean")
    assert told["type"] == "prob_mean"
    row = db.execute("SELECT sum(estimated_prob_false + estimated_prob_true) FROM scored").fetchone()
    assert row == (pytest.approx(400),)

    found = answer("importance", model)
    assert found[0]["feature"] == "hour"
    assert {"oob_var_importance", "oob_importance_sd", "impurity_var_importance"} <= set(found[0])
    assert madtree("show", model, "--tree", "2").out.splitlines()[2].startswith(" (0)[")
    assert madtree("show", model, "--tree", "2", "--svg").out.startswith("<svg")
    assert "hour" in madtree("show", model, "--tree", "5", "--rules").out
    assert len(answer("show", model)["trees"]) == 5
    assert len(answer("show", model, "--tree", "2")["trees"]) == 1
    db.execute(f"CREATE TABLE {schema}.others AS TABLE {points}")  # type: ignore[arg-type]
    measured = {row["metric"]: row["value"] for row in answer("evaluate", model, f"{schema}.others")}
    assert madtree("evaluate", model, points).err.startswith(f"notice: {model} was trained on {points}: ")
    assert measured["n"] == 400
    assert measured["auc"] > 0.8
    refused = madtree("show", model)
    assert (refused.code, refused.err.splitlines()[0]) == (2, f"error: {model} is a forest of 5 trees")
    assert "--tree 1 shows one of them" in refused.err
    assert madtree("show", model, "--tree", "6").code == 1
    ((document,),) = db.execute("SELECT madtree.tree_to_json(%s, 2)::text", [model]).fetchall()
    assert madtree("export", model, "--format", "json", "--tree", "2").out.strip() == document.strip()
    assert "<MiningModel " in madtree("export", model, "--format", "pmml").out
    assert "<MiningModel " not in madtree("export", model, "--format", "pmml", "--tree", "2").out
    assert madtree("export", model, "--format", "pmml", "--tree", "6").code == 1
    ((whole,),) = db.execute("SELECT madtree.tree_sql(%s)", [model]).fetchall()
    assert madtree("export", model, "--format", "sql").out.strip() == whole.strip()
    assert madtree("export", model, "--format", "sql", "--tree", "1").out.startswith("CASE ")
    assert madtree("show", model, "--tree", "1", "--group", "carrier=UA").code == 2
    madtree("drop", model)
    assert db.execute("SELECT to_regclass('f'), to_regclass('f_group')").fetchone() == (None, None)


def test_every_option_arrives(madtree: Command, points: str, schema: str, db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE points ADD w float8 DEFAULT 2")
    options = (
        "--exclude speed,w --group-by carrier --weights w --criterion entropy --trees 3 --features-per-node 2 "
        "--split-rule random --max-depth 7 --min-split 9 --min-bucket 4 --bins 50 --sampling without_replacement "
        "--sample-ratio 0.5 --importance --permutations 2 --max-surrogates 2 --surrogate-style 1 --null-as-category "
        "--seed 7 --replace --strategy memory --workers 0 --memory-mb 32 --classification"
    )
    said = madtree("forest", points, f"{schema}.f", "--id", "id", "-y", "late", *options.split())
    assert said.code == 0, said.err
    wanted = {
        "features": ["hour", "day"], "grouping_columns": ["carrier"], "weights": "w", "split_criterion": "entropy",
        "split_rule": "random", "num_trees": 3, "num_random_features": 2, "max_tree_depth": 7, "min_split": 9,
        "min_bucket": 4,
        "num_splits": 50, "sampling": "without_replacement", "sample_ratio": 0.5, "importance": True,
        "num_permutations": 2, "max_surrogates": 2, "surrogate_style": 1, "null_as_category": True, "seed": 7,
    }  # fmt: skip
    summary = summary_of(db)
    assert {name: summary[name] for name in wanted} == wanted


def test_a_forest_of_numbers_says_between_what_they_lie(
    db: psycopg.Connection, madtree: Command, points: str, schema: str
) -> None:
    model, out = f"{schema}.f", f"{schema}.between_"
    said = madtree("forest", points, model, "--id", "id", "-y", "speed", "-x", "hour, day", "--trees", "9",
                   "--no-importance", "--min-bucket", "10", "--intervals")  # fmt: skip
    assert said.code == 0, said.err
    said = madtree("predict", model, points, out, "--type", "interval", "--level", "0.6")
    assert said.code == 0, said.err
    counted = f"SELECT count(*), bool_and(estimated_speed_low < estimated_speed_high) FROM {out}"
    assert db.execute(counted).fetchone() == (400, True)  # type: ignore[arg-type]
    wider = madtree("predict", model, points, out, "--type", "interval", "--level", "2", "--replace")
    assert "level must be a number above 0 and below 1, not 2.0" in wider.err


def test_a_tree_of_a_group_is_named_by_both(madtree: Command, answer: Answer, points: str, schema: str) -> None:
    model = f"{schema}.f"
    told = answer("forest", points, model, "--id", "id", "-y", "speed", "-x", "hour, day", "--group-by", "carrier",
                  "--trees", "2", "--no-importance")  # fmt: skip
    assert (told["kind"], told["rows"], told["trees"]) == ("regression", 400, 6)
    (tree,) = answer("show", model, "--group", "carrier=UA", "--tree", "2", "--rules")[0:1]
    assert tree["group_values"] == {"carrier": "UA"}
    assert "carrier = UA" in madtree("show", model, "--group", "UA", "--tree", "2").out
    assert madtree("show", model, "--group", "UA").code == 2
    assert "--tree must be from 1 to 2, not 3" in madtree("show", model, "--group", "UA", "--tree", "3").err
    # Nothing was permuted, so there is nothing to say of it to people.
    assert "oob" not in madtree("importance", model).out


def test_errors_have_the_codes_of_other_commands(madtree: Command, points: str, schema: str) -> None:
    assert madtree("forest", points, f"{schema}.f", *TRAIN, "--trees", "0").code == 2
    said = madtree("forest", points, f"{schema}.f", *TRAIN, "--sampling", "all")
    assert said.code == 2
    assert madtree("forest", points).code == 2


def test_the_bar_counts_trees(points: str, schema: str, dsn: str, db: psycopg.Connection) -> None:
    """Of a table whose trees come some at a time."""
    db.execute("CREATE TABLE large AS SELECT i AS id, sin(i) AS x, cos(i * 7.3) AS y, sin(i) + cos(i * 7.3) > 0 AS z "
               "FROM generate_series(1, 70000) AS i")  # fmt: skip
    words = ["forest", f"{schema}.large", f"{schema}.f", "--id", "id", "-y", "z", "--trees", "12", "--max-depth", "8",
             "--no-importance", "--dsn", dsn]  # fmt: skip
    terminal = Terminal(*words)
    assert terminal.end().code == 0
    trees = [int(number) for number in re.findall(r"growing: tree (\d+) of 12", terminal.plain)]
    assert trees == sorted(trees)
    assert trees
    assert not re.search(r"of 12.*level", terminal.plain.replace("\r", ""))
