"""Which branch of a node a row takes, and which rows come to a node, as SQL conditions (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madtree.render.case import Asked
from madtree.sqltext.condition import READABLE, Spelling
from madtree.trees import Feature, FeatureKind, Model, Node, Split, Tree


def question(
    node: Node, features: Mapping[str, Feature], spelling: Spelling, seen: Mapping[str, Sequence[str]], *, known: bool
) -> Asked:
    """What an inner node asks; `known`: of rows that have a value of its feature, as a question above it has told.
    Then one comparison is enough, with no look for NaN and no surrogate; `features` and `seen` as below.
    """
    feature = features[str(node.feature)]
    if known:
        return Asked(_answer(node, feature, True, (), spelling, whole=False), goes_left=True, tells=True)
    in_order = feature.kind is not FeatureKind.UNORDERED and not feature.null_last
    condition = goes_against_majority(node, features, spelling, seen)
    return Asked(condition, not node.majority_left, tells=in_order and not node.surrogates)


def goes_against_majority(
    node: Node, features: Mapping[str, Feature], spelling: Spelling, seen: Mapping[str, Sequence[str]] | None = None
) -> str:
    """A condition that is true for the rows that leave an inner node by the branch *other* than the majority's.

    It is NULL or false for every other row: those that go with the majority, and those of which neither the node's own
    split nor a surrogate can tell. So it belongs into a CASE whose ELSE is the majority's branch.

    Without surrogates one comparison is enough, as it may be false or NULL for what the split cannot tell. With them
    each split has to say true, false or NULL, and COALESCE asks them in turn, the later ones only where it must.

    Args:
        features: by their names in the model.
        seen: `Tree.seen_categories`.

    Raises:
        ValueError: the node is a leaf, or lacks what its feature is split by.
    """
    to_left = not node.majority_left
    splits: tuple[Split, ...] = (node, *node.surrogates)
    answers = [
        _answer(
            split,
            features[str(split.feature)],
            to_left,
            (seen or {}).get(str(split.feature), ()),
            spelling,
            whole=len(splits) > 1,
        )
        for split in splits
    ]
    return spelling.answers_true(answers)


def _answer(
    split: Split, feature: Feature, to_left: bool, seen: Sequence[str], spelling: Spelling, *, whole: bool
) -> str:
    """A condition that is true for the rows that a split sends to one side, false for those it sends to the other.

    Args:
        to_left: whether the left is the side meant.
        seen: categories seen in training.
        whole: it must be NULL for rows of which the split cannot tell; else anything but true will do.
    """
    if feature.kind is FeatureKind.UNORDERED:
        return _answer_by_category(split, feature, to_left, seen, spelling, whole=whole)
    if split.threshold is None:
        raise ValueError(f"a split on {feature.name} has no threshold")
    compare = spelling.below if to_left == split.low_goes_left else spelling.beyond
    return compare(feature, split.threshold, whole=whole)


def _answer_by_category(
    split: Split, feature: Feature, to_left: bool, seen: Sequence[str], spelling: Spelling, *, whole: bool
) -> str:
    left, right = split.left_levels or (), split.right_levels or ()
    ours, theirs = (left, right) if to_left else (right, left)
    named = {*ours, *theirs}  # which may be tens of thousands
    absent = [category for category in seen if category not in named]
    here, there = _texts(ours), _texts(theirs)

    def is_of(categories: Sequence[str]) -> str:
        return spelling.among(feature, categories)

    # Where NULL is a category, what was never seen goes its way: it is known by being none of the other categories.
    if None in ours:
        if not whole:
            return spelling.fails(is_of([*there, *absent]))
        unknown = [(is_of(absent), None)] if absent else []
        return spelling.answer([(is_of(there), False), *unknown], otherwise=True)
    if not whole:
        return is_of(here)
    if None in theirs:
        unknown = [(is_of(absent), None)] if absent else []
        return spelling.answer([(is_of(here), True), *unknown], otherwise=False)
    if feature.type == "boolean" and here and there:
        return spelling.truth_value(is_of(here))
    return spelling.answer([(is_of(here), True), (is_of(there), False)])


def _texts(categories: Sequence[str | None]) -> list[str]:
    return [category for category in categories if category is not None]


def leaf_predicate(model: Model, features: Mapping[str, Feature], tree: Tree, node_id: int) -> str:
    """A condition over the training table's columns that is true for the rows that end in a node, and for no other.

    Each step of the path repeats the node's question as `tree_sql` asks it, which is true for the branch other than the
    majority's. The majority's rows are all the others, also those of which it is NULL: hence IS NOT TRUE.

    Args:
        features: by their names in the model.
    """
    terms = []
    if model.grouping_columns:
        terms.append(READABLE.of_group(model, tree))
    for node, goes_left in tree.path(node_id):
        question = goes_against_majority(node, features, READABLE, tree.seen_categories)
        terms.append(f"({question})" + (" IS NOT TRUE" if goes_left == node.majority_left else ""))
    return " AND ".join(terms) or "true"
