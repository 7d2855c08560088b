"""What type checkers read of the client's made methods is what these methods are; `MADTREE_UPDATE_DOCS=1` renews it."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import client_stubs
import pytest

import madtree
from madtree.interface import FUNCTIONS
from madtree.trees import BOOSTED, FOREST, TREE

STUBS = client_stubs.stubs()


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_a_stub_is_as_the_script_writes_it(path: Path) -> None:
    if os.environ.get("MADTREE_UPDATE_DOCS"):
        path.write_text(STUBS[path])
    assert path.read_text() == STUBS[path], "run scripts/client_stubs.py"


@pytest.mark.parametrize(
    ("arguments", "named", "said"),
    [
        ((), {}, "tree_rules: missing a required argument: 'model'"),
        (("m", 1, False, False, 1), {}, "tree_rules: too many positional arguments"),
        (("m",), {"tree": 1}, "tree_rules: got an unexpected keyword argument 'tree'"),
        (("m",), {"model": "m"}, "tree_rules: multiple values for argument 'model'"),
    ],
)
def test_a_wrong_call_is_pythons_error(
    client: madtree.Client, arguments: tuple[Any, ...], named: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError, match=f"^{said}$"):
        client.tree_rules(*arguments, **named)


TRAINED = {
    "tree": lambda client: client.tree_train("flowers", "m", "id", "kind = 1 AS y", ["length", "colour"], max_depth=2),
    "tree, by group": lambda client: client.tree_train(
        "flowers", "m", "id", "kind = 1 AS y", ["length"], max_depth=2, grouping_cols=["colour"]
    ),
    "forest": lambda client: client.forest_train("flowers", "m", "id", "kind = 1 AS y", ["length"], num_trees=2),
    "boosted": lambda client: client.boost_train("flowers", "m", "id", "kind = 1 AS y", ["length"], num_trees=2),
}
# Beside the model and the table. What is left out ends the model, or has a test in test_contribution_objects.py.
MORE = {"features": "length", "new_model": "made", "cp": 0.1, "num_trees": 1, "id": 1}
LEFT_OUT = {"drop", "shap"}


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("flowers")
@pytest.mark.parametrize("kind", TRAINED)
def test_a_method_of_a_model_says_what_the_function_says(client: madtree.Client, kind: str) -> None:
    """Of every method that is made of a function, of a table's rows and of the same rows as a frame."""
    model = TRAINED[kind](client)
    client.tree_statistics("m", "flowers")
    frame = client.query("SELECT * FROM flowers ORDER BY id").to_pandas()
    of_kind = {"forest": FOREST, "boosted": BOOSTED}.get(kind, TREE)
    for function in FUNCTIONS.values():
        if function.method is None or function.method.name in LEFT_OUT:
            continue
        if function.takes is not None and of_kind not in function.takes.kinds:
            continue
        name, method = function.method.name, getattr(model, function.method.name)
        known, table = inspect.signature(method).parameters, function.method.table
        given = {key: MORE[key] for key in known if key in MORE and known[key].default is inspect.Parameter.empty}
        rows = {table: "flowers"} if table else {}
        said: Any = getattr(client, function.name)("m", **given, **rows)
        if function.makes:
            client.tree_drop("made")
            found = method(**given)
            assert (type(found), found.name, found.message) == (type(said), said.name, said.message)
            client.tree_drop("made")
            continue
        assert method(**given, **({"table": "flowers"} if table else {})) == said, name
        if table:
            numbered = {**given, "id": 0} if "id" in given else given  # a frame's rows are numbered
            found = method(**numbered, table=frame)
            if not function.returns_rows:
                assert found.split(" by ")[0] == said.split(" by ")[0], name
                continue
            assert (found.columns, len(found)) == (said.columns, len(said)), name
        if function.returns_rows:
            whole = [each.name for each in function.columns if not each.may_be_null]
            assert whole == [each for each in whole if None not in said.column(each)], name
