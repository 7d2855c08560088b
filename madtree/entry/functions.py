"""The door into the server: what the extension's SQL functions call. What runs statements takes `plpy` first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from madtree import __version__ as __version__
from madtree.entry import blocks as blocks
from madtree.entry import help_texts
from madtree.entry.mistakes import answering, answering_rows, in_query
from madtree.entry.mistakes import is_at_work as is_at_work
from madtree.errors import MadtreeError

if TYPE_CHECKING:
    from madtree.host import Host


@answering
def tree_train(plpy: Any, *arguments: Any) -> str:
    """Check the arguments (in the order of the SQL function's), train, write the model; returns one line."""
    from madtree.host import PlpyHost
    from madtree.request import check_arguments

    host = PlpyHost(plpy)
    task = check_arguments(host, *arguments)
    from madtree.train import train

    return train(host, task)


@answering
def forest_train(plpy: Any, *arguments: Any) -> str:
    """Check the arguments (in the order of the SQL function's), train a forest, write the model; returns one line."""
    from madtree.host import PlpyHost
    from madtree.request import check_forest_arguments

    host = PlpyHost(plpy)
    task = check_forest_arguments(host, *arguments)
    from madtree.train import train

    if not task.oob_predictions:
        return train(host, task)
    from madtree.score import predict_out_of_bag

    return train(host, task, then=lambda is_tested: predict_out_of_bag(host, task, is_tested))


@answering
def tree_predict(
    plpy: Any,
    tree_model: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None,
    trust_owner: bool | None,
) -> str:
    """Score a table into a new one; returns one line."""
    from madtree.host import PlpyHost
    from madtree.score import tree_predict

    return tree_predict(PlpyHost(plpy), tree_model, new_data_table, output_table, type_, trust_owner=trust_owner)


@answering
def forest_predict(
    plpy: Any,
    random_forest_model: str | None,
    new_data_table: str | None,
    output_table: str | None,
    type_: str | None,
    trust_owner: bool | None,
) -> str:
    """Score a table by a forest into a new one; returns one line."""
    from madtree.host import PlpyHost
    from madtree.score import forest_predict

    host = PlpyHost(plpy)
    return forest_predict(host, random_forest_model, new_data_table, output_table, type_, trust_owner=trust_owner)


@answering
def tree_sql(plpy: Any, model: str | None, type_: str | None, tree_id: int | None, trust_owner: bool | None) -> str:
    """A model as an SQL expression, or the usage text."""
    from madtree.host import PlpyHost
    from madtree.score import tree_sql

    host = PlpyHost(plpy)
    text = help_texts.instead_of_model(host, "tree_sql", model)
    return text if text is not None else tree_sql(host, model, type_, tree_id, trust_owner)


@answering
def tree_display(
    plpy: Any, model: str | None, dot_format: bool | None, verbosity: bool | None, full: bool | None
) -> str:
    """A drawn model, or the usage text."""
    from madtree.explain import tree_display
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    text = help_texts.instead_of_model(host, "tree_display", model)
    return text if text is not None else tree_display(host, model, dot_format, verbosity, full)


@answering
def get_tree(
    plpy: Any,
    model: str | None,
    gid: int | None,
    sample_id: int | None,
    dot_format: bool | None,
    verbose: bool | None,
) -> str:
    """A drawn tree of a forest."""
    from madtree.explain import get_tree
    from madtree.host import PlpyHost

    return get_tree(PlpyHost(plpy), model, gid, sample_id, dot_format, verbose)


@answering
def get_tree_surr(plpy: Any, model: str | None, gid: int | None, sample_id: int | None) -> str:
    """The surrogates of a tree of a forest."""
    from madtree.explain import get_tree_surr
    from madtree.host import PlpyHost

    return get_tree_surr(PlpyHost(plpy), model, gid, sample_id)


@answering
def tree_surr_display(plpy: Any, model: str | None, full: bool | None) -> str:
    """A model's surrogates, or the usage text."""
    from madtree.explain import tree_surr_display
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    text = help_texts.instead_of_model(host, "tree_surr_display", model)
    return text if text is not None else tree_surr_display(host, model, full)


@answering
def tree_drop(plpy: Any, model: str | None) -> str:
    """Drop a model, or the usage text."""
    from madtree.host import PlpyHost
    from madtree.model import tree_drop

    host = PlpyHost(plpy)
    text = help_texts.instead_of_model(host, "tree_drop", model)
    return text if text is not None else tree_drop(host, model)


@answering
def tree_prune(plpy: Any, model: str | None, new_model: str | None, cp: float | None, trust_owner: bool | None) -> str:
    """Prune a model into a new one; returns one line."""
    from madtree.host import PlpyHost
    from madtree.model.write import tree_prune

    return tree_prune(PlpyHost(plpy), model, new_model, cp, trust_owner)


@answering
def get_var_importance(plpy: Any, model_name: str | None, output_table: str | None) -> str:
    """Write a model's variable importance into a new table; returns one line."""
    from madtree.host import PlpyHost
    from madtree.model import get_var_importance

    return get_var_importance(PlpyHost(plpy), model_name, output_table)


@answering_rows
def tree_evaluate(
    plpy: Any, tree_model: str | None, test_table: str | None, trust_owner: bool | None
) -> list[dict[str, Any]]:
    """Rows of metrics."""
    from madtree.host import PlpyHost
    from madtree.score import tree_evaluate

    return tree_evaluate(PlpyHost(plpy), tree_model, test_table, trust_owner=trust_owner)


@answering_rows
def tree_confusion(
    plpy: Any, tree_model: str | None, test_table: str | None, trust_owner: bool | None
) -> list[dict[str, Any]]:
    """The cells of the confusion matrix."""
    from madtree.host import PlpyHost
    from madtree.score import tree_confusion

    return tree_confusion(PlpyHost(plpy), tree_model, test_table, trust_owner=trust_owner)


@answering_rows
def tree_rules(
    plpy: Any, model: str | None, tree_id: int | None, trust_owner: bool | None, full: bool | None
) -> list[dict[str, Any]]:
    """Rows of rules."""
    from madtree.explain import tree_rules
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    _no_help(host, model, "tree_rules")
    return tree_rules(host, model, tree_id, trust_owner, full)


@answering_rows
def tree_cp(plpy: Any, model: str | None) -> list[dict[str, Any]]:
    """The rows of the cp tables."""
    from madtree.explain import tree_cp
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    _no_help(host, model, "tree_cp")
    return tree_cp(host, model)


@answering_rows
def tree_path(
    plpy: Any,
    model: str | None,
    table_name: str | None,
    id_: str | None,
    trust_owner: bool | None,
    full: bool | None,
    tree_id: int | None,
) -> list[dict[str, Any]]:
    """The steps of a row's path."""
    from madtree.explain import tree_path
    from madtree.host import PlpyHost

    return tree_path(PlpyHost(plpy), model, table_name, id_, trust_owner, full, tree_id)


@answering
def tree_to_json(plpy: Any, model: str | None, tree_id: int | None) -> str:
    """A model as the text of a JSON document."""
    from madtree.explain import tree_to_json
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    _no_help(host, model, "tree_to_json")
    return tree_to_json(host, model, tree_id)


@answering
def tree_to_pmml(plpy: Any, model: str | None, tree_id: int | None) -> str:
    """A model as a PMML document, or the usage text."""
    from madtree.explain import tree_to_pmml
    from madtree.host import PlpyHost

    host = PlpyHost(plpy)
    text = help_texts.instead_of_model(host, "tree_to_pmml", model)
    return text if text is not None else tree_to_pmml(host, model, tree_id)


@answering_rows
def list_models(plpy: Any) -> list[dict[str, Any]]:
    """Rows of the view of models."""
    from madtree.host import PlpyHost
    from madtree.model import models

    return models(PlpyHost(plpy))


@answering
def usage(function: str, message: str | None) -> str:
    """The usage text of a function whose one-argument form takes nothing else."""
    return help_texts.usage(function, message)


def _no_help(host: Host, model: str | None, function: str) -> None:
    """Send who asks for help where it is: this function's result is no text.

    Raises:
        MadtreeError: the model's name is a question.
    """
    if help_texts.instead_of_model(host, function, model) is not None:
        raise MadtreeError(
            f"model must be the name of a model; SELECT madtree.{function}() shows how to use {function}"
        )


@in_query
def server_info(plpy: Any) -> str:
    """What this half runs in, as JSON."""
    from madtree.entry.server_info import server_info

    return server_info()
