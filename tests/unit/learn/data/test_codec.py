"""Plans: what is dumped is loaded."""

from __future__ import annotations

import numpy as np

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
