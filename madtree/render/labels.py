"""The words of a drawn tree: numbers, splits, classes and groups."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from madtree.trees import (
    RANGES,
    Categories,
    Feature,
    FeatureKind,
    Model,
    Node,
    Split,
    Tree,
    duration_text,
    first_right_label,
    last_duration,
    last_left,
    moment_text,
)

SIX, MOST_DIGITS = 6, 17  # significant digits of a number; and with how many it is told from any other
NOISE = 1e-9  # of a tree's greatest value; less cannot be told from 0 beside it in six digits
MOST_COUNTS, SHOWN_COUNTS = 10, 3  # classes of which all counts are shown; and how many are of more
SHORT = 60  # characters of a list of categories, unless all of it is asked for
EXACT_INTEGERS = 10**15  # up to here an integral float is written out, beyond with an exponent
BARE_CATEGORY = re.compile(r"[^\s,{}\"\\](?:[^,{}\"\\\n\r\t]*[^\s,{}\"\\])?")
# Control characters, and format characters that show nothing and change what stands around them, such as the order in
# which it is read; not the joiners U+200C and U+200D, without which some languages cannot be written.
_FORMAT = "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_FORMAT}]")


def number_text(value: float, digits: int = SIX) -> str:
    """A number in six significant digits, or as many, but an integer in all of its digits."""
    if value == int(value) if abs(value) < EXACT_INTEGERS else False:
        return str(int(value))
    return f"{value:.{digits}g}"


def telling_digits(threshold: float, shown: str, is_below: bool) -> int | None:
    """How many digits of a threshold tell that a value, as it is `shown`, is below it or not; None if none do."""
    value = Decimal(shown)
    for digits in range(SIX, MOST_DIGITS + 1):
        if (value <= Decimal(number_text(threshold, digits))) == is_below:
            return digits
    return None


def one_line(text: str) -> str:
    r"""`text` with its line breaks and other characters that act as escapes (\n, \t, \u0007, \u202e)."""
    return CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def lines(text: str) -> str:
    """`text` as `one_line` has it, but with its line breaks."""
    return "\n".join(map(one_line, text.split("\n")))


def quoted(text: str) -> str:
    """`text` in double quotes on one line, as JSON writes it."""
    return one_line(json.dumps(text, ensure_ascii=False))


def category_text(category: str | None) -> str:
    """A category as it is where it cannot be misread in a list, else in double quotes; NULL for None."""
    if category is None or category == "NULL":
        return quoted(category) if category else "NULL"
    return category if BARE_CATEGORY.fullmatch(category) and not CONTROL.search(category) else quoted(category)


def split_text(node: Split, feature: Feature, max_length: int | None = None, digits: int = SIX) -> str:
    """What the rows of the true branch have in common: ``temperature <= 75``, ``"OUTLOOK" in {overcast}``.

    Args:
        max_length: shorten the list of categories to about that many characters.
        digits: of a threshold that is a plain number.
    """
    name = one_line(feature.name)
    if feature.kind is FeatureKind.UNORDERED:
        return f"{name} {among_text(node.left_levels or (), node.right_levels or (), max_length)}"
    return f"{name} {threshold_text(feature, node.threshold or 0.0, digits)}"


def among_text(categories: Categories, others: Categories, max_length: int | None) -> str:
    """``in {AA,DL}``; of a side whose categories are not named, since all but the `others` take it, ``not in {UA}``."""
    if others and not categories:
        return f"not in {{{categories_text(others, max_length)}}}"
    return f"in {{{categories_text(categories, max_length)}}}"


IS_KNOWN, IS_MISSING = "is known", "is missing"


def threshold_text(feature: Feature, threshold: float, digits: int = SIX) -> str:
    """The comparison with a threshold in the feature's own terms: labels, integers, dates, else numbers of so many
    significant digits. Infinity tells rows that have a value from those that have none.
    """
    if threshold == math.inf:
        return IS_KNOWN
    if feature.labels:
        label, is_right = first_right_label(feature, threshold)
        position = feature.labels.index(label)
        if is_right and position > 0:
            return f"<= {category_text(feature.labels[position - 1])}"
        return f"{'<' if is_right else '<='} {category_text(label)}"
    if feature.type in ("smallint", "integer", "bigint"):
        return f"<= {last_left(feature.type, threshold)}"
    if feature.type in RANGES:
        return f"<= {moment_text(feature.type, last_left(feature.type, threshold))}"
    if feature.type == "interval":
        return f"<= {duration_text(last_duration(threshold))}"
    return f"<= {number_text(threshold, digits)}"


def value_text(model: Model, node: Node, full: bool = False) -> str:
    """What a node holds: ``[5 9]``, class weights in class order; or ``[32, 20.0906]``, rows and mean.

    Of many classes, unless `full`, those with the most: ``[AA 120, UA 80, B6 7, ... 5 more]``.
    """
    if model.has_class_leaves and len(model.classes) > MOST_COUNTS and not full:
        weights = zip(model.classes, node.class_weights or (), strict=False)
        found = sorted((pair for pair in weights if pair[1] > 0), key=lambda pair: -pair[1])
        shown = [f"{category_text(name)} {number_text(weight)}" for name, weight in found[:SHOWN_COUNTS]]
        more = [f"... {len(found) - SHOWN_COUNTS} more"] if len(found) > SHOWN_COUNTS else []
        return f"[{', '.join([*shown, *more])}]"
    if model.has_class_leaves:
        return f"[{' '.join(map(number_text, node.class_weights or ()))}]"
    return f"[{node.n_rows}, {prediction_text(model, node)}]"


def prediction_text(model: Model, node: Node) -> str:
    """A class in double quotes, or a number."""
    if model.has_class_leaves:
        return quoted(str(node.prediction))
    return number_text(float(node.prediction or 0.0))


def without_noise(model: Model, tree: Tree) -> Tree:
    """The tree as it is shown. Of a boosted tree the values of inner nodes, which nobody predicts by, are 0 where they
    are so little beside its greatest value that they may be what is left of rounding: the mean of what a round fits is
    0 at the root, and comes out as 1e-15.
    """
    if not model.adds_scores or not tree.nodes:
        return tree
    least = NOISE * max(abs(float(node.prediction or 0.0)) for node in tree.nodes.values())
    noisy = {
        number: replace(node, prediction=0.0)
        for number, node in tree.nodes.items()
        if not node.is_leaf and abs(float(node.prediction or 0.0)) < least
    }
    return replace(tree, nodes={**tree.nodes, **noisy})


def leaf_words(model: Model, class_: str | None = None) -> str:
    """What the value of a node is: the outcome, or of a boosted model what the node adds to a score.

    Args:
        class_: whose score, where each class has one and it is known.
    """
    if not model.adds_scores:
        return one_line(model.target)
    of_class = "" if class_ is None else f" = {category_text(class_)}"
    return f"added to the raw score of {one_line(model.target)}{of_class}"


def heading(model: Model, of: str) -> str:
    """What kind of tree a drawing shows; `of` what, where that does not say it."""
    if model.adds_scores:
        return f"Boosted tree, {leaf_words(model)}"
    return f"{'Classification' if model.is_classification else 'Regression'} tree for {of}"


def group_text(model: Model, tree: Tree) -> str:
    """A tree's group: ``carrier = UA, year = 2013``; empty where the model is not grouped."""
    pairs = zip(model.grouping_columns, tree.group, strict=True)
    return ", ".join(f"{one_line(column)} = {category_text(value)}" for column, value in pairs)


def room_for_categories(full: bool) -> int | None:
    """How many characters a list of categories may take; None if all of it is asked for."""
    return None if full else SHORT


def categories_text(categories: Iterable[str | None], max_length: int | None) -> str:
    """Categories as a list: ``AA,DL``, or ``AA,DL, ... 312 more`` where they need more than `max_length` characters."""
    texts = [category_text(each) for each in categories]
    if max_length is None or len(",".join(texts)) <= max_length:
        return ",".join(texts)
    shown: list[str] = []
    length = -1
    for whole in texts:
        text = whole if len(whole) <= max_length else f"{whole[:max_length]}..."
        length += 1 + len(text)
        if shown and length > max_length:
            break
        shown.append(text)
    more = len(texts) - len(shown)
    return f"{','.join(shown)}, ... {more} more" if more else ",".join(shown)
