"""The functions of madtree's SQL interface as methods: of a client, and of the objects for models.

They are made of their declarations. What type checkers and editors read, functions.pyi, is made of the same by
scripts/client_stubs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from madtree.client.caller import Caller
from madtree.client.methods import client_method, model_method
from madtree.interface import FUNCTIONS
from madtree.trees import BOOSTED, FOREST, TREE, ModelKind


class FunctionCalls(Caller):
    """What a client can do: each function under its name and with its arguments."""

    _objects: ClassVar[Mapping[ModelKind, Callable[..., Any]]]  # for models that are made


class TreeMethods:
    """What can be done with a model of single trees."""


class ForestMethods:
    """What can be done with a forest."""


class BoostedMethods:
    """What can be done with a boosted model."""


for _each in FUNCTIONS.values():
    setattr(FunctionCalls, _each.name, client_method(_each))
    for _kind, _class in ((TREE, TreeMethods), (FOREST, ForestMethods), (BOOSTED, BoostedMethods)):
        if _each.method is not None and (_each.takes is None or _kind in _each.takes.kinds):
            setattr(_class, _each.method.name, model_method(_each))
