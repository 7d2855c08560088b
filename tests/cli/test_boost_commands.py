"""The commands that are about boosted models alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from terminal import Said

Command = Callable[..., Said]
Answer = Callable[..., Any]
TRAIN = ["--id", "id", "-y", "late", "-x", "hour, day, carrier"]


def test_a_model_is_cut(madtree: Command, answer: Answer, points: str, schema: str) -> None:
    model, short = f"{schema}.b", f"{schema}.short"
    assert madtree("boost", points, model, *TRAIN, "--trees", "5").code == 0
    said = madtree("cut", model, short, "--trees", "3")
    assert (said.code, said.out) == (0, f"boost_cut: {model} cut to 3 rounds into {short}: 3 of 5 trees\n")
    found = answer("cut", short, f"{short}er", "--trees", "1")
    assert found == {
        "model": f"{short}er",
        "cut_from": short,
        "num_trees": 1,
        "message": f"boost_cut: {short} cut to 1 round into {short}er: 1 of 3 trees",
    }
    refused = madtree("cut", model, short, "--trees", "6")
    assert (refused.code, refused.err.splitlines()[0]) == (
        1,
        f"error: --trees must be from 1 to 5, the rounds of {model}, not 6",
    )


def test_rounds_are_measured(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    model = f"{schema}.b"
    assert madtree("boost", points, model, *TRAIN, "--trees", "3").code == 0
    others = f"{schema}.others"
    db.execute(f"CREATE TABLE {others} AS TABLE {points}")  # type: ignore[arg-type]
    found = answer("evaluate", model, others, "--rounds")
    assert [row["num_trees"] for row in found] == [0, 1, 2, 3]
    assert found[3]["loss"] < found[0]["loss"]
    assert madtree("evaluate", model, others, "--rounds").out.splitlines()[0].split() == [
        "tree_id",
        "num_trees",
        "n",
        "loss",
        "metric",
        "value",
    ]
    refused = madtree("evaluate", model, points, "--rounds", "--curve")
    assert (refused.code, refused.err.splitlines()[0]) == (
        2,
        "error: choose one of --confusion, --curve, --reliability, --rounds and --conformal",
    )


def test_a_model_is_written_as_sql(madtree: Command, points: str, schema: str, db: psycopg.Connection) -> None:
    model = f"{schema}.b"
    assert madtree("boost", points, model, *TRAIN, "--trees", "3").code == 0
    said = madtree("export", model, "--format", "sql", "--type", "raw")
    (text,) = db.execute("SELECT madtree.boost_sql(%s, 'raw')", [model]).fetchone()  # type: ignore[misc]
    assert said.out.strip() == text
    elsewhere = madtree("export", model, "--format", "sql", "--type", "raw", "--dialect", "duckdb").out
    assert "::" not in elsewhere
    assert elsewhere.count("CASE") >= said.out.count("CASE") > 0
    refused = madtree("export", model, "--format", "json", "--dialect", "duckdb")
    assert (refused.code, "--dialect is for --format sql" in refused.err) == (2, True)
    one = madtree("export", model, "--format", "sql", "--tree", "2")
    (text,) = db.execute("SELECT madtree.tree_sql(%s, tree_id => 2)", [model]).fetchone()  # type: ignore[misc]
    assert one.out.strip() == text
