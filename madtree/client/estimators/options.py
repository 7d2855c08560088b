"""The parameters of each estimator: the options of the function that trains, and what scikit-learn has besides.

An option is said once, where its function is declared. Here is what an estimator says otherwise: scikit-learn's names
and defaults. What type checkers and editors read, options.pyi, is made by scripts/client_stubs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from inspect import Parameter, Signature
from typing import Any, ClassVar, TypeVar

from madtree.client.estimators.tables import COLUMN_OPTIONS
from madtree.client.methods import arguments_of, parameter_of
from madtree.interface import FUNCTIONS, Argument, Function
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind

_Instead = Mapping[str, tuple[str, Any]]

# scikit-learn's names of options, and the estimators' own.
_NAMES = {"output_table_name": "model", "seed": "random_state", "min_bucket": "min_samples_leaf"}
_NAMES_OF: Mapping[ModelKind, Mapping[str, str]] = {
    TREE: {**_NAMES, "split_criterion": "criterion", "min_split": "min_samples_split"},
    FOREST: {
        **_NAMES,
        "split_criterion": "criterion",
        "min_split": "min_samples_split",
        "num_trees": "n_estimators",
        "max_tree_depth": "max_depth",
        "num_splits": "n_bins",
        "sample_ratio": "max_samples",
        "sampling": "bootstrap",
        "importance": "oob_score",
        "num_random_features": "max_features",
    },
    BOOSTED: {
        **_NAMES,
        "num_trees": "max_iter",
        "n_bins": "max_bins",
        "monotone": "monotonic_cst",
        "interaction_constraints": "interaction_cst",
        "fraction": "validation_fraction",
    },
}
# What `fit` is given, or follows from the class; an estimator is one model.
_OF_FIT = {"training_table_name", "dependent_variable", "weights", "classification", "grouping_cols"}
# Parameters that are about the data, which arguments are made of elsewhere.
_OF_DATA = {"id_col_name", "list_of_features", "list_of_features_to_exclude", "output_table_name"}

# Types and defaults that are not those of the options, and parameters that are scikit-learn's alone.
_ANY: _Instead = {
    "model": ("str | None", None),
    "id_col_name": ("str | None", None),
    "list_of_features": ("Names", "*"),
    "random_state": ("Any", None),
}
_ROWS: _Instead = {"min_samples_split": ("float | None", 2), "min_samples_leaf": ("float | None", 1)}
_CLASSES: _Instead = {"class_weight": ("Any", None)}
_NUMBERS: _Instead = {"criterion": ("str", "squared_error")}
_TREE: _Instead = {
    **_ROWS,
    "splitter": ("str", "best"),
    "max_depth": ("int | None", 10),
    "max_features": ("Any", None),
    "min_impurity_decrease": ("float", 0.0),
    "ccp_alpha": ("float", 0.0),
    "monotonic_cst": ("Any", None),
    "cp": ("float", -1.0),
}
_FOREST: _Instead = {
    **_ROWS,
    "max_features": ("Any", "sqrt"),
    "bootstrap": ("bool", True),
    "oob_score": ("bool", False),
    "max_samples": ("Any", None),
    "num_permutations": ("int", 0),
}
_FOREST_OF_NUMBERS: _Instead = {**_FOREST, **_NUMBERS, "max_features": ("Any", 1.0)}
_EXTRA: _Instead = {"bootstrap": ("bool", False)}
_BOOSTED: _Instead = {
    "min_samples_leaf": ("float | None", 20),
    "max_leaf_nodes": ("int | None", 31),
    "monotonic_cst": ("Any", None),
    "interaction_cst": ("Any", None),
    "early_stopping": ("Any", "auto"),
    "validation_fraction": ("float | None", 0.1),
}
# Options that no parameter is for.
_NOT_OF_CLASSES = {each.name for each in FUNCTIONS[TREE.trains].arguments if each.only_for is not None}
_NOT_OF_FORESTS = {"split_rule", "oob_predictions", "intervals"}
_NOT_OF_BOOSTED = {"method", "table", "class_params", "correct_prior", *COLUMN_OPTIONS}


class Options:
    """The parameters of an estimator."""

    _trains: ClassVar[Function]
    _names: ClassVar[Mapping[str, str]]  # by option, where that is a parameter here

    def _plain_arguments(self) -> dict[str, Any]:
        """What the parameters are to the function that trains, as they are; without what is about the data."""
        arguments: dict[str, Any] = {}
        for argument in arguments_of(self._trains):
            given = {
                each.name: getattr(self, self._names[each.name])
                for each in argument.keys or (argument,)
                if each.name in self._names and each.name not in _OF_DATA
            }
            if given:
                arguments[argument.name] = given if argument.keys else given[argument.name]
        return arguments


_Class = TypeVar("_Class", bound=type[Options])


def _parameters(kind: ModelKind, instead: _Instead, absent: Collection[str] = ()) -> Callable[[_Class], _Class]:
    """Gives a class the parameters of an estimator: `__init__` with their signature, and the attributes' types.

    Args:
        instead: types and defaults by parameter, where these are not the option's, or it is no option.
        absent: options that are no parameters.
    """
    trains, names = FUNCTIONS[kind.trains], _NAMES_OF[kind]
    options = [option for each in arguments_of(trains) for option in each.keys or (each,)]
    known = [each for each in options if each.name not in _OF_FIT and each.name not in absent]
    said = {names.get(each.name, each.name): _type_and_default(each) for each in known}
    said |= {**_ANY, **instead}
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [Parameter("connection", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Any")]
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=type_)
        for name, (type_, default) in said.items()
    ]
    signature = Signature(parameters, return_annotation="None")

    def init(self: Any, /, *given: Any, **named: Any) -> None:
        try:
            bound = signature.bind(self, *given, **named)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        for name in ("connection", *said):
            setattr(self, name, bound.arguments[name])

    def made(of: _Class) -> _Class:
        of._trains, of._names = trains, {each.name: names.get(each.name, each.name) for each in known}
        of.__annotations__ = {name: type_ for name, (type_, _) in said.items()}
        init.__name__, init.__qualname__ = "__init__", f"{of.__qualname__}.__init__"
        setattr(init, "__signature__", signature)  # noqa: B010 - a function's type has none
        setattr(of, "__init__", init)  # noqa: B010 - nor is a class's one assigned
        return of

    return made


def _type_and_default(option: Argument) -> tuple[str, Any]:
    """As it is declared; None is a value where it is the default."""
    type_ = str(parameter_of(option).annotation)
    if option.is_required or option.default is None:
        return type_, None
    own, default = type_.removesuffix(" | None"), option.default
    return own, float(default) if isinstance(default, int) and own == "float" else default


@_parameters(TREE, {**_TREE, **_CLASSES}, _NOT_OF_CLASSES)
class TreeClassifierOptions(Options):
    """Of `DecisionTreeClassifier`."""


@_parameters(TREE, {**_TREE, **_NUMBERS}, {"class_params"})
class TreeRegressorOptions(Options):
    """Of `DecisionTreeRegressor`."""


@_parameters(FOREST, {**_FOREST, **_CLASSES}, _NOT_OF_FORESTS)
class ForestClassifierOptions(Options):
    """Of `RandomForestClassifier`."""


@_parameters(FOREST, _FOREST_OF_NUMBERS, _NOT_OF_FORESTS)
class ForestRegressorOptions(Options):
    """Of `RandomForestRegressor`."""


@_parameters(FOREST, {**_FOREST, **_CLASSES, **_EXTRA}, _NOT_OF_FORESTS)
class ExtraTreesClassifierOptions(Options):
    """Of `ExtraTreesClassifier`."""


@_parameters(FOREST, {**_FOREST_OF_NUMBERS, **_EXTRA}, _NOT_OF_FORESTS)
class ExtraTreesRegressorOptions(Options):
    """Of `ExtraTreesRegressor`."""


@_parameters(BOOSTED, {**_BOOSTED, **_CLASSES, "loss": ("str", "log_loss")}, {*_NOT_OF_BOOSTED, "quantile"})
class BoostingClassifierOptions(Options):
    """Of `GradientBoostingClassifier`."""


@_parameters(BOOSTED, {**_BOOSTED, "loss": ("str", "squared_error")}, _NOT_OF_BOOSTED)
class BoostingRegressorOptions(Options):
    """Of `GradientBoostingRegressor`."""
