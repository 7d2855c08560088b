"""The client as the engine: an ordinary user on a server that has neither the extension nor PL/Python."""

from __future__ import annotations

import re
from typing import Any

import pytest
from plain_database import left_over

import madtree
from madtree.client.calls import CallError


def test_a_database_without_the_extension_needs_none(plain: str) -> None:
    said: list[str] = []
    with madtree.connect(plain, on_message=said.append) as client:
        model = client.tree_train(
            "shop.visits", "mine.m", "id", "bought", "age, channel, member, scores", grouping_cols="region"
        )
        assert said[0] == "madtree: engine=client, since this database has no extension madtree"
        assert client.engine == "client"
        assert model.message is not None
        assert model.message.startswith("mine.m: classification, 900 rows, 5 trees, ")
        assert [row.model for row in client.models()] == ["mine.m"]
        assert left_over(plain) == ["mine.m", "mine.m_nodes", "mine.m_statistics", "mine.m_summary"]
        client.tree_drop("mine.m")
    assert left_over(plain) == []


def test_a_mistake_is_told_as_by_the_server_and_leaves_nothing(plain: str) -> None:
    with madtree.connect(plain, engine="client") as client:
        with pytest.raises(CallError, match=r"^madtree: list_of_features: column agee does not exist") as told:
            client.tree_train("shop.visits", "mine.m", "id", "bought", "agee")
        assert told.value.hint == "Did you mean age?"
        assert told.value.sqlstate == "42703"
        with pytest.raises(CallError, match="division by zero"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age / (id - 700), channel")
        with pytest.raises(CallError, match=r"^madtree: strategy: aggregate needs the extension madtree"):
            client.tree_train("shop.visits", "mine.m", "id", "bought", "age", strategy="aggregate")
        with pytest.raises(CallError, match='permission denied for schema "public"'):
            client.tree_train("shop.visits", "public.m", "id", "bought", "age")
    assert left_over(plain) == []


def test_forests(plain: str) -> None:
    with madtree.connect(plain) as client:
        forest = client.forest_train("shop.visits", "mine.f", "id", "bought", "age, channel", num_trees=3)
        assert len(forest.trees) == 3
        client.tree_drop("mine.f")
    assert left_over(plain) == []


def test_an_engine_that_is_none_is_refused(plain: str) -> None:
    with pytest.raises(ValueError, match="engine must be one of auto, extension, client, not 'server'"):
        madtree.connect(plain, engine="server")  # type: ignore[arg-type]


def test_the_extension_is_chosen_where_it_is(url: str) -> None:
    said: list[str] = []
    with madtree.connect(url, on_message=said.append) as client:
        assert len(client.models()) == 0
        assert client.engine == "extension"
        assert said == [f"madtree: engine=extension, version {madtree.__version__} in the server"]


STATE = """
    SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE is_holdable),
        (SELECT json_agg(s.name ORDER BY s.name) FROM pg_settings s WHERE s.source = 'session'),
        (SELECT count(*) FROM pg_class WHERE relpersistence = 't')
"""


def test_no_state_of_the_session_outlives_a_transaction(plain: str) -> None:
    """As a pooler asks that gives each transaction another session; and what is called again is not prepared."""
    with madtree.connect(plain, engine="client") as client:
        before = client.connection.execute(STATE).fetchone()
        for seed in range(6):
            client.tree_train(
                "shop.visits", "mine.m", "id", "bought", "age, channel", grouping_cols="region", seed=seed, replace=True
            )
        assert client.connection.execute(STATE).fetchone() == before
        client.tree_drop("mine.m")


OTHER_TYPES: list[tuple[str, object, str]] = [
    ("num_trees", 2.5, "num_trees must be a whole number, not 2.5"),
    ("num_trees", True, "num_trees must be a whole number, not True"),
    ("seed", 10**30, "seed must be a whole number below 2^63, not 10000"),
    ("num_trees", 2**31, "num_trees must be a whole number below 2^31, not 2147483648"),
    ("sample_ratio", "half", "sample_ratio must be a number, not 'half'"),
    ("replace", "perhaps", "replace must be true or false, not 'perhaps'"),
    ("id_col_name", 7, "id_col_name must be text, not 7"),
    ("id_col_name", "i\0d", "id_col_name must not have the character NUL in it"),
    ("dependent_variable", None, "dependent_variable must not be NULL"),
]


def test_a_value_of_another_type_is_refused_in_a_sentence(plain: str) -> None:
    given: dict[str, Any] = {
        "training_table_name": "shop.visits",
        "output_table_name": "mine.f",
        "id_col_name": "id",
        "dependent_variable": "bought",
        "list_of_features": "age",
    }
    with madtree.connect(plain, engine="client") as client:
        for name, value, problem in OTHER_TYPES:
            with pytest.raises(CallError, match=f"^madtree: {re.escape(problem)}"):
                client.forest_train(**{**given, name: value})
        with pytest.raises(CallError, match="tree_drop has no argument bogus"):
            client.call("tree_drop", bogus=1)
        with pytest.raises(CallError, match="tree_drop takes 1 argument, not 2"):
            client.call("tree_drop", "m", "n")
        with pytest.raises(CallError, match="tree_drop: model is given twice") as refused:
            client.call("tree_drop", "m", model="n")
        assert refused.value.sqlstate == "42883"


def test_a_text_is_read_as_the_number_that_it_is(plain: str) -> None:
    """As a literal is in SQL."""
    with madtree.connect(plain, engine="client") as client:
        forest = client.forest_train("shop.visits", "mine.f", "id", "bought", "age", num_trees="2", sample_ratio="0.5")  # type: ignore[arg-type]
        assert forest.summary["num_trees"] == 2
        assert forest.summary["sample_ratio"] == 0.5
