"""A client's objects read a model's tables as its functions do: nothing of another role's runs."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

import madtree

PARTS = ("f", "f_group", "f_packed", "f_nodes", "f_summary")
Read = Callable[[madtree.Client], object]


@pytest.fixture
def client(data: psycopg.Connection) -> madtree.Client:
    """A superuser's."""
    return madtree.connect(data, on_message=lambda line: None)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("part", "read"),
    [
        ("f_summary", lambda client: client.forest("f").summary),
        ("f", lambda client: client.forest("f").trees),
        ("f_group", lambda client: client.forest("f").oob_error),
        ("f_nodes", lambda client: client.model("f").nodes),
    ],
)
def test_a_view_in_the_place_of_a_forests_table_is_not_read(
    client: madtree.Client, user_db: psycopg.Connection, canary: Callable[[], set[str]], part: str, read: Read
) -> None:
    user_db.execute("SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2)")
    user_db.execute(f"GRANT SELECT ON {', '.join(PARTS)} TO PUBLIC")
    assert read(client) is not None
    user_db.execute(f"ALTER TABLE {part} RENAME TO real")
    user_db.execute(f"CREATE VIEW {part} AS SELECT * FROM real WHERE spring() = 1; GRANT SELECT ON {part} TO PUBLIC")
    canary()
    if part == "f_nodes":  # of a forest it is always a view, and anybody may have made it
        assert read(client) is not None
    else:
        with pytest.raises(madtree.MadtreeError, match=r"is not a madtree model|is damaged|has no table|is no forest"):
            read(client)
    assert canary() == set()


def test_another_roles_view_beside_a_model_of_ones_own_is_not_read(
    client: madtree.Client, user_db: psycopg.Connection, canary: Callable[[], set[str]]
) -> None:
    client.tree_train("data", "m", "id", "y", "x")
    user_db.execute("CREATE VIEW m_cv AS SELECT spring() AS cp; GRANT SELECT ON m_cv TO PUBLIC")
    canary()
    with pytest.raises(madtree.MadtreeError, match='m has no table "m_cv"'):
        client.model("m").cv  # noqa: B018
    assert canary() == set()


def test_of_groups_no_single_error_is_told(client: madtree.Client) -> None:
    client.forest_train("data", "f", "id", "y", "x", grouping_cols="g", num_trees=2)
    with pytest.raises(madtree.MadtreeError, match="f has 3 groups") as told:
        client.forest("f").oob_error  # noqa: B018
    assert told.value.hint == "The attribute groups has the error of each."
