"""What a boosted tree's split gains does not depend on the splits that are looked at with it."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.learn.criteria.newton import penalized_gain


@pytest.mark.parametrize("l2", [0.0, 1.5])
def test_a_gain_is_the_same_alone_and_among_others(l2: float) -> None:
    rng = np.random.default_rng(5)
    left, right = rng.normal(size=(2, 2, 500)) * 7.0
    left[0], right[0] = abs(left[0]) + 1, abs(right[0]) + 1
    penalty = np.where(np.arange(500) % 5 == 0, 10.0, 0.0)
    together = penalized_gain(left, right, l2, penalty)
    alone = [float(penalized_gain(left[:, [i]], right[:, [i]], l2, penalty[[i]])[0]) for i in range(500)]
    assert together.tolist() == alone
    (gradient, hessian), (of_left, of_right) = (left + right)[::-1], (left, right)
    by_definition = (
        of_left[1] ** 2 / (of_left[0] + l2 + penalty)
        + of_right[1] ** 2 / (of_right[0] + l2 + penalty)
        - gradient**2 / (hessian + l2)
    )
    assert together == pytest.approx(by_definition, rel=1e-9, abs=1e-12)
