"""Names of models and tables as the command line takes them: as SQL writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

NAMES = [
    """Ünï 模 "quotes"; it's DROP TABLE points -- %cent %s {x}""",
    "n" * 63,
    "-dash",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_lives_its_whole_life_under_an_odd_name(
    answer: Callable[..., Any], madtree: Callable[..., Any], points: str, schema: str, db: psycopg.Connection, name: str
) -> None:
    quoted = sql.Identifier(name).as_string(db)
    model, scored = f"{schema}.{quoted}", f"{schema}.{sql.Identifier('s ' + name[:60]).as_string(db)}"
    assert answer("train", points, model, "--id", "id", "-y", "late", "-x", "hour")["model"] == model
    answer("predict", model, points, scored)
    assert db.execute(f"SELECT count(*) FROM {scored}").fetchone() == (400,)
    (listed,) = [row for row in answer("models") if row["schema"] == schema]
    assert listed["name"] == name
    for command in (["show", listed["model"]], ["importance", listed["model"]], ["evaluate", listed["model"], points]):
        assert madtree(*command).code == 0
    assert madtree("export", listed["model"], "-f", "svg").out.startswith("<svg")
    answer("drop", model)
    assert [row for row in answer("models") if row["schema"] == schema] == []


def test_a_name_without_quotes_is_folded_and_one_with_them_is_not(
    madtree: Callable[..., Any], points: str, schema: str
) -> None:
    assert madtree("train", points, f"{schema}.Mixed", "--id", "id", "-y", "late", "-x", "hour").code == 0
    assert madtree("show", f'{schema}."mixed"').code == 0
    said = madtree("show", f'{schema}."Mixed"')
    assert said.code == 1
    assert "does not exist" in said.err


@pytest.mark.parametrize("bad", ["", "a.b.c.d", '"open', "two words", "x;y"])
def test_what_is_no_name_is_refused_with_a_sentence(madtree: Callable[..., Any], points: str, bad: str) -> None:
    said = madtree("show", bad)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("error: ")


def test_an_unknown_name_without_a_schema_is_looked_for_on_the_search_path(
    madtree: Callable[..., Any], points: str, schema: str
) -> None:
    path = {"PGOPTIONS": f"-c search_path={schema}"}
    assert madtree("train", "points", "m", "--id", "id", "-y", "late", "-x", "hour", **path).code == 0
    assert madtree("show", "m", **path).code == 0
    assert madtree("show", "m").code == 1
    empty = {"PGOPTIONS": "-c search_path="}
    (first, *_) = json.loads(madtree("evaluate", f"{schema}.m", points, "--json", **empty).out)
    assert (first["metric"], first["value"]) == ("n", 400)
    assert madtree("report", f"{schema}.m", "-o", "-", **empty).code == 0
