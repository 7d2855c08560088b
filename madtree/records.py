"""Frozen values: `dataclass` as in the standard library, whose methods are made when they are first needed.

The standard library compiles six methods for each class when a module is loaded. A session, a parallel worker and a
command load some two hundred classes and make instances of few: half of the time of loading madtree went there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False):
        """As `dataclasses.dataclass`, whose functions take its classes too; of the options there is only `frozen`."""
        return _made(cls, frozen) if cls is not None else lambda cls: _made(cls, frozen)


def _made(cls: type, frozen: bool) -> type:
    own = set(cls.__dict__)
    if cls.__dict__.get("__hash__") is None:
        own.discard("__hash__")  # as Python sets it beside a class's own __eq__
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # else the standard library looks for the signature of __init__
    dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    values = _compared(cls)
    methods: dict[str, Any] = {"__init__": _first_init(cls, frozen), "__repr__": _repr, "__eq__": _eq(values)}
    methods["__hash__"] = _hash(values) if frozen else None
    if frozen:
        methods |= {"__setattr__": _refusing(cls, "__setattr__"), "__delattr__": _refusing(cls, "__delattr__")}
    for name in methods.keys() - own:
        setattr(cls, name, methods[name])
    return cls


def _first_init(cls: type, frozen: bool) -> Callable[..., None]:
    """Puts the method that it makes in its own place."""

    def first_init(self: Any, *values: Any, **named: Any) -> None:
        init = _init(cls, frozen)
        cls.__init__ = init  # type: ignore[misc]
        init(self, *values, **named)

    return first_init


def _init(cls: type, frozen: bool) -> Callable[..., None]:
    """The method that sets all fields, in their order."""
    known: dict[str, Any] = {"set_": object.__setattr__, "missing_": dataclasses.MISSING}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name, value, default = field.name, field.name, ""
        if field.default is not dataclasses.MISSING:
            known[f"default_{name}"] = field.default
            default = f"default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"make_{name}"] = field.default_factory
            default, value = "missing_", f"make_{name}() if {name} is missing_ else {name}"
        if field.init:
            parameters.append(f"{name}={default}" if default else name)
        elif default:
            value = default if default != "missing_" else f"make_{name}()"
        else:
            continue  # whoever makes an instance sets it
        lines.append(f"set_(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "".join(f"\n    {line}" for line in lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):{body}", known)  # noqa: S102
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _compared(cls: type) -> Callable[[Any], tuple[Any, ...]]:
    """What two instances are compared by."""
    names = [each.name for each in dataclasses.fields(cls) if each.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def eq(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return eq


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda self: hash(values(self))


def _refusing(cls: type, method: str) -> Callable[..., None]:
    """Changes no field, and nothing else of the class's own instances."""

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is cls or name in cls.__dict__["__dataclass_fields__"]:
            raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
        getattr(super(cls, self), method)(name, *value)

    return refuse
