"""Lists of categories are counted before they are fetched: compressed they may be a thousandth of what they take."""

from __future__ import annotations

import psycopg
import pytest
from shares import share

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.trees import MOST_STORED

MADE = """
CREATE TABLE data AS SELECT i AS id, 'c' || i AS k, 'c' || i % 10 AS few, (i * 7919 % 1009)::float8 AS y
FROM generate_series(1, 1000) AS i
"""
TRAINED = {
    "m": "SELECT tree_train('data', 'm', 'id', 'y', 'k', max_depth => 12, min_split => 2, min_bucket => 1)",
    "b": "SELECT boost_train('data', 'b', 'id', 'y', 'few', num_trees => 250, max_leaf_nodes => 4)",
}
# No split names more than it may, of a tree's three; NULL takes a bit.
LONG, OF_A_TREE = 60_000, 180_000
DAMAGE = {
    "m": f"UPDATE m_nodes SET left_levels = array_fill(NULL::text, ARRAY[{LONG}]) WHERE left_levels IS NOT NULL",
    "b": f"UPDATE b_packed SET category_sets = array_fill(NULL::text, ARRAY[{OF_A_TREE}])",
}
CALLS = {"m": ("tree_predict", "tree_evaluate", "tree_shap", "tree_to_json"),
         "b": ("tree_shap", "tree_to_json")}  # fmt: skip


def by_the_extension(db: psycopg.Connection, function: str, given: list[str]) -> None:
    db.execute(f"SELECT * FROM madtree.{function}({', '.join(['%s'] * len(given))})".encode(), given)


def by_the_client(db: psycopg.Connection, function: str, given: list[str]) -> None:
    call(PsycopgHost(db), function, given)


ENGINES = [(by_the_extension, psycopg.errors.ProgramLimitExceeded), (by_the_client, MadtreeError)]


@pytest.mark.parametrize("model", DAMAGE)
def test_lists_that_are_longer_than_training_writes_them_are_not_read(db: psycopg.Connection, model: str) -> None:
    db.execute(MADE)
    db.execute(TRAINED[model].encode())
    db.execute(DAMAGE[model].encode())
    splits, length = {"m": ("m_nodes WHERE feature IS NOT NULL", LONG), "b": ("b_packed", OF_A_TREE)}[model]
    n_lists = db.execute(f"SELECT count(*) FROM {splits}".encode()).fetchone()
    assert n_lists
    assert n_lists[0] * length > MOST_STORED
    for turn, function in enumerate(CALLS[model]):
        given = [model, "data", "made"][: {"tree_to_json": 1, "tree_evaluate": 2}.get(function, 3)]
        for ask, error in share(ENGINES, 2, turn):
            with db.transaction(force_rollback=True), pytest.raises(error) as refused:
                ask(db, function, given)
            assert refused.value.sqlstate == "54000"
