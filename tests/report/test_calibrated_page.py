"""Pages of calibrated and refreshed models, and of those that an alias names, on rows that training has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

Show = Callable[..., Any]
MAKE = """
CREATE TABLE data AS SELECT i AS id, sin(i) AS wave, i * 7919 % 100 AS noise, i % 7 AS day,
    sin(i) + i % 7 / 5.0 + i * 31 % 11 / 9.0 > 0.9 AS late FROM generate_series(1, 600) AS i;
CREATE TABLE later AS SELECT * FROM data WHERE id > 400;
DELETE FROM data WHERE id > 400;
SELECT madtree.tree_train('data', 't', 'id', 'late', 'wave, noise, day', max_depth => 3);
SELECT madtree.forest_train('data', 'f', 'id', 'late', 'wave, noise, day', num_trees => 3);
SELECT madtree.boost_train('data', 'b', 'id', 'late', 'wave, noise, day', num_trees => 8, max_leaf_nodes => 4);
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("model", ["t", "f", "b"])
def test_a_calibrated_model_is_drawn(db: psycopg.Connection, show: Show, model: str, method: str) -> None:
    db.execute(MAKE)
    db.execute("SELECT madtree.calibrate(%s, 'later', 'c', %s), madtree.model_alias('champion', 'c')", [model, method])
    page = show("champion", data="later")
    assert page.locator("svg").count() >= 2


def test_a_refreshed_model_is_drawn(db: psycopg.Connection, show: Show) -> None:
    db.execute(MAKE)
    db.execute("SELECT madtree.tree_refresh('t', 'later', 'r')")
    assert show("r", data="later").locator("svg").count() >= 1
