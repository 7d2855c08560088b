"""What the block scorer says of a forest's rows, held against walking down tree by tree and row by row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from test_forged_bytes import images_of

from madtree.errors import MadtreeError
from madtree.learn.data import LEFT, RIGHT, codec, finished
from madtree.learn.walk import FlatSplits, FlatTrees, SplitCategories
from madtree.score import block_scorer
from madtree.score.block_plan import MemberValues, build_plan
from madtree.score.block_scorer import score_block
from madtree.score.routed_rows import EXPONENT_ABOVE

N_FEATURES = 3
MEMBERS = 5


class Forest:
    """Random trees of some groups, by node: `feature` is -1 of a leaf, `side` of a category or None."""

    def __init__(self, seed: int, thresholds: np.ndarray, n_inner: int, n_groups: int = 1, unordered: bool = False):
        rng = np.random.default_rng(seed)
        tree_id, node_id, inner = [], [], []
        for tree in range(1, n_groups * MEMBERS + 1):
            split, open_ = set(), [0]
            for _ in range(n_inner if tree % 3 else n_inner // 2):
                node = open_.pop(int(rng.integers(max(len(open_) // 2, 1))))
                split.add(node)
                open_ += [2 * node + 1, 2 * node + 2]
            own = sorted([*split, *open_])
            tree_id += [tree] * len(own)
            node_id += own
            inner += [node in split for node in own]
        self.tree_id, self.node_id, self.inner = np.array(tree_id), np.array(node_id), np.array(inner)
        n = len(inner)
        self.feature = np.where(self.inner, rng.integers(0, N_FEATURES, n), -1)
        self.threshold = np.where(self.inner, rng.choice(thresholds, n), np.nan)
        self.is_category = [False, False, unordered]
        self.on_category = self.inner & (self.feature == 2) if unordered else np.zeros(n, bool)
        self.threshold[self.on_category] = np.nan
        self.majority_left = rng.random(n) < 0.5
        self.place = {(t, i): at for at, (t, i) in enumerate(zip(tree_id, node_id, strict=True))}
        self.values = rng.normal(size=(n, 2))
        self.surrogates = {at: rng.integers(0, 2) for at in np.flatnonzero(self.on_category).tolist()}
        self.surrogate_threshold = rng.choice(thresholds, n)

    def plan(self, what: str, n_classes: int, values: np.ndarray, grouped: bool, counts: tuple[int, ...] = ()) -> bytes:
        named = np.array(sorted(self.surrogates), np.int64)
        n = len(self.inner)
        splits = FlatSplits(
            np.concatenate((np.arange(n), named)),
            np.concatenate((self.feature, [self.surrogates[at] for at in named.tolist()])).astype(np.int64),
            np.concatenate((self.threshold, self.surrogate_threshold[named])),
            np.concatenate((np.ones(n, bool), named % 2 == 0)),
        )
        categories = SplitCategories(
            named.repeat(2),
            np.full(2 * len(named), 2),
            np.tile([3, 5], len(named)),
            np.zeros(2 * len(named), bool),
            np.tile([True, False], len(named)),
        )
        trees = FlatTrees.of(self.tree_id, self.node_id, self.majority_left, splits, self.is_category, categories)
        members = max(counts, default=MEMBERS)
        return build_plan(trees, MemberValues(members, what, n_classes, values, None, counts), grouped=grouped)

    def leaf(self, tree: int, row: np.ndarray) -> int:
        node = 0
        while self.inner[at := self.place[tree, node]]:
            node = 2 * node + 1 + (self._side(at, row) == RIGHT)
        return at

    def _side(self, at: int, row: np.ndarray) -> int:
        value = row[self.feature[at]]
        if not self.on_category[at]:
            known = not np.isnan(value)
            right = value > self.threshold[at]
        else:
            known, right = value in (3, 5), value == 5
            other = row[self.surrogates[at]]
            if not known and not np.isnan(other):
                known, right = True, (other > self.surrogate_threshold[at]) ^ (at % 2 == 1)
        return (RIGHT if right else LEFT) if known else (LEFT if self.majority_left[at] else RIGHT)


def rows_of(rng: np.random.Generator, thresholds: np.ndarray, n_rows: int, unordered: bool) -> np.ndarray:
    """(n_rows, N_FEATURES) values on and beside thresholds, infinite and missing ones."""
    values = rng.choice(thresholds, (n_rows, N_FEATURES))
    how = rng.integers(0, 5, values.shape)
    values = np.where(how == 1, np.nextafter(values, np.inf), values)
    values = np.where(how == 2, np.nextafter(values, -np.inf), values)
    values = np.where(how == 3, rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0], values.shape), values)
    if unordered:
        values[:, 2] = rng.choice([3, 5, 7, np.nan], n_rows)
    return values


def numbers_in(outcomes: bytes, shape: tuple[int, int]) -> list[list[Fraction]]:
    parts = np.frombuffer(outcomes, np.dtype([("mantissa", "<i8"), ("exponent", "<u2")])).reshape(shape)
    return [[Fraction(int(m)) * Fraction(2) ** (int(e) - EXPONENT_ABOVE) for m, e in row] for row in parts.tolist()]


FEW = np.array([-1.5, -1e-300, 0.0, 5e-324, 0.25, 1.0, 1e300])
MANY = np.random.default_rng(5).normal(size=700)
CASES = {
    "few thresholds": (FEW, 40, 1, False),
    "more than a byte tells": (MANY, 900, 1, False),
    "groups": (MANY[:90], 30, 3, False),
    "leaves alone": (FEW, 0, 1, False),
    "categories and surrogates": (FEW, 40, 2, True),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_rows", [3, 700])
@pytest.mark.parametrize("counted", [block_scorer.COUNTED_BYTES, 3000])
def test_it_says_what_the_trees_say_one_by_one(
    case: str, n_rows: int, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_scorer, "COUNTED_BYTES", counted)
    thresholds, n_inner, n_groups, unordered = CASES[case]
    forest = Forest(1, thresholds, n_inner, n_groups, unordered)
    rng = np.random.default_rng(2)
    rows, grouped = rows_of(rng, thresholds, n_rows, unordered), n_groups > 1
    group = rng.integers(1, n_groups + 1 + grouped, n_rows)  # the last one is unknown
    images = images_of(np.column_stack((group, rows)) if grouped else rows)
    known = group <= n_groups
    leaves = np.array(
        [
            [forest.leaf((min(g, n_groups) - 1) * MEMBERS + member + 1, row) for member in range(MEMBERS)]
            for g, row in zip(group.tolist(), rows, strict=True)
        ]
    )

    def found(what: str, n_classes: int, values: np.ndarray) -> bytes:
        plan = forest.plan(what, n_classes, values, grouped)
        assert ("cut" in codec.load(plan)) is not unordered
        return finished(score_block(plan, images))

    position = np.arange(1, len(forest.inner) + 1)
    assert np.array_equal(
        np.frombuffer(found("leaves", 0, position[:, None]), "<i4").reshape(n_rows, MEMBERS),
        np.where(known[:, None], leaves + 1, 0),
    )
    for n_classes in (2, 3, 40):
        class_of = rng.integers(1, n_classes + 1, len(forest.inner))
        votes = np.stack([np.bincount(class_of[own] - 1, minlength=n_classes) for own in leaves])
        said = np.frombuffer(found("votes", n_classes, class_of[:, None]), "u1").reshape(votes.shape)
        assert np.array_equal(said, np.where(known[:, None], votes, MEMBERS + 1))
        said = np.frombuffer(found("classes", n_classes, class_of[:, None]), "u1")
        assert np.array_equal(said, np.where(known, votes.argmax(axis=1) + 1, 0))
    total = np.zeros((n_rows, 2))
    for member in range(MEMBERS):
        total += forest.values[leaves[:, member]]
    means = [[Fraction(value) for value in row] for row in (total / MEMBERS).tolist()]
    said_ = numbers_in(found("means", 0, forest.values), (n_rows, 2))
    assert [row for row, k in zip(said_, known, strict=True) if k] == [
        row for row, k in zip(means, known, strict=True) if k
    ]


@pytest.mark.parametrize("unordered", [False, True])
def test_a_plan_of_votes_has_no_split_that_decides_nothing(unordered: bool) -> None:
    forest = Forest(5, np.arange(10) + 0.5, 40, unordered=unordered)
    n_nodes = len(forest.inner)
    alike = np.ones((n_nodes, 1), np.int64)
    assert len(codec.load(forest.plan("votes", 2, alike, False))["child"]) == MEMBERS
    assert len(codec.load(forest.plan("means", 2, alike.astype(float), False))["child"]) == n_nodes
    # One leaf of the first tree says something else: what leads to it stays, with a sibling of each node on the way.
    last = int(np.flatnonzero(~forest.inner & (forest.tree_id == 1))[-1])
    alike[last] = 2
    depth = int(forest.node_id[last] + 1).bit_length() - 1
    assert len(codec.load(forest.plan("votes", 2, alike, False))["child"]) == MEMBERS + 2 * depth


@pytest.mark.parametrize(("n", "coded"), [(254, 1), (255, 2), (65_534, 2), (65_535, None)])
def test_codes_have_as_many_bytes_as_thresholds_need(n: int, coded: int | None) -> None:
    """A tree that asks one feature for each of n thresholds, in the order of a binary search."""
    heap: list[tuple[int, float]] = []
    open_ = [(0, 0, n)]
    leaves = []
    for node, low, high in open_:
        middle = (low + high) // 2
        (heap if low < high else leaves).append((node, middle + 0.5 if low < high else float(low)))
        if low < high:
            open_ += [(2 * node + 1, low, middle), (2 * node + 2, middle + 1, high)]
    all_ = sorted([(node, True, number) for node, number in heap] + [(node, False, number) for node, number in leaves])
    node_id, inner, number = (np.array(column) for column in zip(*all_, strict=True))
    splits = FlatSplits(
        np.arange(len(inner)), np.where(inner, 0, -1), np.where(inner, number, np.nan), np.ones(len(inner), bool)
    )
    trees = FlatTrees.of(np.ones(len(inner), np.int64), node_id, np.ones(len(inner), bool), splits, [False])
    forest = MemberValues(1, "leaves", 0, np.where(inner, 0, number)[:, None].astype(np.int64))
    plan = build_plan(trees, forest, grouped=False)
    cut = codec.load(plan).get("cut")
    assert (None if cut is None else cut.dtype.itemsize) == coded
    edges = np.array([0, 1, n // 2, n - 1]) + 0.5
    values = np.concatenate([edges, np.nextafter(edges, np.inf), [-np.inf, np.inf, np.nan], np.arange(0, n, 97)])
    found = np.frombuffer(finished(score_block(plan, images_of(values[:, None]))), "<i4")
    # A leaf is told by how many thresholds lie below; what is missing goes left all the way.
    assert found.tolist() == [0 if np.isnan(v) else int((np.arange(n) + 0.5 < v).sum()) for v in values]


UNEQUAL = (3, 0, 5, 2)  # trees of each group


@pytest.mark.parametrize("unordered", [False, True])
@pytest.mark.parametrize("what", ["sums", "means", "classes", "judged"])
def test_groups_may_have_different_numbers_of_trees(what: str, unordered: bool) -> None:
    forest, rng = Forest(8, FEW, 20, n_groups=2, unordered=unordered), np.random.default_rng(9)
    n = len(forest.inner)
    classes = rng.integers(1, 4, (n, 1))
    shares = rng.random((n, 3))
    said = {"classes": classes, "judged": np.concatenate((classes, shares), axis=1)}.get(what, forest.values)
    plan = forest.plan(what, 0 if what in ("sums", "means") else 3, said, grouped=True, counts=UNEQUAL)
    rows, group = rows_of(rng, FEW, 400, unordered), rng.choice([1, 2, 3, 4, 9], 400)
    outcomes = finished(score_block(plan, images_of(np.column_stack((group, rows)))))
    size = len(outcomes) // len(rows)
    first = np.cumsum([0, *UNEQUAL])
    for at, (row, own) in enumerate(zip(rows, group.tolist(), strict=True)):
        found = outcomes[at * size : (at + 1) * size]
        count = UNEQUAL[own - 1] if own <= len(UNEQUAL) else 0
        leaves = [forest.leaf(int(first[own - 1]) + member + 1, row) for member in range(count)]
        if what in ("classes", "judged"):
            votes = np.bincount(classes[leaves, 0], minlength=4) if count else [0]
            assert found[0] == np.argmax(votes)
        if what == "classes":
            continue
        numbers = found[what == "judged" :]
        if not count:
            assert all(numbers[start + 8 : start + 10] == b"\0\0" for start in range(0, len(numbers), 10))
            continue
        total = np.zeros(len(numbers) // 10)
        for leaf in leaves:
            total += (shares if what == "judged" else forest.values)[leaf]
        wanted = total if what == "sums" else total / count
        assert numbers_in(numbers, (1, len(total))) == [[Fraction(number) for number in wanted.tolist()]]


@pytest.mark.parametrize("what", ["votes"])
def test_what_tells_of_each_tree_is_of_equal_numbers(what: str) -> None:
    forest = Forest(8, FEW, 20, n_groups=2)
    plan = forest.plan(what, 3, np.ones((len(forest.inner), 1), np.int64), grouped=True, counts=UNEQUAL)
    with pytest.raises(MadtreeError, match="counts"):
        finished(score_block(plan, images_of(np.zeros((1, 4)))))


@pytest.mark.parametrize("counts", [(3, 0, 5), (3, 0, 5, 3), (3, 0, 4, 2)])
def test_other_numbers_than_there_are_trees_are_refused(counts: tuple[int, ...]) -> None:
    forest = Forest(8, FEW, 20, n_groups=2)
    with pytest.raises(MadtreeError, match="some of its trees are missing"):
        forest.plan("sums", 0, forest.values, grouped=True, counts=counts)
