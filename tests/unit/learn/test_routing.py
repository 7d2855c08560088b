"""The same step down, asked for row by row and node by node."""

from __future__ import annotations

import numpy as np
import pytest

from madtree.errors import MadtreeError
from madtree.learn.at_hand.row_records import RecordLayout, RowRecords
from madtree.learn.data import RIGHT, UNKNOWN, Block, Codes, Runs
from madtree.learn.data.block import CodeLayout
from madtree.learn.data.types import Ints
from madtree.learn.route import Routing, WayDown
from madtree.learn.route.routing import category_table

N_NODES, N_ROWS = 7, 400


def routing(rng: np.random.Generator, widths: Ints, least: int) -> Routing:
    """Nodes that split by cuts from `least` on, but the last, which is a leaf."""
    found = Routing.leaves(0, N_NODES)
    found.feature[:-1] = rng.integers(0, len(widths), N_NODES - 1)
    highest = widths[found.feature[:-1]] - 1
    found.cut[:-1] = rng.integers(least, highest)
    found.cut[0] = highest[0] - 1  # the largest code alone goes right
    found.missing_right[:-1] = rng.integers(0, 2, N_NODES - 1)
    return found


@pytest.mark.parametrize("widths", [[4, 30, 256], [300, 2, 65_535], [1_000, 1_000, 1_000]])
@pytest.mark.parametrize("least", [1, 0, -1])
@pytest.mark.parametrize("lowest", [0, 1])  # code of a row; 0 where something is missing
def test_rows_that_stand_node_by_node_go_as_rows_by_their_node(widths: list[int], least: int, lowest: int) -> None:
    rng = np.random.default_rng(sum(widths) + least)
    size = np.array(widths)
    ways = routing(rng, np.minimum(size, 4) if least < 1 else size, least)
    layout = CodeLayout.for_widths(size)
    columns = [np.append(rng.integers(lowest, width, N_ROWS - 2), [lowest, width - 1]) for width in widths]
    narrow, wide = (
        np.array([c for c, is_wide in zip(columns, layout.wide, strict=True) if is_wide == kind]).reshape(-1, N_ROWS)
        for kind in (False, True)
    )
    codes = Codes(layout, narrow.astype(np.uint8), wide.astype(np.uint16))
    records = RowRecords.empty(RecordLayout.of(codes, 2), N_ROWS, 0, codes)
    every = np.arange(N_ROWS)
    records.fill(slice(0, N_ROWS), Block(codes, np.zeros(N_ROWS, np.uint8)), every, np.ones(N_ROWS, np.uint8), [])
    nodes = np.array([5, 0, 1, N_NODES - 1, 3])
    place = np.sort(rng.integers(0, len(nodes), N_ROWS))
    place[place == 2] = 3  # a node without rows
    expected = []
    for row, node in enumerate(nodes[place].tolist()):
        code, cut = int(columns[ways.feature[node]][row]), int(ways.cut[node])
        by_cut = bool(ways.missing_right[node]) if code == 0 and cut >= 0 else code > cut
        expected.append(by_cut)
    assert ways.goes_right(nodes[place], codes).tolist() == expected
    runs = Runs(np.bincount(place, minlength=len(nodes)))
    assert ways.goes_right_of(nodes, runs, records).tolist() == expected


@pytest.mark.parametrize("inner", [(), (0,), (0, 1), (0, 2), (0, 1, 2)])
def test_rows_end_in_nodes_that_are_leaves_now_whatever_categories_split_them(inner: tuple[int, ...]) -> None:
    """Tables of categories stay where they are, also those of nodes that nobody asks any more."""
    ways = Routing.leaves(0, N_NODES)
    ways.child[:3] = 1, 3, 5
    ways.cut[0], ways.feature[1:3] = 10, 1
    tables = [category_table(6, np.array(left), np.array(right)) for left, right in (([1, 3], [2]), ([2], [1, 4]))]
    ways.table[1:3] = ways.add_tables(tables)
    ways.missing_right[:3] = 1, 0, 1
    is_inner = np.isin(np.arange(N_NODES), inner)
    layout = CodeLayout.for_widths(np.array([20, 6]))
    codes = Codes(layout, np.array([np.repeat([3, 17, 0], 6), np.tile(np.arange(6), 3)], np.uint8), np.zeros((0, 18)))
    expected = []
    for number, category in codes.narrow.T.tolist():
        node = 0
        while node in inner:
            if node == 0:
                right = number > 10 or number == 0
            else:
                says = tables[node - 1][category]
                right = bool(ways.missing_right[node]) if says == UNKNOWN else says == RIGHT
            node = int(ways.child[node]) + right
        expected.append(node)
    ended = ways.ending(is_inner, 2)
    assert WayDown(ended).leaves(Block(codes, np.zeros(18, np.uint8)), 0, 1).tolist() == expected


@pytest.mark.parametrize(("width", "n_nodes"), [(200, 15), (200, 600), (1_000, 15)])
def test_rows_end_in_the_same_leaves_many_at_once_as_few(width: int, n_nodes: int) -> None:
    rng = np.random.default_rng(width)
    n_rows = 20_000
    ways = Routing.leaves(0, n_nodes)
    leaves, inner = [0], np.zeros(n_nodes, np.bool_)
    for child in (*range(1, 13, 2), n_nodes - 2):
        node = leaves.pop(int(rng.integers(len(leaves))))
        ways.child[node], inner[node] = child, True
        leaves += child, child + 1
    ways.feature[inner] = rng.integers(0, 2, 7)
    ways.cut[inner] = rng.integers(width // 4, width - 1, 7)
    ways.missing_right[inner] = rng.integers(0, 2, 7)
    codes = rng.integers(0, width, (2, n_rows)) * (rng.random((2, n_rows)) < 0.9)
    layout, none = CodeLayout.for_widths(np.array([width, width])), np.zeros((0, n_rows))
    narrow, wide = (none, codes) if layout.n_wide else (codes, none)
    block = Block(Codes(layout, narrow.astype(np.uint8), wide.astype(np.uint16)), np.zeros(n_rows, np.uint8))
    way = WayDown(ways.ending(inner, 7))
    few = [way.leaves(block.rows(slice(first, first + 100)), 0, 1) for first in range(0, n_rows, 100)]
    assert way.leaves(block, 0, 1).tolist() == np.concatenate(few).tolist()


def read(changed: dict[str, list[int]]) -> Routing:
    """A routing of five nodes by codes of one feature after its journey, with some of its fields changed."""
    sent = {**Routing.leaves(0, 5).to_values(), **{f"routing_{name}": np.array(to) for name, to in changed.items()}}
    return Routing.from_values(sent, 1, np.array([4]))


@pytest.mark.parametrize("child", [[0, 0, 2, 3, 4], [1, 3, 1, 3, 4], [1, 4, 2, 3, 4], [-1, 1, 2, 3, 4]])
def test_children_that_are_not_below_their_parent_are_refused(child: list[int]) -> None:
    """To the root, back, past the last node, before the first one."""
    assert read({"child": [1, 3, 2, 3, 4]}).child.tolist() == [1, 3, 2, 3, 4]
    with pytest.raises(MadtreeError, match="child must be"):
        read({"child": child})


@pytest.mark.parametrize("changed", [{"cut": [4, 4, 4, 4, 0]}, {"missing_right": [0, 0, 0, 0, 1], "cut": [0] * 5}])
def test_no_row_goes_past_the_last_node(changed: dict[str, list[int]]) -> None:
    codes = Codes(CodeLayout.for_widths(np.array([4])), np.array([[0, 3]], np.uint8), np.zeros((0, 2), np.uint16))
    assert read(changed).advance(np.array([4, 4]), codes).tolist() == [4, 4]
