"""Plans: what is dumped is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.data.codec import dump, load


def test_values_and_arrays_come_back() -> None:
    values = {
        "text": "größe",
        "none": None,
        "list": [1, 2.5, "x"],
        "empty": np.zeros((3, 0)),
        "bytes": np.arange(7, dtype=np.uint8),
        "matrix": np.arange(6, dtype=">i4").reshape(2, 3),
        "floats": np.array([np.nan, -0.0, np.inf]),
    }
    loaded = load(dump(values))
    assert set(loaded) == set(values)
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            assert loaded[name].shape == value.shape
            assert loaded[name].tobytes() == value.astype(value.dtype.newbyteorder("<")).tobytes()
        else:
            assert loaded[name] == value


def test_bytes_of_another_version_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that starts after an update runs other code than the one that leads it."""
    monkeypatch.setattr("madtree.learn.data.codec.__version__", "0.0.9")
    data = dump({"a": 1})
    monkeypatch.undo()
    with pytest.raises(MadtreeError, match=r"was handed bytes of madtree 0\.0\.9") as caught:
        load(data)
    assert "updated while the statement ran" in caught.value.hint
