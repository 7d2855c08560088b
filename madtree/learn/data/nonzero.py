"""Where arrays are true."""

from __future__ import annotations

from madtree.learn.data.types import Array, Ints


def flat_nonzero(values: Array) -> Ints:
    """(n,) int64 where `values`, of any shape and counted as flat, are not 0: `np.flatnonzero` takes ten times as long
    of a short array.
    """
    return values.ravel().nonzero()[0]
