"""The plan by which blocks of rows are scored: all trees of a model and what they say, which every worker is handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from madtree.learn.data import WIDE_LIMIT, Array, Bools, Floats, Ints, Values, codec, narrowest, require
from madtree.learn.walk import FlatTrees, Walk
from madtree.model.arrays import IsotonicArrays
from madtree.records import dataclass
from madtree.score.member_scorer import (
    EVALUATED,
    INTERVAL,
    LEAF_OUTCOMES,
    LEAF_SUMS,
    OF_ANY_NUMBER,
    OF_SCORES,
    OUT_OF_BAG,
    SAYS_NUMBERS,
    SHAP,
    VOTES,
    WHATS,
)
from madtree.trees import LOSSES, DeclaredLoss, Link

if TYPE_CHECKING:
    from madtree.learn.problem import Bootstrap
    from madtree.score.shap_plan import ShapValues

MOST_MEMBERS = 2**20  # of a group
_MOST_OUTCOME = 2**32 - 1
_OF_INTERVALS = ("means", "outcomes")  # numbers of each node


@dataclass(frozen=True)
class Drawn:
    """Which rows trees have seen.

    Attributes:
        samples: that they were grown on.
        is_tested: (n_trees,) false of a tree for which no row was drawn: it has seen all.
        identity: SQL of the number that tells rows apart in samples.
    """

    samples: Bootstrap
    is_tested: Bools
    identity: str


@dataclass(frozen=True)
class ScoreValues:
    """What a boosted model's scores come to.

    Attributes:
        base: (n_groups, n_scores) of all groups, by their numbers: the scores before any tree.
        loss: that the trees have lowered, which says how scores become predictions.
        n_first: trees of each group that are asked, from the first one on; None for all.
        quantile: of the loss, None where it has none.
        thresholds: (n_groups,) of the loss; None where it has none. isotonic: steps of all groups, None without these.
        has_offset: whether rows have offsets, which are added to their scores.
    """

    base: Floats
    loss: DeclaredLoss
    n_first: int | None = None
    quantile: float | None = None
    thresholds: Floats | None = None
    isotonic: IsotonicArrays | None = None
    has_offset: bool = False


@dataclass(frozen=True)
class LeafDraws:
    """How a row is drawn for each leaf.

    Attributes:
        seed: of the training.
        weighted: whether the chance of a row is in proportion to its weight.
        first, last: of each group's trees, from 0, the first one that is asked and the one behind the last one.
    """

    seed: int
    weighted: bool
    first: int
    last: int


@dataclass(frozen=True)
class SummedLeaves:
    """The trees by whose leaves rows are summed, `first` and `last` as in `LeafDraws`. `n_classes` is 0 for numbers;
    `with_some` says that rows without any feature do not count.
    """

    n_classes: int
    weighted: bool
    first: int
    last: int
    with_some: bool


@dataclass(frozen=True)
class MemberValues:
    """What the trees of each group say together.

    Attributes:
        members: trees of each group, at most; their ids follow each other.
        what: one of `score.member_scorer.WHATS`.
        n_classes: 0 for numbers.
        values: (n_nodes, n_values) what each node as a leaf says; whole numbers, but for means and judged.
        drawn: the rows that the trees were grown on, for what is said out of bag; else None.
        counts: trees of every group, where these differ (`trees.Numbering`): for what does not tell of each tree.
        scores: of boosted models, whose trees say numbers that are added up; None for others.
        shap: where rows are explained; `values` are nothing then.
        level: of an interval; of each node there are the mean and the outcome that it keeps.
        draws: where outcomes are drawn, or rows are summed, by leaf; `values` are nothing then.
    """

    members: int
    what: str
    n_classes: int
    values: Floats
    drawn: Drawn | None = None
    counts: tuple[int, ...] = ()
    scores: ScoreValues | None = None
    shap: ShapValues | None = None
    level: float | None = None
    draws: LeafDraws | SummedLeaves | None = None


def build_plan(
    trees: FlatTrees, by_node: Ints | MemberValues, *, grouped: bool, between: Callable[[], None] = lambda: None
) -> bytes:
    """The plan as `score.block_scorer.score_block` reads it.

    Args:
        by_node: by each node as a leaf. Of single trees (n_nodes,) what to return for a row that ends there, a position
            from 1.
        grouped: whether rows bring a tree's id, or a group's number, before their features.
        between: called after each few passes over all nodes, for cancels to be let in.

    Raises:
        MadtreeError: some trees of a group are missing.
    """
    if not isinstance(by_node, MemberValues):
        # Rows without a tree find an outcome, too: none.
        outcome = narrowest(np.append(by_node, 0))
        return codec.dump({**Walk.values_of(trees, 0, between), "outcome": outcome, "grouped": grouped, "members": 0})
    if by_node.what in VOTES:
        trees, values = trees.up_to_agreement(by_node.values[:, 0], between)
        by_node = replace(by_node, values=values[:, None])
    return codec.dump(
        {
            **Walk.values_of(trees, by_node.members, between, by_node.counts),
            "grouped": grouped,
            "members": by_node.members,
            **_member_values(by_node),
        }
    )


def _member_values(members: MemberValues) -> dict[str, Any]:
    if members.shap is not None:
        return {"what": members.what, **members.shap.to_values()}
    if members.draws is not None:
        return {"what": members.what, **vars(members.draws)}
    if members.level is not None:
        means, outcomes = np.ascontiguousarray(members.values.T)
        return {"what": members.what, "means": means, "outcomes": outcomes, "level": members.level}
    values = members.values if members.what in (*SAYS_NUMBERS, *OF_SCORES) else narrowest(members.values)
    drawn = members.drawn
    samples = {} if drawn is None else {"samples": drawn.samples.to_value(), "is_tested": drawn.is_tested}
    return {"what": members.what, "n_classes": members.n_classes, "values": values, **samples, **_score_values(members)}


def _score_values(members: MemberValues) -> dict[str, Any]:
    scores = members.scores
    if scores is None:
        return {}
    n_first = min(scores.n_first or members.members, members.members)
    link = scores.loss.link_of(members.n_classes)
    by_node = {"base": scores.base, "link": link.value, "n_first": n_first, "loss": scores.loss.name}
    isotonic = {} if scores.isotonic is None else scores.isotonic.to_values()
    more = {name: getattr(scores, name) for name in ("quantile", "thresholds", "has_offset")}
    return {**by_node, **more, **isotonic}


def checked_plan(values: Mapping[str, Any]) -> dict[str, Any]:
    """The plan whose values these are: anybody may hand `score_block` a plan of their own.

    Raises:
        MadtreeError: they are none of a plan's.
    """
    given = Values(values)
    if "counted" in given:
        from madtree.score.value_counts import checked_counts  # takes long to load, and most predictions do without

        return checked_counts(given)
    grouped = given.boolean("grouped")
    members = given.integer("members", 0, MOST_MEMBERS)
    walk = Walk.from_values(given, members)
    n_groups, n_nodes = len(walk.groups), len(walk.child)
    require(walk.counts is None or given.text("what", WHATS) in OF_ANY_NUMBER, "counts", "of what any number says")
    require(grouped or n_groups <= 1, "trees", "one where rows do not name theirs")
    require(not members or n_groups > 0, "members", "those of a group that is there")
    return {
        "walk": walk,
        "grouped": grouped,
        "members": members,
        "has_offset": False,
        **(_checked_members(given, walk, members) if members else {"outcome": _checked_outcome(given, n_nodes)}),
        **_checked_samples(given, members, len(walk.roots)),
    }


def _checked_outcome(given: Values, n_nodes: int) -> Array:
    """What rows of single trees come to."""
    outcome: Array = given.ints("outcome", (n_nodes + 1,), 0, _MOST_OUTCOME, None)
    require(outcome.dtype.kind == "u", "outcome", "unsigned integers")
    require(int(outcome[-1]) == 0, "outcome", "0 where there is no tree")
    return outcome


def _checked_samples(given: Values, members: int, n_trees: int) -> dict[str, Any]:
    """The samples of all trees, where the plan asks what is said out of bag."""
    if not members or given.text("what", WHATS) not in OUT_OF_BAG:
        return {"samples": None}
    from madtree.learn.problem import Bootstrap  # takes long to load, and most predictions do without

    samples = Bootstrap.from_values(given.mapping("samples"))
    require(samples.count == members, "samples", "one of each tree")
    return {"samples": samples, "is_tested": given.bools("is_tested", (n_trees,))}


def _checked_members(given: Values, walk: Walk, members: int) -> dict[str, Any]:
    """What trees say together."""
    what, n_nodes = given.text("what", WHATS), len(walk.child)
    if what == SHAP:
        from madtree.score.shap_plan import checked_shap  # takes long to load, and most predictions do without

        return checked_shap(given, walk, members)
    if what == INTERVAL:
        level = given.number("level", 0.0, 1.0)
        require(0 < level < 1, "level", "above 0 and below 1")
        return {"what": what, "level": level, **{each: given.floats(each, (n_nodes,)) for each in _OF_INTERVALS}}
    if what == LEAF_OUTCOMES:
        last = given.integer("last", 1, members)
        first = given.integer("first", 0, last - 1)
        seed = given.integer("seed", -(2**63), 2**63 - 1)
        return {"what": what, "seed": seed, "weighted": given.boolean("weighted"), "first": first, "last": last}
    if what == LEAF_SUMS:
        from madtree.score.leaf_sums import checked_sums  # as above

        return {"what": what, **checked_sums(given, members)}
    n_classes = given.integer("n_classes", 0, WIDE_LIMIT)
    if what in OF_SCORES:
        return _checked_scores(given, what, n_classes, n_nodes, members, walk.groups)
    if what in SAYS_NUMBERS:
        values = given.floats("values", (n_nodes, None))
        require(values.shape[1] > 0, "values", "some of each node")
        if what not in EVALUATED:
            return {"what": what, "n_classes": n_classes, "values": values}
        require(values.shape[1] == 1 + n_classes, "values", f"{1 + n_classes} of each node")
        by_node = values[:, 0]
        require(by_node.min() >= 1 and by_node.max() <= n_classes, "values", "numbers of classes")
        class_of = by_node.astype(np.min_scalar_type(n_classes))
        return {"what": what, "n_classes": n_classes, "values": values[:, 1:], "class_of": class_of}
    low, high = (0, 2**31 - 1) if what == "leaves" else (1, n_classes)
    whole = given.ints("values", (n_nodes, 1), low, high, np.min_scalar_type(high))
    return {"what": what, "n_classes": n_classes, "values" if what == "leaves" else "class_of": whole[:, 0]}


def _checked_scores(
    given: Values, what: str, n_classes: int, n_nodes: int, members: int, groups: Ints
) -> dict[str, Any]:
    """What the scores of a boosted model come to."""
    base = given.floats("base", (None, None))
    n_scores = base.shape[1]
    require(n_scores >= 1, "base", "of one score at least")
    require(len(groups) == 0 or 1 <= int(groups[0]) <= int(groups[-1]) <= len(base), "base", "those of all groups")
    require(members % n_scores == 0, "members", "as many of each score")
    has_offset = given.boolean("has_offset")
    require(n_scores == 1 or not has_offset, "has_offset", "where rows have one score")
    link = Link(given.text("link", [each.value for each in Link]))
    isotonic = IsotonicArrays.from_values(given, len(base) * n_scores) if link is Link.ISOTONIC else None
    of_one = n_classes == 2 if isotonic else link in (Link.LOGIT, Link.HALF_LOGIT) and 1 <= n_classes <= 2
    of_classes = n_scores == n_classes if n_scores > 1 else of_one
    loss = LOSSES[given.text("loss", [*LOSSES])]
    says_number = what in ("raw", "expected") or (what == "staged" and not loss.of_classes)
    require(says_number or of_classes, "link", "one of classes")
    require(what != "staged" or (link == loss.link_of(n_classes) and not isotonic), "loss", "one of that link")
    thresholds = given.floats("thresholds", (len(base),)) if "thresholds" in given else None
    quantile = given.number("quantile", 0.0, 1.0) if "quantile" in given else None
    if what == "staged":
        require(loss.takes_quantile == (quantile is not None), "quantile", "there where the loss has one")
        require(loss.has_threshold == (thresholds is not None), "thresholds", "there where the loss has some")
    return {
        "what": what,
        "n_classes": n_classes,
        "quantile": quantile,
        "thresholds": thresholds,
        "values": given.floats("values", (n_nodes, 1)),
        "base": base,
        "link": link,
        "n_first": given.integer("n_first", 0, members),
        "loss": loss.name,
        "isotonic": isotonic,
        "has_offset": has_offset,
    }
