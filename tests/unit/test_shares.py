"""Shares of cases: what every run tries has each value of each list, and all of them are tried where that is asked."""

from __future__ import annotations

from itertools import product

import pytest
import shares


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", False)


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (3, 2), (2, 3), (9, 2), (4, 6), (7, 3)])
def test_a_product_of_two_lists_is_tried_in_turn(sizes: tuple[int, int]) -> None:
    tried = [case for case in product(*map(range, sizes)) if shares.is_in_turn(case, sizes)]
    assert len(tried) == max(sizes)
    assert {first for first, _ in tried} == set(range(sizes[0]))
    assert {second for _, second in tried} == set(range(sizes[1]))


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("n", [2, 3])
def test_one_in_so_many_takes_every_turn(n: int) -> None:
    tried = [place for place in range(6 * n) if shares.is_one_in([place], n)]
    assert len(tried) == 6
    assert {place % n for place in tried} == set(range(n))
    products = [pair for pair in product(range(6), range(2)) if shares.is_one_in(pair, 2)]
    assert len(products) == 6
    assert [{places[side] for places in products} for side in (0, 1)] == [set(range(6)), {0, 1}]


def test_all_are_tried_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "ALL", True)
    assert all(shares.is_one_in([place], 2) for place in range(4))
    assert all(shares.is_in_turn(case, (3, 2)) for case in product(range(3), range(2)))


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("n", [5, 12])
def test_as_many_turns_have_each_case_once(n: int) -> None:
    tried = [case for turn in range(4) for case in shares.share(range(n), 4, turn)]
    assert sorted(tried) == list(range(n))


class TestCases:
    """Of a product of two lists as pytest makes it."""

    tried: list[tuple[str, str]] = []  # noqa: RUF012

    @pytest.mark.in_turn
    @pytest.mark.parametrize("first", ["a", "b", "c", "d"])
    @pytest.mark.parametrize("second", ["x", "y"])
    def test_a_case(self, first: str, second: str) -> None:
        self.tried.append((first, second))

    @pytest.mark.skipif(shares.ALL, reason="all are tried")
    def test_no_more_than_those_in_turn_have_been_tried(self) -> None:
        assert {*self.tried} <= {("a", "x"), ("c", "x"), ("b", "y"), ("d", "y")}
