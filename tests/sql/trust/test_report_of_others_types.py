"""The page of a model that is tried on a table whose columns have types of another role's: none of their casts runs."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from training import train

from madtree.report import build_report


@pytest.mark.parametrize(("theirs", "grouping"), [("w", None), ("x", None), ("g", "g")])
def test_figures_run_no_casts_of_the_columns_types(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    canary: Callable[[], set[str]],
    theirs: str,
    grouping: str | None,
) -> None:
    labels = ", ".join(f"'{number}'" for number in range(100))
    user_db.execute(f"CREATE TYPE size AS ENUM ({labels})".encode())
    user_db.execute(
        "CREATE FUNCTION to_number(size) RETURNS float8 LANGUAGE plpgsql IMMUTABLE "
        "AS $$ BEGIN PERFORM spring(); RETURN 1; END $$; "
        "CREATE CAST (size AS float8) WITH FUNCTION to_number(size) AS IMPLICIT"
    )
    columns = ", ".join(f"{name}::int::text::size AS {name}" if name == theirs else name for name in ("w", "x", "g"))
    user_db.execute(f"CREATE TABLE hers AS SELECT id, {columns} FROM data; GRANT SELECT ON hers TO PUBLIC".encode())
    train(data, "data", "m", "w", "x", grouping_cols=grouping)
    canary()
    try:
        page = build_report(data, "m", data="hers")
    except psycopg.Error:
        page = ""
    assert canary() == set()
    assert not page or "types that belong to another role" in page


def test_the_command_that_a_page_proposes_runs_nothing_of_a_models_name(data: psycopg.Connection) -> None:
    train(data, "data", '"m$(id) x"', "y", "x")
    page = build_report(data, '"m$(id) x"')
    assert r"""madtree report '\"m$(id) x\"' --data TABLE""" in page


@pytest.mark.parametrize("evaluate", [True, False])
def test_a_superusers_page_does_not_look_for_a_row_in_the_table_that_another_role_has_named(
    data: psycopg.Connection,
    user_db: psycopg.Connection,
    train_as: Callable[..., None],
    canary: Callable[[], set[str]],
    evaluate: bool,
) -> None:
    train_as("m")
    user_db.execute("CREATE VIEW named AS SELECT * FROM data WHERE spring() = 1; GRANT SELECT ON named TO PUBLIC")
    user_db.execute("UPDATE m_summary SET source_table = 'named'")
    page = build_report(data, "m", row=7, evaluate=evaluate)
    assert canary() == set()
    assert "name a table by --data" in page
