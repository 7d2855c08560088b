"""The estimators have the options of the functions that train: whatever is declared for one is a parameter, by its own
name or by scikit-learn's, or is listed here as what an estimator does otherwise.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest

import madtree
from madtree.interface import Function
from madtree.interface.boost_train import BOOST_TRAIN
from madtree.interface.forest_train import FOREST_TRAIN
from madtree.interface.tree_train import TREE_TRAIN

TRAINED_BY = {
    "tree_train": (TREE_TRAIN, madtree.DecisionTreeClassifier, madtree.DecisionTreeRegressor),
    "forest_train": (FOREST_TRAIN, madtree.RandomForestClassifier, madtree.RandomForestRegressor),
    "boost_train": (BOOST_TRAIN, madtree.GradientBoostingClassifier, madtree.GradientBoostingRegressor),
}
# What `fit` is given, or follows from the class.
OF_DATA = {"training_table_name", "dependent_variable", "weights", "classification"}
# scikit-learn's names, and so its defaults.
RENAMED = {
    "output_table_name": "model",
    "seed": "random_state",
    "split_criterion": "criterion",
    "min_split": "min_samples_split",
    "min_bucket": "min_samples_leaf",
    "max_tree_depth": "max_depth",
    "num_splits": "n_bins",
    "sample_ratio": "max_samples",
    "sampling": "bootstrap",
    "importance": "oob_score",
    "num_random_features": "max_features",
    "monotone": "monotonic_cst",
    "interaction_constraints": "interaction_cst",
    "fraction": "validation_fraction",
}
RENAMED_OF = {
    "forest_train": {"num_trees": "n_estimators"},
    "boost_train": {"num_trees": "max_iter", "n_bins": "max_bins"},
}
ABSENT = {
    "tree_train": {
        "grouping_cols": "an estimator is one model",
        "null_handling_params": "a second place for what has one",
        "verbose_mode": "a second name of verbose",
    },
    "forest_train": {
        "grouping_cols": "an estimator is one model",
        "split_rule": "ExtraTreesClassifier and ExtraTreesRegressor have the other one",
        "oob_predictions": "a table of its own, of a model that is kept",
        "intervals": "forest_predict's",
    },
    "boost_train": {
        "grouping_cols": "an estimator is one model",
        "method": "Newton's steps alone",
        "fold_col": "rows held out are a share, as in scikit-learn",
        "table": "the same",
        "class_params": "class_weight alone, as in scikit-learn",
        "correct_prior": "the same",
        "exposure": "columns of a table, not of X",
        "offsets": "the same",
    },
}
OTHER_DEFAULTS = {
    "id_col_name": "None: the primary key, or the number of the row",
    "list_of_features": "all columns",
    "max_depth": "scikit-learn's",
    "cp": "-1: not pruned, as in scikit-learn",
    "num_permutations": "0: importances of permutations are not asked for",
    "max_competitors": "what scikit-learn has not is off",
    "min_impurity_decrease": "scikit-learn's 0.0 is madtree's NULL",
    "loss": "scikit-learn's",
    "n_iter_no_change": "scikit-learn's",
    "tol": "scikit-learn's",
    "quantile": "None, unless it is asked for",
}


def options(function: Function) -> dict[str, Any]:
    """The defaults of all that can be said, by name; keys in the place of the texts that have them."""
    found: dict[str, Any] = {}
    for argument in function.arguments:
        own = argument.keys or (argument,)
        found |= {each.name: each.default for each in own}
    return found


@pytest.mark.parametrize("name", TRAINED_BY)
def test_each_option_reaches_the_estimators(name: str) -> None:
    function, *estimators = TRAINED_BY[name]
    parameters = [signature(each.__init__).parameters for each in estimators]
    renamed = {**RENAMED, **RENAMED_OF.get(name, {})}
    for option, default in options(function).items():
        given = [own[option] for own in parameters if option in own]
        if given and option not in OTHER_DEFAULTS:
            assert [each.default for each in given] == [default] * len(given), option
        assert not (given and option in ABSENT[name]), option
        if not given and option not in {*OF_DATA, *ABSENT[name]}:
            assert any(renamed.get(option) in own for own in parameters), f"{name} has {option}, and no estimator"


@pytest.mark.parametrize("estimator", [each for _, *both in TRAINED_BY.values() for each in both])
def test_a_parameter_that_is_none_is_pythons_error(estimator: Any) -> None:
    with pytest.raises(
        TypeError, match=rf"^{estimator.__name__}.__init__\(\) got an unexpected keyword argument 'trees'$"
    ):
        estimator(trees=3)
    with pytest.raises(TypeError, match="too many positional arguments"):
        estimator(None, "gini")


def test_what_is_not_said_is_not_kept_from_another_one() -> None:
    assert madtree.DecisionTreeClassifier(n_bins=7).n_bins == 7
    assert madtree.DecisionTreeClassifier().n_bins == 100
