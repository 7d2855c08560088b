"""Classes of madtree's own `dataclass` behave as the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar

import pytest

from madtree.records import dataclass


@dataclass(frozen=True)
class Point:
    """Two numbers, and what does not count."""

    x: float
    y: float = 1.5
    notes: list[str] = field(default_factory=list, compare=False, repr=False)
    origin: ClassVar[str] = "here"


@dataclass(frozen=True)
class Named(Point):
    name: str = "a"
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@dataclass
class Counter:
    n: int = 0
    more: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Own:
    x: int

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return other == "own"


@dataclass(frozen=True)
class Empty:
    pass


KINDS = [Point, Named, Counter, Own, Empty]


def standard(cls: Any) -> Any:
    """The same class as the standard library makes it."""
    bases = tuple(standard(base) for base in cls.__bases__ if base is not object)
    names = {each.name: each for each in fields(cls)}
    body: dict[str, Any] = {"__qualname__": cls.__qualname__, "__annotations__": cls.__annotations__}
    for name in cls.__annotations__:
        if name not in names:
            body[name] = getattr(cls, name)
            continue
        told = names[name]
        default: dict[str, Any] = {"default": told.default} if told.default is not dataclasses.MISSING else {}
        if told.default_factory is not dataclasses.MISSING:
            default = {"default_factory": told.default_factory}
        body[name] = field(init=told.init, repr=told.repr, compare=told.compare, **default)
    own = ("__post_init__", "__repr__", "__eq__") if cls is Own else ("__post_init__",)
    body |= {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    made = type(cls.__name__, bases, body)
    return dataclasses.dataclass(frozen=cls is not Counter)(made)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (Point, (1,), {}),
    (Point, (1, 2), {"notes": ["n"]}),
    (Point, (), {"y": 2, "x": 1}),
    (Named, (1, 2, [], "long"), {}),
    (Counter, (3,), {"more": {"a": 1}}),
    (Own, (1,), {}),
    (Empty, (), {}),
]


@pytest.mark.parametrize(("cls", "values", "named"), CALLS)
def test_instances_are_what_the_standard_librarys_are(cls: Any, values: Any, named: Any) -> None:
    ours, theirs = cls(*values, **named), standard(cls)(*values, **named)
    assert vars(ours) == vars(theirs)
    assert repr(ours) == repr(theirs)
    assert asdict(ours) == asdict(theirs)
    assert ours.__match_args__ == theirs.__match_args__
    assert ours != theirs or cls is Own
    assert cls(*values, **named) == cls(*values, **named) or cls is Own
    assert vars(copy.deepcopy(ours)) == vars(pickle.loads(pickle.dumps(ours))) == vars(ours)


@pytest.mark.parametrize(
    ("cls", "values", "named"),
    [
        (Point, (), {}),
        (Point, (1, 2, [], 4), {}),
        (Point, (1,), {"z": 1}),
        (Named, (1,), {"length": 1}),
        (Empty, (1,), {}),
    ],
)
def test_a_call_that_the_standard_library_refuses_is_refused_in_its_words(cls: Any, values: Any, named: Any) -> None:
    with pytest.raises(TypeError) as theirs:
        standard(cls)(*values, **named)
    for _ in range(2):  # by the method that makes the method, and by the one that it has made
        with pytest.raises(TypeError) as ours:
            cls(*values, **named)
        assert str(ours.value) == str(theirs.value)


def test_what_does_not_count_is_not_compared() -> None:
    assert Point(1, 2, ["n"]) == Point(1, 2)
    assert Point(1, 2) != Point(1, 3)
    assert hash(Point(1, 2, ["n"])) == hash(Point(1, 2)) == hash(standard(Point)(1, 2))
    assert Point(1, 2) != (1, 2)
    assert Named(1) != Point(1)
    assert len({Empty(), Empty(), Point(1), Point(1, 1.5)}) == 2


@pytest.mark.parametrize("cls", KINDS)
def test_what_has_a_hash_is_what_has_one_with_the_standard_library(cls: Any) -> None:
    assert (cls.__hash__ is None) == (standard(cls).__hash__ is None) == (cls is Counter)


def test_defaults_that_are_made_are_not_shared() -> None:
    Point(1).notes.append("n")
    assert Point(1).notes == []


def test_a_frozen_value_stays_as_it_is() -> None:
    point = Named(1)
    for change in ("point.x = 2", "del point.x", "point.other = 2"):
        with pytest.raises(FrozenInstanceError):
            exec(change)
    assert replace(point, x=2, name="b") == Named(2, name="b")
    counter = Counter()
    counter.n = 2
    assert counter == Counter(2)


def test_a_plain_class_below_a_frozen_one_may_have_more() -> None:
    class More(Point):
        pass

    more = More(1)
    more.other = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        more.x = 2  # type: ignore[misc]
    del more.other  # type: ignore[attr-defined]
    assert vars(more).keys() == {"x", "y", "notes"}


def test_a_value_that_holds_itself_is_shown() -> None:
    counter = Counter()
    counter.more["self"] = counter  # type: ignore[assignment]
    assert repr(counter) == "Counter(n=0, more={'self': ...})"


def test_nothing_is_compiled_until_there_is_an_instance() -> None:
    @dataclass(frozen=True)
    class Fresh:
        x: int

    assert "first_init" in Fresh.__init__.__qualname__
    Fresh(1)
    assert Fresh.__init__.__qualname__.endswith("Fresh.__init__")
