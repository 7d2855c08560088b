"""Everything that repeats the defaults of the functions' arguments says what `madtree.interface` says."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sklearn.ensemble
import sklearn.tree
from typer.main import get_command

import madtree
from madtree.cli.app import app
from madtree.interface import FUNCTIONS, ROW_FUNCTIONS, as_sql, defaults, usage
from madtree.trees.parameters import UNPRUNED, Parameters

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()
NAMED = re.compile(r"^ *(\w+) => ('[^']*'|[^\s,]+),? {2,}(?:-- )?(\S.*)$", re.MULTILINE)
# By argument, the keys of the strings of options.
KEYS = {
    name: {each.name: {key.name: key.default for key in each.keys} for each in FUNCTIONS[name].arguments if each.keys}
    for name in ("tree_train", "boost_train")
}
OPTIONS = {key: value for keys in KEYS["tree_train"].values() for key, value in keys.items()}
DECLARED = """
SELECT DISTINCT ON (p.proname) p.proname, pg_get_function_arguments(p.oid) FROM pg_proc p
WHERE p.pronamespace = 'madtree'::regnamespace AND 'varchar'::regtype <> ALL (p.proargtypes)
ORDER BY p.proname, p.pronargs DESC
"""


def declared_defaults(function: str) -> dict[str, str]:
    """As SQL spells them."""
    every = {**FUNCTIONS, **ROW_FUNCTIONS}
    declared = every[function].defaults if function in every else {}
    return {name: as_sql(value) for name, value in declared.items()}


def options_in(text: str) -> dict[str, str]:
    """What a quoted string of options, given as an example, says: 'cp=0, n_folds=0'."""
    (quoted,) = re.findall(r"'([^']*)'", text)
    return dict(pair.split("=") for pair in quoted.split(", "))


def shown_options(argument: str) -> dict[str, str]:
    """How `options_in` shows an argument's options; a number without its decimals, an ellipsis for no default."""
    shown = {True: "true", False: "false", None: "..."}
    values = KEYS["tree_train"][argument].items()
    return {key: shown[v] if v is None or isinstance(v, bool) else f"{v:g}" if v != "min" else v for key, v in values}


def test_the_declarations_in_sql(db: psycopg.Connection) -> None:
    for function, text in db.execute(DECLARED).fetchall():
        arguments = [part.partition(" DEFAULT ") for part in re.sub(r"TABLE\(.*", "", text).split(", ")]
        declared = {name.split()[0].strip('"'): value.split("::")[0] for name, _, value in arguments if value}
        assert declared == declared_defaults(function), function


def test_the_second_form_has_madlibs_names_and_the_same_defaults(db: psycopg.Connection) -> None:
    forms = db.execute(DECLARED.replace("<> ALL", "= ANY")).fetchall()
    assert {name for name, _ in forms} == {f.name for f in FUNCTIONS.values() if f.madlib_names} - {"tree_train"}
    first = dict(db.execute(DECLARED).fetchall())
    for function, text in forms:
        names = FUNCTIONS[function].madlib_names
        expected = [part.split() for part in first[function].split(", ")]
        found = [
            part.split()
            for part in text.replace("character varying", "text").replace('"verbose"', "verbose").split(", ")
        ]
        assert found == [[names.get(name, name), *rest] for name, *rest in expected], function


@pytest.mark.parametrize("function", [*FUNCTIONS, *ROW_FUNCTIONS])
def test_the_help_texts(function: str) -> None:
    call = usage({**FUNCTIONS, **ROW_FUNCTIONS}[function]).partition("\n);")[0]
    assert {name: value for name, value, _ in NAMED.findall(call)} == declared_defaults(function)


@pytest.mark.parametrize("text", [usage(FUNCTIONS["tree_train"]).partition("\n);")[0], README], ids=["help", "README"])
def test_the_help_and_the_readme_say_what_null_means(text: str) -> None:
    explained = {name: words for name, _, words in NAMED.findall(text)}
    assert f"{defaults.MIN_SPLIT}, or {defaults.SPLIT_PER_BUCKET} * min_bucket" in explained["min_split"]
    assert f"min_split / {defaults.SPLIT_PER_BUCKET}" in explained["min_bucket"]
    for argument in ("surrogate_params", "pruning_params"):
        assert options_in(explained[argument]) == shown_options(argument)


def test_the_readmes_tables() -> None:
    listed = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", README, re.MULTILINE))
    assert listed.keys() == {*FUNCTIONS, *ROW_FUNCTIONS, "install_madlib_names"}
    for function, arguments in listed.items():
        if function == "tree_train":
            shown = {name: value for name, value, _ in NAMED.findall(README)}
        else:
            shown = dict(part.split(" => ") for part in arguments.split(", ") if " => " in part)
        assert shown == declared_defaults(function), function


def test_the_page_on_choosing_parameters() -> None:
    page = (ROOT / "docs" / "how-to" / "parameters.md").read_text()
    rows = dict(re.findall(r"^\| (`.*?) \| (.*?) \|", page, re.MULTILINE))
    bucket = defaults.MIN_SPLIT // defaults.SPLIT_PER_BUCKET
    assert rows["`min_bucket`, `min_split`"] == f"{bucket} and {defaults.MIN_SPLIT}"
    assert rows["`max_depth`"] == str(defaults.MAX_DEPTH)
    assert rows["`cp`"] == f"{defaults.CP:g}"
    assert rows["`n_folds`, `rule`"] == f"{defaults.N_FOLDS}, `{defaults.RULE}`"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_clients_signatures(function: str) -> None:
    second = set(FUNCTIONS[function].madlib_names.values())  # for SQL that was written for MADlib
    expected = {name: value for name, value in FUNCTIONS[function].defaults.items() if name not in second}
    assert optional(getattr(madtree.Client, function)) == expected


@pytest.mark.parametrize("function", ["predict", "to_sql", "rules"])
def test_the_signatures_of_the_clients_model(function: str) -> None:
    whole = {"predict": "tree_predict", "to_sql": "tree_sql", "rules": "tree_rules"}[function]
    declared = {name: value for name, value in FUNCTIONS[whole].defaults.items() if name != "replace"}
    assert optional(getattr(madtree.Model, function)) == declared


@pytest.mark.parametrize(
    ("estimator", "theirs"),
    [
        (madtree.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier),
        (madtree.DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor),
    ],
)
def test_the_estimators(estimator: Any, theirs: Any) -> None:
    """scikit-learn's parameters have its defaults, but for two; madtree's own have madtree's, but for the pruning."""
    assert Parameters().min_impurity_decrease == 0.0  # as in scikit-learn, where it cannot be None
    found = optional(estimator.__init__)
    known = {**FUNCTIONS["tree_train"].defaults, **OPTIONS, "cp": UNPRUNED}
    guests = {name: value for name, value in optional(theirs.__init__).items() if name != "min_weight_fraction_leaf"}
    assert {name: found[name] for name in guests} == {**guests, "max_depth": defaults.MAX_DEPTH}
    own = {name: value for name, value in found.items() if name in known and name not in guests}
    assert own == {name: known[name] for name in own}
    assert {"n_bins", "memory_mb", "cp", "n_folds", "max_surrogates", "rule"} <= own.keys()


@pytest.mark.parametrize(
    ("estimator", "theirs"),
    [
        (madtree.GradientBoostingClassifier, sklearn.ensemble.HistGradientBoostingClassifier),
        (madtree.GradientBoostingRegressor, sklearn.ensemble.HistGradientBoostingRegressor),
    ],
)
def test_the_estimators_of_boosted_trees(estimator: Any, theirs: Any) -> None:
    found, guests = optional(estimator.__init__), optional(theirs.__init__)
    shared = found.keys() & guests.keys()
    assert {"loss", "max_iter", "max_bins", "early_stopping", "tol"} <= shared
    assert {name: found[name] for name in shared} == {**{name: guests[name] for name in shared}, "verbose": False}
    known = {**FUNCTIONS["boost_train"].defaults, **KEYS["boost_train"]["boost_params"]}
    own = {name: value for name, value in found.items() if name in known and name not in {*shared, "replace"}}
    assert own == {name: known[name] for name in own}
    assert {"min_gain", "subsample", "cat_smooth", "memory_mb", "strategy"} <= own.keys()


def test_the_command_line() -> None:
    """It gives no argument that the user did not give; its help names the server's defaults."""
    names = {"criterion": "split_criterion", "bins": "n_bins", "folds": "n_folds"}
    known = {**FUNCTIONS["tree_train"].defaults, **OPTIONS}
    found = {}
    for option in get_command(app).commands["train"].params:  # type: ignore[attr-defined]
        default = re.search(r"Default: ([^.,;]+)", getattr(option, "help", "") or "")
        name = names.get(str(option.name), str(option.name))
        if default and name in known:
            assert option.default is None
            found[name] = default[1]
    said = {k: v for k, v in known.items() if v is not None and not isinstance(v, bool)}
    assert found == {name: f"{v:g}" if isinstance(v, int | float) else v for name, v in said.items()}

    (option,) = [o for o in get_command(app).commands["predict"].params if o.name == "type"]  # type: ignore[attr-defined]
    assert option.default is None
    assert option.help.endswith(f"Default: {defaults.PREDICTION_TYPE}.")


def test_what_the_learner_does_by_itself() -> None:
    known = {**FUNCTIONS["tree_train"].defaults, **OPTIONS}
    boosted = {**FUNCTIONS["boost_train"].defaults, **KEYS["boost_train"]["boost_params"]}
    assert asdict(Parameters()) == {
        **{name: known[name] for name in asdict(Parameters()) if name in known},
        "criterion": defaults.SPLIT_CRITERION,
        "min_split": defaults.MIN_SPLIT,
        "min_bucket": defaults.MIN_SPLIT // defaults.SPLIT_PER_BUCKET,
        "memory_bytes": defaults.MEMORY_MB * 2**20,
        "min_impurity_decrease": 0.0,
        "shrink": 1.0,
        "feature_costs": (),
        "monotone": (),
        "interactions": (),
        "limits_steps": False,
        "keeps_outcomes": False,
        **{name: boosted[name] for name in ("learning_rate", "min_gain", "cat_smooth")},
        **{name: boosted[name] for name in ("cat_l2", "max_cat_threshold", "min_data_per_group")},
        "l2": boosted["l2_regularization"],
    }


def optional(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    # An argument that is called as a keyword of Python's has an underscore behind.
    return {p.name.rstrip("_"): p.default for p in parameters if p.default is not inspect.Parameter.empty}
