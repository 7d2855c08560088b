"""Names that are not there, or not written as they must be: what was probably meant."""

from __future__ import annotations

import psycopg
import pytest
from training import train

QUOTES = "A name with blanks, dots, capitals or other special characters must be in double quotes."
ADD_IDS = (
    "Where no column tells rows apart, add one: ALTER TABLE ... ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY."
)


@pytest.fixture
def houses(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        'CREATE TABLE houses AS SELECT g AS id, g AS "Lot Area", g AS "geo.city", g AS "Year", g AS "Price (USD)", '
        "g > 9 AS sold FROM generate_series(1, 30) AS g"
    )
    return db


def refused(db: psycopg.Connection, statement: str) -> tuple[str, str | None]:
    with pytest.raises(psycopg.Error) as caught:
        db.execute(statement)
    return str(caught.value.diag.message_primary).removeprefix("madtree: "), caught.value.diag.message_hint


def tree(table: str = "houses", id: str = "id", dependent: str = "sold", features: str = '"Year"') -> str:
    return f"SELECT madtree.tree_train('{table}', 'm', '{id}', '{dependent}', '{features}')"


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        (tree(features="Lot Area"), f'Did you mean "Lot Area"? {QUOTES}'),
        (tree(features="lot area, id"), f'Did you mean "Lot Area"? {QUOTES}'),
        (tree(dependent="Lot Area"), f'Did you mean "Lot Area"? {QUOTES}'),
        (tree(features="Price (USD)"), f'Did you mean "Price (USD)"? {QUOTES}'),
        (tree(features="geo.city"), f'Did you mean "geo.city"? {QUOTES}'),
        (tree(features="houses.cty"), 'Its columns are id, "Lot Area", "geo.city", "Year", "Price (USD)", sold.'),
        (tree(features="houses.sold"), "Write sold."),
        (tree(features="Year"), 'Did you mean "Year"? A name with capitals must be in double quotes.'),
        (tree(id="Lot Area"), f'Did you mean "Lot Area"? {QUOTES}'),
        (tree(id="row_number() OVER ()"), ADD_IDS),
        (tree(id="idd"), f"Did you mean id? {ADD_IDS}"),
        (tree(id="ctid"), f"Did you mean id? {ADD_IDS}"),
    ],
)
def test_columns(houses: psycopg.Connection, statement: str, hint: str) -> None:
    assert refused(houses, statement)[1] == hint


@pytest.mark.parametrize(
    "query", ["SELECT * FROM houses", "(select 1)", "with a as (select 1) select * from a", "TABLE houses"]
)
def test_a_query_in_the_place_of_a_table(houses: psycopg.Connection, query: str) -> None:
    assert refused(houses, tree(query)) == (
        f"training_table_name must be the name of a table or view, not a query: '{query}'",
        "Make a view of it, CREATE VIEW name AS ..., and give the view's name.",
    )


def test_a_table_of_another_schema(houses: psycopg.Connection, schema: str) -> None:
    houses.execute("SET search_path = pg_catalog")
    assert refused(houses, tree()) == (
        "training_table_name: relation houses does not exist in the schemas of the search_path",
        f'Did you mean "{schema}"."houses"?',
    )


def test_models_are_meant_by_models_and_tables_by_tables(houses: psycopg.Connection) -> None:
    train(houses, "houses", "house_tree", "sold", '"Year"')
    houses.execute("SELECT madtree.tree_predict('house_tree', 'houses', 'house_trees_said')")
    for call in ("tree_display('house_trees')", "tree_predict('house_trees', 'houses', 'o')"):
        assert refused(houses, f"SELECT madtree.{call}")[1] == 'Did you mean "house_tree"?'
    assert refused(houses, tree("house"))[1] == 'Did you mean "houses"?'
    assert refused(houses, tree("tree_summary"))[1] is None
