"""A model of many trees a group as an SQL expression: what its trees add up to, or vote for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model import (
    UsableModel,
    base_scores,
    check_kind,
    check_type,
    class_position,
    find_to_use,
    isotonic_functions,
    notice_class,
    probabilities,
    read_trees,
)
from madtree.sqltext.condition import Spelling
from madtree.sqltext.portable import spelling_of
from madtree.sqltext.score_sum import ScoreSum
from madtree.sqltext.tree_sum import GroupTrees, VoteSum
from madtree.trees import Model, Node

ADDED_TYPES, VOTED_TYPES = ("response", "prob", "raw"), ("response", "prob", "prob_mean")
MOST_LEAVES = 20_000  # of all trees together
MOST_ROUNDS = 1000
_CUT, _SMALLER = "madtree.boost_cut makes a smaller one.", "fewer or smaller trees make a smaller one."


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
    opened = find_to_use(host, model_name, trust_owner)
    model = opened.model
    check_kind(model, "boost_sql", "model")
    wanted, place = _checked(model, type_, class_)
    if wanted == "prob" and class_ is None:
        notice_class(host, model)
    sums = ScoreSum(model, _groups(opened, _CUT), host.let_in, spelling)
    if wanted == "raw":
        return sums.scores(place)
    if wanted == "prob":
        return sums.probability(place)
    return sums.likeliest() if model.is_classification else sums.number()


def _checked(model: Model, type_: str | None, class_: str | None) -> tuple[str, int | None]:
    """The type of prediction, and the place of the class that is asked for."""
    wanted = check_type(model, type_, ADDED_TYPES)
    each_has_one = wanted == "prob" or (wanted == "raw" and model.n_scores > 1)
    if class_ is not None and not each_has_one:
        of_many = " or, of more than two classes, 'raw'" if model.is_classification else ""
        raise MadtreeError(f"class says whose probability is wanted, which takes type 'prob'{of_many}, not {wanted!r}")
    if not each_has_one or (class_ is None and len(model.classes) > 2):
        return wanted, None
    return wanted, class_position(model, class_)


def vote_expression(opened: UsableModel, type_: str | None, class_: str | None, spelling: Spelling) -> str:
    """A model whose trees vote, or whose means are averaged; the arguments as of `boost_sql`.

    Raises:
        MadtreeError: an argument is not valid, or the model is too large.
    """
    model = opened.model
    wanted = check_type(model, type_, VOTED_TYPES)
    if class_ is not None and wanted == "response":
        raise MadtreeError(f"class says whose probability is wanted, which takes type 'prob', not {wanted!r}")
    n_classes = len(model.classes)
    of_all = n_classes > 2 and class_ is None
    places = range(n_classes) if of_all else [class_position(model, class_)] if wanted != "response" else []
    if places and class_ is None:
        notice_class(opened.host, model)
    groups = _groups(opened, _SMALLER, n_classes if of_all else 1)
    sums = VoteSum(model, groups, opened.host.let_in, spelling)
    if wanted == "response":
        return sums.most_voted() if model.is_classification else sums.mean(lambda leaf: float(leaf.prediction or 0))
    shares = [sums.mean(_SHARES[wanted](model, place)) for place in places]
    return spelling.array(shares) if of_all else shares[0]


# By the type, of a class that is given by its place, what a leaf says of it.
_SHARES: Mapping[str, Callable[[Model, int], Callable[[Node], float]]] = {
    "prob": lambda model, place: lambda leaf: float(leaf.prediction == model.classes[place]),
    "prob_mean": lambda model, place: lambda leaf: probabilities(leaf.class_weights or ())[place],
}


def _groups(opened: UsableModel, hint: str, copies: int = 1) -> list[GroupTrees]:
    """The groups that could be trained. What PostgreSQL would take too long to read, or too much of its stack, is
    refused.

    Args:
        hint: what makes a smaller model.
        copies: how often each tree is written.

    Raises:
        MadtreeError: there are too many leaves, or trees of a sum.
    """
    size = opened.size()
    _check_size(opened.model, int(size["leaves"]) * copies, copies, hint)
    if not size["trees"]:
        return []
    bases, isotonic, found = base_scores(opened), isotonic_functions(opened), []
    of_trees = groupby(read_trees(opened), key=lambda tree: opened.model.numbering.group(tree.tree_id))
    n_nodes = 0  # which nobody has to tell as they are
    for group, trees in ((group, tuple(trees)) for group, trees in of_trees):
        found.append(GroupTrees(trees, bases[group - 1] if bases else (), isotonic[group - 1] if isotonic else ()))
        n_nodes += sum(len(tree.nodes) for tree in trees)
    _check_size(opened.model, n_nodes // 2 * copies, copies, hint)
    return found


def _check_size(model: Model, leaves: int, copies: int, hint: str) -> None:
    n_rounds = model.n_members // model.n_scores
    if leaves > MOST_LEAVES or n_rounds > MOST_ROUNDS:
        of_all = " for all classes" * (copies > 1)
        raise MadtreeError(
            f"{model.name} has {leaves:,} leaves{of_all} and up to {n_rounds:,} {model.kind.unit}s; as an expression a "
            f"model has at most {MOST_LEAVES:,} and {MOST_ROUNDS:,}",
            hint=f"madtree.{model.kind.predicts} scores by models of any size; {hint}",
            sqlstate="54000",
        )
