"""Mistakes in the arguments of tree_predict and tree_sql: one clear sentence, and nothing left behind."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from make_model import Sketch, inner, leaf, write_model
from psycopg.errors import InvalidParameterValue
from training import left_behind

from madtree.sqltext.relation import Column
from madtree.trees import Feature, FeatureKind

STUMP = {0: inner(0, "x", 1.5), 1: leaf(1, "no"), 2: leaf(2, "yes")}
MEANS = {0: inner(0, "x", 1.5), 1: leaf(1, 1.0, None), 2: leaf(2, 2.0, None)}
FEATURES = [
    Feature("x", "double precision", FeatureKind.CONTINUOUS),
    Feature('"Outlook"', "text", FeatureKind.UNORDERED),
    Feature("x + extra", "double precision", FeatureKind.CONTINUOUS),
]


QUOTE_IT = "Put a name with capitals, spaces or other special characters in double quotes."


def primary(error: psycopg.Error) -> str:
    """The sentence, which stands after madtree's name."""
    return str(error.diag.message_primary).removeprefix("madtree: ")


@pytest.fixture
def model(db: psycopg.Connection, schema: str) -> psycopg.Connection:
    """Models `m` and `regression`, and the new data `data`."""
    grouping = [Column("region", "region", "text")]
    write_model(db, schema, "m", Sketch(FEATURES, [STUMP], grouping=grouping, groups=[("a",)]))
    write_model(db, schema, "regression", Sketch(FEATURES, [MEANS], classes=[]))
    db.execute('CREATE TABLE data (id int, x float8, "Outlook" text, extra int, region text)')
    return db


@pytest.mark.parametrize(
    ("arguments", "sentence", "hint"),
    [
        ((None, "data", "out"), "tree_model must be the name of a model, not NULL", None),
        (("m", None, "out"), "new_data_table must be the name of a table or view, not NULL", None),
        (("m", "data", "out", None), "type must be one of response, prob, leaf, conformal, not None", None),
        (("m", "data", "out", "odds"), "type must be one of response, prob, leaf, conformal, not 'odds'", None),
        (
            ("regression", "data", "out", "prob"),
            "type must be one of response, leaf, conformal for a regression model, not 'prob'",
            None,
        ),
        (
            ("nothing", "data", "out"),
            "tree_model: relation nothing does not exist in the schemas of the search_path",
            None,
        ),
        (("no.thing", "data", "out"), 'tree_model: schema "no" of no.thing does not exist', None),
        (
            ("data", "data", "out"),
            'tree_model: data is not a madtree model: no table "data" or "data_nodes" or "data_summary" has a model\'s '
            "columns",
            "Give the output_table_name of a madtree.tree_train call.",
        ),
        (("m; drop", "data", "out"), "tree_model is not a valid relation name: 'm; drop'", QUOTE_IT),
        (
            ("m", "nothing", "out"),
            "new_data_table: relation nothing does not exist in the schemas of the search_path",
            None,
        ),
    ],
)
def test_mistakes_are_named(
    model: psycopg.Connection, arguments: tuple[Any, ...], sentence: str, hint: str | None
) -> None:
    before = left_behind(model)
    with pytest.raises(psycopg.Error) as caught:
        model.execute(f"SELECT madtree.tree_predict({', '.join(['%s'] * len(arguments))})", arguments)
    assert primary(caught.value).startswith(sentence)
    assert caught.value.diag.message_hint == hint
    assert left_behind(model) == before


def test_all_missing_columns_are_named_at_once(model: psycopg.Connection) -> None:
    model.execute("CREATE TABLE poor (x float8, outlook text)")
    with pytest.raises(psycopg.errors.UndefinedColumn) as caught:
        model.execute("SELECT madtree.tree_predict('m', 'poor', 'out')")
    assert primary(caught.value) == (
        'new_data_table: poor lacks id, "Outlook", x + extra, region, which the model needs'
    )


def test_a_type_that_cannot_be_compared(model: psycopg.Connection) -> None:
    model.execute('CREATE TABLE odd (id int, x point, "Outlook" text, extra int, region text)')
    with pytest.raises(psycopg.errors.UndefinedFunction, match=r"operator does not exist: point \+ integer"):
        model.execute("SELECT madtree.tree_predict('m', 'odd', 'out')")
    model.execute("CREATE TABLE lists AS SELECT g AS id, ARRAY[g] AS a, g > 9 AS y FROM generate_series(1, 20) g")
    model.execute("SELECT madtree.tree_train('lists', 'n', 'id', 'y', 'a'); ALTER TABLE lists ALTER a TYPE int USING 1")
    with pytest.raises(
        psycopg.errors.DatatypeMismatch, match=r"lists lacks \(a\)\[1\], which the model needs: cannot sub"
    ):
        model.execute("SELECT madtree.tree_predict('n', 'lists', 'out')")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("tree_predict('m', 'odd', 'out')", "new_data_table"),
        ("forest_predict('forest', 'odd', 'out')", "new_data_table"),
        ("tree_evaluate('m', 'odd')", "test_table"),
        ("tree_path('m', 'odd', '1')", "table_name"),
    ],
)
def test_types_without_a_cast_are_named_at_once(db: psycopg.Connection, call: str, argument: str) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i::float8 AS x, current_date + i AS d, i % 2 > 0 AS b, 'a' || i % 3 AS k, "
        "i > 20 AS y FROM generate_series(1, 40) AS i"
    )
    db.execute(
        "SELECT tree_train('t', 'm', 'id', 'y', 'x, d, b, k'), forest_train('t', 'forest', 'id', 'y', 'x, d, b, k')"
    )
    # Texts may be cast to a date, if they are some, and anything to a category.
    db.execute("CREATE TABLE odd AS SELECT id, ARRAY[x] AS x, d::text, point(x, x) AS b, x AS k, y FROM t")
    with pytest.raises(psycopg.errors.CannotCoerce) as caught:
        db.execute(f"SELECT {call}")
    assert primary(caught.value) == (
        f"{argument}: x of odd is of type double precision[], which cannot be cast to double precision, its type in "
        "training; b of odd is of type point, which cannot be cast to boolean, its type in training"
    )
    assert caught.value.diag.message_hint == (
        "Give it that type, or one that can be cast to it, for instance in a view."
    )
    assert "Traceback" not in (caught.value.diag.context or "")


@pytest.mark.in_turn
@pytest.mark.parametrize("model", ["m", "forest"])
@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("tree_predict(%s, 'texts', 'out')", "new_data_table"),
        ("tree_evaluate(%s, 'texts')", "test_table"),
        ("tree_confusion(%s, 'texts')", "test_table"),
        ("tree_path(%s, 'texts', '41')", "table_name"),
    ],
)
def test_a_value_that_cannot_be_cast_is_told_with_its_column(
    db: psycopg.Connection, call: str, argument: str, model: str
) -> None:
    if model == "forest":
        call = call.replace("tree_predict", "forest_predict")
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i::float8 AS x, -i AS z, i > 20 AS y FROM generate_series(1, 40) AS i"
    )
    db.execute("SELECT tree_train('t', 'm', 'id', 'y', 'x, z'), forest_train('t', 'forest', 'id', 'y', 'x, z')")
    db.execute("CREATE TABLE texts AS SELECT id, x::text, z, y FROM t; INSERT INTO texts VALUES (41, 'n/a', 1, true)")
    with pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught:
        db.execute(f"SELECT {call}", [model])
    assert primary(caught.value) == f'{argument}: invalid input syntax for type double precision: "n/a"'
    assert caught.value.diag.message_hint == (
        "Values of texts are cast to the types of the training table: x to double precision."
    )
    db.execute("UPDATE texts SET x = '7' WHERE id = 41")
    db.execute(f"SELECT {call}", [model])


def test_weights_that_a_summary_tells_are_looked_at_before_they_are_asked_for(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i::float8 AS x, i % 3 AS w, i > 20 AS y FROM generate_series(1, 40) i"
    )
    db.execute("SELECT tree_train('t', 'm', 'id', 'y', 'x', weights => 'w'); CREATE SEQUENCE asked")
    db.execute("UPDATE m_summary SET weights = 'w, nextval(''asked'')'")
    with pytest.raises(psycopg.Error, match=r"m is damaged: .* must be one column"):
        db.execute("SELECT tree_evaluate('m', 't')")
    assert db.execute("SELECT is_called FROM asked").fetchone() == (False,)


def test_a_tree_that_the_model_does_not_have(model: psycopg.Connection) -> None:
    with pytest.raises(InvalidParameterValue, match="tree_id must be one of m's trees, 0 to 0, not 7"):
        model.execute("SELECT madtree.tree_sql('m', tree_id => 7)")


def test_a_damaged_model_is_told(model: psycopg.Connection) -> None:
    model.execute("DELETE FROM m_nodes WHERE node_id = 2")
    with pytest.raises(InvalidParameterValue, match="m is damaged: the nodes of tree 0 are not a whole tree"):
        model.execute("SELECT madtree.tree_predict('m', 'data', 'out')")
    model.execute("TRUNCATE regression_summary")
    with pytest.raises(InvalidParameterValue, match="regression is damaged: its summary has 0 rows, not 1"):
        model.execute("SELECT madtree.tree_predict('regression', 'data', 'out')")


def test_a_models_expressions_cannot_end_the_statement(model: psycopg.Connection) -> None:
    model.execute("UPDATE m_summary SET features[1] = '1) FROM data; DROP TABLE data; --'")
    with pytest.raises(InvalidParameterValue, match="is damaged: a name in its summary"):
        model.execute("SELECT madtree.tree_predict('m', 'data', 'out')")
    assert model.execute("SELECT count(*) FROM data").fetchone() == (0,)


def test_help(db: psycopg.Connection) -> None:
    (text,) = db.execute("SELECT madtree.tree_predict('?')").fetchone()
    assert "new_data_table" in text
    assert "prob_columns" in text
