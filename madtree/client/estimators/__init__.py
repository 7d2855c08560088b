"""Decision trees, forests and boosted trees in scikit-learn's manner, trained in the database."""

from madtree.client.client import send_passwords_to_children
from madtree.client.estimators.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from madtree.client.estimators.checks import expected_failed_checks
from madtree.client.estimators.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from madtree.client.estimators.trees import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "expected_failed_checks",
]

send_passwords_to_children()
