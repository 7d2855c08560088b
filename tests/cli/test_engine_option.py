"""The commands with --engine client, in a database without the extension."""

from __future__ import annotations

import json

from plain_database import left_over
from terminal import run

TRAINING = ["train", "shop.visits", "mine.m", "--id", "id", "-y", "bought", "-x", "age, channel, member"]
REMARK = "madtree: engine=client, since this database has no extension madtree"


def test_a_training_without_the_extension(plain: str) -> None:
    said = run(*TRAINING, "--dsn", plain)
    assert said.code == 0, said
    assert said.out.startswith("mine.m: classification, 900 rows, 1 tree, ")
    assert said.err.splitlines()[0] == REMARK
    listed = run("--engine", "client", "--dsn", plain, "models", "--json")
    assert listed.err == ""
    assert [(row["model"], row["n_rows"]) for row in json.loads(listed.out)] == [("mine.m", 900)]
    assert run("drop", "mine.m", "--dsn", plain, MADTREE_ENGINE="client").code == 0
    assert left_over(plain) == []


def test_a_mistake_is_said_in_one_sentence(plain: str) -> None:
    said = run(*TRAINING[:-2], "-x", "agee", "--dsn", plain)
    assert (said.code, said.out) == (1, "")
    told = said.err.splitlines()[1:]
    assert told == ["error: --features: column agee does not exist in shop.visits", "hint: Did you mean age?"]
    assert left_over(plain) == []


def test_the_extension_where_it_is_not_is_an_error(plain: str) -> None:
    said = run("--engine", "extension", *TRAINING, "--dsn", plain)
    assert said.code == 1
    assert "this database has no extension madtree" in said.err


def test_models_on_another_server_than_the_data(plain: str, other_database: str) -> None:
    """Commands that need no data find the models there, too; the private server's user may write there."""
    there = ["--model-dsn", other_database]
    training = [*TRAINING[:2], "m", *TRAINING[3:]]
    assert run(*there, *training, "--dsn", f"{plain} options='-c default_transaction_read_only=on'").code == 0
    assert run(*there, "predict", "m", "shop.visits", "scored", "--dsn", plain).out.startswith("tree_predict: 900 rows")
    measured = run("evaluate", "m", "shop.visits", "--json", "--dsn", plain, MADTREE_MODEL_DSN=other_database)
    assert measured.code == 0
    assert "could not be tried" not in run(*there, "report", "m", "--output", "-", "--dsn", plain).out
    assert "mine" not in "".join(left_over(plain))
    assert json.loads(run("--engine", "client", "models", "--json", "--dsn", other_database).out)[0]["name"] == "m"
    refused = run("--engine", "extension", *there, "show", "m", "--dsn", plain)
    assert refused.err.splitlines()[0] == "error: --model-dsn needs --engine client"
