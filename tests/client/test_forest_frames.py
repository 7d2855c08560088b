"""Forests and data frames: predicted here as forest_predict does it there, and calibrated by frames and by their own
rows.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from forest_data import MAKE

import madtree

NAMES = ["x", "y", "z", "k", "h"]
TYPES = {"v": ["response", "interval"], "c": ["response", "prob", "prob_mean"]}


@pytest.fixture(autouse=True)
def _table(client: madtree.Client) -> None:
    client.connection.execute(MAKE.encode())
    client.connection.execute("INSERT INTO t (id, g, x, y, z, k, h) VALUES (700, 1, 'NaN', NULL, 5, 'new', 'Infinity')")
    client.connection.commit()


def read(client: madtree.Client, query: str) -> list[tuple[Any, ...]]:
    return client.connection.execute(query.encode()).fetchall()


def frame(client: madtree.Client, more: str = "", where: str = "true") -> pandas.DataFrame:
    columns = [*NAMES, *more.split()]
    found = read(client, f"SELECT {', '.join(columns)} FROM t WHERE {where} ORDER BY id")
    return pandas.DataFrame(found, columns=columns)


def there(client: madtree.Client, type_: str, level: float = 0.9) -> Any:
    """What the database says of the rows, by their ids."""
    client.connection.execute("DROP TABLE IF EXISTS scored")
    client.forest_predict("f", "t", "scored", type_, level=level)
    found = np.array([row[1:] for row in read(client, "SELECT * FROM scored ORDER BY id")])
    if type_ == "interval":
        return found
    return found[:, 0] if type_ == "response" else found.astype(float)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"null_handling_params": "max_surrogates=2"},
        {"weights": "z + 1", "null_handling_params": "null_as_category"},
    ],
    ids=["plain", "surrogates", "weights, NULL as a value"],
)
@pytest.mark.parametrize("outcome", TYPES)
def test_a_frame_is_predicted_to_the_bit(client: madtree.Client, outcome: str, more: dict[str, Any]) -> None:
    more = {name: value.replace("category", "category=true") for name, value in more.items()}
    own = {"intervals": True} if outcome == "v" else {}
    forest = client.forest_train("t", "f", "id", outcome, NAMES, num_trees=11, min_bucket=4, **own, **more)
    data = frame(client)
    for type_ in TYPES[outcome]:
        for level in (0.9, 0.5) if type_ == "interval" else (0.9,):
            expected = there(client, type_, level)
            for form in (data, polars.from_pandas(data)):
                found = forest.predict(form, type=type_, level=level)
                if type_ == "prob_mean" and "weights" in more:
                    np.testing.assert_allclose(found, expected, rtol=1e-14)
                else:
                    assert np.array_equal(found, expected)
    assert forest.predict(data[:0], type=TYPES[outcome][-1]).shape == (0, 3)


def test_one_group_of_several(client: madtree.Client) -> None:
    forest = client.forest_train(
        "t", "f", "id", "v", NAMES, grouping_cols="g", num_trees=5, intervals=True, min_bucket=4
    )
    expected = there(client, "interval")
    groups = np.array([g for (g,) in read(client, "SELECT g FROM t ORDER BY id")])
    for row in forest.groups:
        found = forest.predict(frame(client, where=f"g = {row.g}"), type="interval", gid=row.gid)
        assert np.array_equal(found, expected[groups == row.g])


def test_what_cannot_be_said_of_a_frame(client: madtree.Client) -> None:
    forest = client.forest_train("t", "f", "id", "v", NAMES, num_trees=3)
    data = frame(client)
    with pytest.raises(
        madtree.CallError, match="type must be one of response, interval, conformal for a frame, not 'leaf'"
    ):
        forest.predict(data, type="leaf")
    with pytest.raises(madtree.MadtreeError, match="f keeps no outcomes of its leaves"):
        forest.predict(data, type="interval")
    for level in (0, 1, float("nan")):
        with pytest.raises(madtree.CallError, match="level must be a number above 0 and below 1"):
            forest.predict(data, type="interval", level=level)
    with pytest.raises(madtree.CallError, match="output_table must be the name"):
        forest.predict("t")
    client.boost_train("t", "b", "id", "v", NAMES, num_trees=3)
    with pytest.raises(madtree.MadtreeError, match="b is no forest") as told:
        client.forest("b")
    assert told.value.hint == "It is a boosted model."
    with pytest.raises(madtree.MadtreeError, match="f is no boosted model"):
        client.boosted("f")
    with pytest.raises(madtree.MadtreeError, match="nix"):
        client.forest("nix")


def test_conformal_quantiles_of_frames_and_of_its_own_rows(url: str, client: madtree.Client) -> None:
    forest = client.forest_train("t", "f", "id", "v", NAMES, num_trees=9)
    boosted = client.boost_train("t", "b", "id", "v", NAMES, num_trees=9)
    own = forest.conformal_quantiles(levels="0.5, 0.9")
    assert own == client.conformal_quantiles("f", levels="0.5, 0.9") == client.conformal_quantiles("f", "t", "0.5, 0.9")
    client.connection.execute("CREATE VIEW later AS SELECT * FROM t WHERE id % 3 = 0")
    data = frame(client, "v", "id % 3 = 0")
    for model in (forest, boosted):
        found = model.conformal_quantiles(data)
        assert found == model.conformal_quantiles("later")
        assert found[0].n == 200
    client.connection.commit()

    async def program() -> None:
        async with await madtree.connect_async(url) as db:
            theirs = await db.forest("f")
            assert await theirs.conformal_quantiles(levels="0.5, 0.9") == own
            assert await theirs.to_sql() == forest.to_sql()
            assert np.array_equal(await theirs.predict(data), forest.predict(data))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, program()).result()


def test_its_expression(client: madtree.Client) -> None:
    forest = client.forest_train("t", "f", "id", "c", NAMES, num_trees=3, max_tree_depth=4)
    assert forest.to_sql("prob", class_="low") == client.tree_sql("f", "prob", class_="low")
    assert "`x`" in forest.to_sql(dialect="sqlite")
