"""What estimators and models refuse is told in the user's words: their table, frame and argument."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import madtree
from madtree.client.calls import as_argument

ESTIMATORS = [madtree.DecisionTreeClassifier, madtree.DecisionTreeRegressor, madtree.RandomForestClassifier]
FRAME = pd.DataFrame({"length": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", None, "red"]})


@pytest.fixture
def keyless(client: madtree.Client, flowers: None) -> str:
    client.query("ALTER TABLE flowers DROP CONSTRAINT flowers_pkey")
    return "flowers"


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize(
    ("y", "more", "said"),
    [
        ("knd", {}, "y: column knd does not exist in flowers"),
        ("kind", {"sample_weight": "wieght"}, "sample_weight: column wieght does not exist in flowers"),
    ],
)
def test_a_misspelt_column_of_a_table_is_told_by_the_arguments_name(
    client: madtree.Client, keyless: str, kind: Any, y: str, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(madtree.MadtreeError) as refused:
        kind(client).fit(keyless, y, **more)
    assert str(refused.value) == said
    assert str(refused.value.hint).startswith("Did you mean ")


def test_what_stands_in_for_a_table_or_a_frame_is_not_named(client: madtree.Client, keyless: str) -> None:
    with pytest.raises(madtree.MadtreeError, match=r"list_of_features: column lngth does not exist in flowers$"):
        madtree.RandomForestClassifier(client, list_of_features="lngth").fit(keyless, "kind")
    model = client.tree_train(keyless, "m", "id", "kind", "length, colour")
    with pytest.raises(madtree.CallError, match="new_data_table: the data frame lacks colour, which the model needs"):
        model.predict(FRAME[["length"]])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_name_is_no_target_of_a_frame(client: madtree.Client, kind: Any) -> None:
    with pytest.raises(ValueError, match="'kind' is a name, which only a table takes"):
        kind(client).fit(FRAME, "kind")


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("kind", [madtree.DecisionTreeClassifier, madtree.GradientBoostingClassifier])
def test_a_class_that_is_missing_is_told(client: madtree.Client, kind: Any, missing: object) -> None:
    with pytest.raises(ValueError, match="Input y contains NaN or None"):
        kind(client).fit(FRAME, pd.Series(["a", "b", missing, "a"], dtype=object))


def test_rows_that_are_no_table_are_told(client: madtree.Client) -> None:
    lazy = pl.DataFrame({"length": [1.0, 2.0]}).lazy()
    with pytest.raises(TypeError, match=r"a LazyFrame of polars' has no rows yet: give its collect\(\)"):
        madtree.DecisionTreeClassifier(client).fit(lazy, [0, 1])
    with pytest.raises(TypeError, match="training_table_name must be the name of a table, not DataFrame; an estimator"):
        client.tree_train(FRAME, "m", "id", "colour", "length")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="list_of_features must be SQL text or a list of names, not Index"):
        client.tree_train("flowers", "m", "id", "kind", FRAME.columns)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("argument", "value", "said"),
    [
        ("monotone", [1, 0], "monotone must be SQL text or a mapping of names to values"),
        ("feature_costs", np.ones(2), "feature_costs must be SQL text or a mapping of names to values, not ndarray"),
        ("boost_params", [0.1], "boost_params must be SQL text or a mapping of names to values"),
        ("grouping_cols", [1], "grouping_cols must be SQL text or a list of names"),
    ],
)
def test_what_may_stand_in_the_place_of_text_is_told(argument: str, value: object, said: str) -> None:
    with pytest.raises(TypeError) as error:
        as_argument(argument, value)
    assert str(error.value) == said


def test_two_columns_of_a_name_keep_their_values(client: madtree.Client) -> None:
    found = client.query("SELECT 1 AS a, 'x' AS a, 2.5 AS b")
    frame = found.to_pandas()
    assert (list(frame.columns), frame.iloc[0].tolist()[:2]) == (["a", "a", "b"], [1, "x"])
    assert client.query("SELECT 1 AS a WHERE false").to_pandas().columns.to_list() == ["a"]


WRONG: list[tuple[str, object, str]] = [
    ("max_depth", "deep", "max_depth must be a whole number, not 'deep'"),
    ("max_depth", 3.0, "max_depth must be a whole number, not 3.0"),
    ("max_depth", True, "max_depth must be a whole number, not True"),
    ("max_depth", 2**31, "max_depth must be a whole number below 2^31, not 2147483648"),
    ("min_impurity_decrease", "little", "min_impurity_decrease must be a number, not 'little'"),
    ("replace", 1, "replace must be true or false, not 1"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_a_value_of_another_type_is_told_with_its_argument(
    client: madtree.Client, flowers: None, name: str, value: object, said: str
) -> None:
    with pytest.raises(madtree.CallError) as refused:
        client.tree_train("flowers", "m", "id", "kind", "length", **{name: value})  # type: ignore[arg-type]
    assert str(refused.value) == f"madtree: {said}"


def test_numbers_of_numpy_are_numbers(client: madtree.Client) -> None:
    """A grid that NumPy or SciPy has made holds such."""
    y = np.arange(4.0)
    for depth in (np.int64(1), np.int8(1)):
        assert madtree.DecisionTreeRegressor(client, max_depth=depth, min_samples_leaf=1).fit(FRAME, y).get_depth() == 1
    boosted = madtree.GradientBoostingRegressor(
        client, max_iter=1, max_leaf_nodes=np.int64(2), max_depth=np.int64(1), min_samples_leaf=np.int64(1)
    )
    assert len(np.unique(boosted.fit(FRAME, y).predict(FRAME))) == 2


def _python_reads(document: str) -> bool:
    try:
        json.loads(document)
    except RecursionError:
        return False
    return True


@pytest.mark.parametrize(
    "document",
    [
        "'1' || repeat('0', 5000)",
        pytest.param(
            "repeat('[', 3000) || repeat(']', 3000)",
            marks=pytest.mark.skipif(_python_reads("[" * 3000 + "]" * 3000), reason="Python reads it, from 3.14 on"),
        ),
    ],
)
def test_json_that_python_does_not_read_is_told(client: madtree.Client, document: str) -> None:
    with pytest.raises(madtree.CallError, match="a value of json or jsonb is more than Python reads") as refused:
        client.query(f"SELECT ({document})::jsonb")
    assert refused.value.sqlstate == "54000"
