"""What is made of the arguments of `tree_train`: defaults, criteria, and what is probably not meant."""

from __future__ import annotations

from typing import Any

import pytest
from argument_calls import GOOD, LEFT_OUT, shop
from memory_host import MemoryHost

from madtree.request import TrainingTask, check_arguments


@pytest.fixture
def host() -> MemoryHost:
    return MemoryHost(shop())


def task_of(host: MemoryHost, **arguments: Any) -> TrainingTask:
    return check_arguments(host, **(GOOD | arguments))


def test_the_defaults(host: MemoryHost) -> None:
    task = task_of(host)
    p = task.parameters

    assert (p.criterion, p.max_depth, p.min_split, p.min_bucket, p.n_bins) == ("gini", 10, 20, 6, 100)
    assert (p.cp, p.n_folds, p.rule, p.fold_col, p.max_surrogates) == (0.0, 0, "min", None, 0)
    assert (p.seed, p.memory_bytes, task.parallel_workers, task.strategy) == (1, 64 * 2**20, None, "auto")
    assert (task.source.name, task.source.kind) == ("data", "r")
    assert (task.output_name, task.output_schema) == ("model", task.source.schema)
    assert (task.id_sql, task.dependent_sql, task.dependent_type) == ("id", "y", "boolean")
    assert task.is_classification
    assert (task.numbers, task.grouping, task.verbose, task.replace) == ({}, (), False, False)


def test_null_means_the_default(host: MemoryHost) -> None:
    numbers = ("max_depth", "min_split", "min_bucket", "n_bins", "seed", "parallel_workers", "memory_mb")
    others = ("split_criterion", "verbose", "replace", "weights", "grouping_cols", "surrogate_params", "pruning_params")
    assert task_of(host, **dict.fromkeys(numbers + others)) == task_of(host)


@pytest.mark.parametrize(
    ("min_split", "min_bucket", "expected"),
    [
        (None, None, (20, 6)),
        (30, None, (30, 10)),
        (2, None, (2, 1)),
        (None, 4, (12, 4)),
        (5, 7, (5, 7)),
        (20, None, (20, 6)),
    ],
)
def test_min_split_and_min_bucket_follow_each_other(
    host: MemoryHost, min_split: int | None, min_bucket: int | None, expected: tuple[int, int]
) -> None:
    p = task_of(host, min_split=min_split, min_bucket=min_bucket).parameters
    assert (p.min_split, p.min_bucket) == expected


@pytest.mark.parametrize(
    ("dependent", "given", "criterion"),
    [
        ("y", None, "gini"),
        ("y", " Gini ", "gini"),
        ("y", "ENTROPY", "entropy"),
        ("y", "cross-entropy", "entropy"),
        ("y", "misclass", "misclassification"),
        ("y", "Misclassification", "misclassification"),
        ("v", "gini", "mse"),
        ("v", None, "mse"),
        ("v", "MSE", "mse"),
    ],
)
def test_criteria(host: MemoryHost, dependent: str, given: str | None, criterion: str) -> None:
    assert task_of(host, dependent_variable=dependent, split_criterion=given).parameters.criterion == criterion


@pytest.mark.parametrize("criterion", ["entropy", "misclassification", "gain_ratio", "gini"])
def test_a_number_is_learned_by_mse_whatever_the_criterion(host: MemoryHost, criterion: str) -> None:
    task = task_of(host, dependent_variable="v", split_criterion=criterion)
    assert task == task_of(MemoryHost(shop()), dependent_variable="v", split_criterion="mse")
    words = (
        f"split_criterion: mse is taken for {criterion}, as dependent_variable v is of type double precision, which "
        "means regression; for classification, cast it: (v)::text"
    )
    assert host.said == ([] if criterion == "gini" else [("WARNING", words)])  # gini is the default of classification


@pytest.mark.parametrize(
    "strings", [("cp=0.5, rule=1se", "surrogate_style=1"), ("surrogate_style=1", "cp=0.5,rule=1SE")]
)
def test_a_call_in_madlibs_order_works(host: MemoryHost, strings: tuple[str, str]) -> None:
    task = check_arguments(host, "data", "model", "id", "y", "x", None, "gini", None, None, 5, 3, 1, 20, *strings, True)
    p = task.parameters
    assert (p.max_depth, p.min_split, p.min_bucket, p.n_bins, p.cp, p.rule) == (5, 3, 1, 20, 0.5, "1se")
    assert (p.surrogate_style, task.verbose) == (1, True)


@pytest.mark.parametrize(("arguments", "words", "left"), LEFT_OUT, ids=str)
def test_what_cannot_be_a_feature_is_left_out(
    host: MemoryHost, arguments: dict[str, Any], words: str, left: list[str]
) -> None:
    task = task_of(host, **arguments)
    assert host.said == [("NOTICE", f"list_of_features: left out: {words}")]
    assert [feature.name for feature in task.features] == left


def test_an_exclusion_that_does_not_exist(host: MemoryHost) -> None:
    task = task_of(host, list_of_features="n, v", list_of_features_to_exclude="nn, v")
    assert [feature.name for feature in task.features] == ["n"]
    words = "list_of_features_to_exclude: column nn does not exist in data, and excludes nothing. Did you mean n?"
    assert host.said == [("NOTICE", words)]


def test_a_depth_beyond_the_limit_and_a_single_fold(host: MemoryHost) -> None:
    task = task_of(host, max_depth=99, pruning_params="n_folds=1")
    assert host.said == [("NOTICE", "max_depth: 60 is taken for 99; no tree grows deeper")]
    assert task == task_of(host, max_depth=60)
    assert task.parameters.n_folds == 0


def test_what_is_generated_from_the_dependent_variable_is_told(host: MemoryHost) -> None:
    task_of(host, dependent_variable="n > 7", list_of_features="x, n % 2")
    words = (
        "list_of_features: computed from n, which is to be predicted: n % 2; a model of these repeats what is known "
        "already"
    )
    assert host.said == [("NOTICE", words)]


def test_expressions_keep_their_text_and_columns_get_their_quotes(host: MemoryHost) -> None:
    task = task_of(host, list_of_features=' ORDER,"Mixed Case" , ln(x) ', dependent_variable="  n % 2 ", weights="w*2")
    assert [f.name for f in task.features] == ['"order"', '"Mixed Case"', "ln(x)"]
    assert (task.id_sql, task.dependent_sql, task.numbers) == ("id", "(n % 2)", {"weight": "(w*2)"})
    assert task_of(host, dependent_variable='"Mixed Case"').dependent_sql == '"Mixed Case"'


def test_an_empty_table_passes_as_its_types_are_known(host: MemoryHost) -> None:
    arguments = {"training_table_name": "empty", "list_of_features": "x, ln(x), n", "weights": "w*2"}
    assert len(task_of(host, **arguments, grouping_cols="m").features) == 3
