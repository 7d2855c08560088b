"""The commands for a model that is in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
from terminal import Said

Command = Callable[..., Said]
Answer = Callable[..., Any]
TRAIN = ["--id", "id", "-y", "late", "-x", "hour, day, carrier"]


def test_a_model_is_calibrated_refreshed_and_held_against_new_rows(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    model, others = f"{schema}.t", f"{schema}.others"
    db.execute(f"CREATE TABLE {others} AS TABLE {points}")  # type: ignore[arg-type]
    assert madtree("train", points, model, *TRAIN).code == 0
    said = madtree("calibrate", model, others, f"{schema}.true", "--method", "sigmoid")
    assert said.code == 0
    assert said.out.startswith(f"calibrate: {model} calibrated (sigmoid) by ")
    refused = madtree("calibrate", model, others, f"{schema}.other", "--method", "platt")
    assert refused.code == 2
    assert "Invalid value for '--method': 'platt' is not one of 'isotonic', 'sigmoid'." in refused.err
    found = answer("refresh", model, others, f"{schema}.new")
    assert found["refreshed_from"] == model
    assert found["message"].endswith(f"into {schema}.new")
    assert madtree("drift", f"{schema}.new", others).code == 1  # a refreshed model has no statistics
    rows = answer("drift", model, others, "--training", points)
    assert {row["feature"] for row in rows} == {"hour", "day", "carrier", None}
    assert all(row["psi"] == 0 for row in rows)
    shown = madtree("drift", model, others).out
    assert "(leaves)" in shown
    assert shown.splitlines()[0].split()[:2] == ["feature", "psi"]
    levels = answer("evaluate", model, others, "--conformal", "0.5,0.8")
    assert [row["level"] for row in levels] == [0.5, 0.8]


def test_intervals_of_any_model(madtree: Command, answer: Answer, points: str, schema: str) -> None:
    model, out = f"{schema}.t", f"{schema}.o"
    assert madtree("train", points, model, *TRAIN).code == 0
    none = madtree("predict", model, points, out, "--type", "conformal")
    assert (none.code, none.err.splitlines()[0]) == (
        1,
        f"error: model: {model} has no quantiles, which type 'conformal' takes",
    )
    said = madtree("conformal", model, points, "--levels", "0.5,0.8")
    assert said.code == 0
    assert said.out.startswith("conformal_train: quantiles of levels 0.5, 0.8 by 400 rows")
    assert answer("predict", model, points, out, "--type", "conformal", "--level", "0.8")["type"] == "conformal"
    said = madtree("conformal", model, points, "--json")
    assert json.loads(said.out)["levels"] == "0.8,0.9,0.95"
    assert "it has seen these rows" in said.err  # of its own training
    assert madtree("conformal", model).code == 1


def test_a_model_gets_a_second_name(madtree: Command, answer: Answer, points: str, schema: str) -> None:
    model, alias = f"{schema}.t", f"{schema}.champion"
    assert madtree("train", points, model, *TRAIN).code == 0
    assert madtree("alias", alias, model).out == f'model_alias: {alias} is "t"\n'
    assert madtree("show", alias).code == 0
    assert madtree("drop", alias).code == 1
    assert madtree("alias", alias).code == 2
    assert madtree("alias", alias, model, "--remove").code == 2
    assert answer("alias", alias, "--remove")["message"] == f'model_alias: {alias} removed, and was "t"'
    assert madtree("show", alias).code == 1
