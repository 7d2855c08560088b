"""`madtree tune`: the table of scores, and the best model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from terminal import Said

Command = Callable[..., Said]
Answer = Callable[..., Any]
GIVEN = ["--id", "id", "-y", "late", "-x", "hour, day, carrier"]


@pytest.mark.parametrize("method", ["tree", "forest", "boost"])
def test_settings_are_tried(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection, method: str
) -> None:
    output = f"{schema}.found"
    params = "max_depth=1,3" if method == "tree" else "num_trees=1,3"
    found = answer("tune", points, output, *GIVEN, "--method", method, "-p", params, "--folds", "3")
    assert (found["scores"], found["kind"], found["rows"]) == (output, "classification", 400)
    answer("predict", found["model"], points, f"{schema}.scored")
    assert db.execute("SELECT count(*) FROM scored").fetchone() == (400,)
    assert found["message"].startswith(f"{output}: 2 settings, 3 folds; best is setting ")
    assert db.execute("SELECT count(*), count(DISTINCT setting) FROM found").fetchone() == (6, 2)
    said = madtree("tune", points, output, *GIVEN, "--method", method, "-p", params, "--replace", "--verbose")
    assert (said.code, said.out.startswith(f"{output}: 2 settings, 5 folds; ")) == (0, True)
    assert "setting 2 of 2: tried" in said.err
    refused = madtree("tune", points, output, *GIVEN, "-p", "depth=3", "--replace")
    assert (refused.code, "params: the key 'depth' is unknown" in refused.err) == (1, True)
