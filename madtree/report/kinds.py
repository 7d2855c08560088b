"""What a page shows of each kind of model in its own way, and what it calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from madtree.model import OpenModel
from madtree.records import dataclass
from madtree.report.ensembles import out_of_bag_values, round_values
from madtree.sqltext import report as sql
from madtree.sqltext.values import Writer
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind


@dataclass(frozen=True)
class KindPage:
    """A page's parts that differ.

    Attributes:
        heading: above the tree that is drawn.
        picked, listed: what is chosen from, and the heading of the list of all.
        trees: the query for the trees that a page has first.
        which: says which of all trees these are.
        whole: what the page's script is told of a model as a whole, by the groups' numbers.
        no_expression: why there is no expression to be shown; empty where there is.
    """

    heading: str
    picked: str
    listed: str
    trees: Callable[[str, str, Sequence[tuple[str, Writer | None]]], str]
    which: str
    whole: Callable[[OpenModel, Sequence[int]], list[dict[str, Any]]]
    no_expression: str


def _nothing(opened: OpenModel, gids: Sequence[int]) -> list[dict[str, Any]]:
    return []


_FOREST_PAGE = KindPage(
    heading="One of the trees",
    picked="Tree",
    listed="All trees on this page",
    trees=sql.first_trees,
    which="the first ones, or those asked for by madtree report --tree NUMBER.",
    whole=out_of_bag_values,
    no_expression="A forest is no single expression; one of its trees is.",
)
PAGES: Mapping[ModelKind, KindPage] = {
    TREE: KindPage(
        heading="Tree",
        picked="Group",
        listed="All groups on this page",
        trees=sql.largest_trees,
        which="those with the most rows, or those asked for.",
        whole=_nothing,
        no_expression="",
    ),
    FOREST: _FOREST_PAGE,
    BOOSTED: replace(
        _FOREST_PAGE,
        whole=round_values,
        no_expression="The expression of a boosted model is the sum of all its trees, and for small models only.",
    ),
}
