"""boost_sql: a boosted model as an SQL expression."""

from __future__ import annotations

from itertools import groupby

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import (
    ModelTables,
    base_scores,
    check_kind,
    check_type,
    class_position,
    find_model,
    read_summary,
    read_trees,
    step_functions,
    tell_of_last_class,
)
from madtree.sqltext import models as models_sql
from madtree.sqltext.condition import READABLE
from madtree.sqltext.portable import spelling_of
from madtree.sqltext.score_sum import GroupTrees, ScoreSum
from madtree.trees import Link, Model

TYPES = ("response", "prob", "raw")
MOST_LEAVES = 20_000  # of all trees together
MOST_ROUNDS = 1000


def boost_sql(
    host: Host,
    model_name: str | None,
    type_: str | None,
    trust_owner: bool | None = False,
    class_: str | None = None,
    dialect: str | None = None,
) -> str:
    """The model as an SQL expression.

    Args:
        trust_owner: that of `find_model`.
        class_: whose probability or score is wanted, as text.
        dialect: that of `spelling_of`.

    Raises:
        MadtreeError: an argument is not valid, or the model is too large.
    """
    spelling = spelling_of(dialect)
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    model = read_summary(host, tables)
    check_kind(model, "boost_sql", "model")
    wanted, place = _checked(model, type_, class_)
    _check_size(host, tables, model)
    if wanted == "prob" and class_ is None:
        tell_of_last_class(host, model)
    of_many = model.n_scores > 1 and (wanted != "raw" or place is None)
    if spelling is not READABLE and (of_many or (wanted == "prob" and model.loss.link is Link.STEPS)):
        whose = "more than two classes" if of_many else "a model that was calibrated by isotonic regression"
        raise MadtreeError(
            f"dialect: {wanted!r} of {whose} takes a form of sub-select that is PostgreSQL's",
            hint="Take 'raw' with class => '...' for each class: the most probable one has the largest score."
            if of_many
            else "Take 'raw': step_scores and step_probabilities of <output>_group say what a score means.",
            sqlstate="0A000",
        )
    sums = ScoreSum(model, _groups(host, tables, model), host.let_in, spelling)
    if wanted == "raw":
        return sums.scores(place)
    if wanted == "prob":
        return sums.probability(place)
    return sums.likeliest() if model.is_classification else sums.number()


def _checked(model: Model, type_: str | None, class_: str | None) -> tuple[str, int | None]:
    """The type of prediction, and the place of the class that is asked for."""
    wanted = check_type(model, type_, TYPES)
    each_has_one = wanted == "prob" or (wanted == "raw" and model.n_scores > 1)
    if class_ is not None and not each_has_one:
        of_many = " or, of more than two classes, 'raw'" if model.is_classification else ""
        raise MadtreeError(f"class says whose probability is wanted, which takes type 'prob'{of_many}, not {wanted!r}")
    if not each_has_one or (class_ is None and len(model.classes) > 2):
        return wanted, None
    return wanted, class_position(model, class_)


def _check_size(host: Host, tables: ModelTables, model: Model) -> None:
    """Refuse what PostgreSQL would take too long to read, or too much of its stack."""
    leaves = int(host.query(models_sql.size(tables.schema, tables.name))[0]["leaves"])
    n_rounds = model.n_members // model.n_scores
    if leaves > MOST_LEAVES or n_rounds > MOST_ROUNDS:
        raise MadtreeError(
            f"{model.name} has {leaves:,} leaves and up to {n_rounds:,} rounds; as an expression a model has at most "
            f"{MOST_LEAVES:,} and {MOST_ROUNDS:,}",
            hint="madtree.boost_predict scores by models of any size; madtree.boost_cut makes a smaller one.",
            sqlstate="54000",
        )


def _groups(host: Host, tables: ModelTables, model: Model) -> list[GroupTrees]:
    """The groups that could be trained."""
    if not any(model.numbering.counts):
        return []
    bases, found = base_scores(host, tables, model), []
    steps = step_functions(host, tables, model)
    of_trees = groupby(read_trees(host, tables, model), key=lambda tree: model.numbering.group(tree.tree_id))
    for group, trees in ((group, tuple(trees)) for group, trees in of_trees):
        found.append(GroupTrees(trees, bases[group - 1], steps[group - 1] if steps else None))
    return found
