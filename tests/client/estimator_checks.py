"""scikit-learn's own checks of estimators, a share at a time: what they try is mostly the classes' common base."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import SkipTest

from shares import share
from sklearn.utils.estimator_checks import estimator_checks_generator

from madtree.client.estimators import expected_failed_checks


def check(estimator: Any, turn: int) -> None:
    """Run one of four checks, at the next turns the others; those fail that are listed, and no others."""
    every = list(estimator_checks_generator(estimator))
    expected, ran, failed = expected_failed_checks(estimator), 0, {}
    assert len(every) > 50
    for given, each in [*share(every, 4, turn), *(pair for pair in every if name_of(pair[1]) in expected)]:
        try:
            each(given)
            ran += 1
        except SkipTest:
            continue
        except Exception as error:
            failed[name_of(each)] = error
    assert failed.keys() == expected.keys(), failed
    assert ran > 10


def name_of(check: Any) -> str:
    return str((check.func if isinstance(check, partial) else check).__name__)
