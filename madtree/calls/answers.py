"""Calls whose answer is one line: what was done, made into a sentence. `how` are the arguments that only say how it is
done, in the order in which they are declared.
"""

from __future__ import annotations

from typing import Any

from madtree import score  # its parts, and numpy with them, are loaded when they are asked for
from madtree.host import Host
from madtree.model import get_var_importance as write_importance
from madtree.model import model_alias as set_alias
from madtree.model import tree_drop as drop
from madtree.sqltext.quote import ident
from madtree.wording import count_text, noun_of


def predict(
    host: Host,
    model: str | None,
    data: str | None,
    output: str | None,
    *how: Any,
    function: str,
    n_rounds: int | None = None,
) -> str:
    """Score a table by a model of the function's kind; raises MadtreeError as `score.score_table`."""
    scored = score.score_table(host, model, data, output, *how, function=function, n_rounds=n_rounds)
    return (
        f"{function}: {count_text(scored.n_rows, 'row')} of {data} scored with {model} ({scored.type_}) into {output} "
        f"in {scored.seconds:.2f} s"
    )


def predict_by_rounds(
    host: Host,
    model: str | None,
    data: str | None,
    output: str | None,
    type_: str | None,
    num_trees: int | None,
    *how: Any,
) -> str:
    """Score a table by the first rounds of a boosted model; errors as of `predict`."""
    return predict(host, model, data, output, type_, *how, function="boost_predict", n_rounds=num_trees)


def explain(host: Host, model: str | None, data: str | None, output: str | None, *how: Any) -> str:
    """Explain the predictions of a table's rows; raises MadtreeError as `score.explain_table`."""
    explained = score.explain_table(host, model, data, output, *how)
    of_class = "" if explained.class_ is None else f" of {explained.class_}"
    return (
        f"tree_shap: {data} explained with {model} ({explained.type_}{of_class}) into {output}, "
        f"{count_text(explained.n_rows, 'row')}, in {explained.seconds:.2f} s"
    )


def get_var_importance(host: Host, model: str | None, output: str | None) -> str:
    """Write a table of the features' importance; raises MadtreeError as the function of the room `model`."""
    return f"get_var_importance: {count_text(write_importance(host, model, output), 'row')} of {model} into {output}"


def tree_prune(host: Host, model: str | None, new_model: str | None, *how: Any) -> str:
    """Prune a model into a new one; raises MadtreeError as the function of the room `model.write`."""
    from madtree.model.write import tree_prune  # numpy comes with it

    done = tree_prune(host, model, new_model, *how)
    return (
        f"tree_prune: {model} pruned at cp {done.cp!r} into {new_model}: {count_text(done.n_trees, 'tree')}, "
        f"{done.after} of {count_text(done.before, 'leaf')}"
    )


def boost_cut(host: Host, model: str | None, new_model: str | None, *how: Any) -> str:
    """Cut a boosted model into a new one; raises MadtreeError as the function of the room `model.write`."""
    from madtree.model.write import boost_cut  # numpy comes with it

    done = boost_cut(host, model, new_model, *how)
    groups = "" if done.n_groups is None else f" of {done.n_groups} groups"
    return (
        f"boost_cut: {model} cut to {count_text(done.n_rounds, 'round')}{groups} into {new_model}: "
        f"{done.after} of {done.before} trees"
    )


def model_alias(host: Host, alias: str | None, model: str | None, trust_owner: bool | None = False) -> str:
    """Let an alias name a model; raises MadtreeError as the function of the room `model`."""
    named = set_alias(host, alias, model, trust_owner)
    before = "" if named.before is None else f", and was {named.before}"
    return f"model_alias: {alias} is {named.now}{before}" if named.now else f"model_alias: {alias} removed{before}"


def tree_statistics(host: Host, model: str | None, training_table: str | None, trust_owner: bool | None = False) -> str:
    """Keep how the values of a model's training rows are distributed; raises MadtreeError as the function of the room
    `score`.
    """
    n_rows = score.tree_statistics(host, model, training_table, trust_owner)
    return f"tree_statistics: values of {count_text(n_rows, 'row')} of {training_table} kept with {model}"


def conformal_train(host: Host, model: str | None, *how: Any) -> str:
    """Keep how far predictions may be off; raises MadtreeError as the function of the room `score`."""
    kept = score.conformal_train(host, model, *how)
    rows = f"{count_text(kept.n_rows, 'row')} of {kept.table}"
    of_levels = f"{noun_of(len(kept.levels), 'level')} {', '.join(f'{level:g}' for level in kept.levels)}"
    return f"conformal_train: quantiles of {of_levels} by {rows} kept with {model}"


def tree_drop(host: Host, model: str | None) -> str:
    """Drop a model; raises MadtreeError as the function of the room `model`."""
    dropped = drop(host, model)
    names = ", ".join(ident(name) for name in sorted(dropped.names))
    return f"tree_drop: dropped {names} in schema {ident(dropped.schema)}"
