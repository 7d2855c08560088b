"""madtree: decision trees inside PostgreSQL.

The package has two halves. The server half (``madtree.server`` and what it imports: ``core``, ``host.plpy``,
``sqltext``, ``render`` and the orchestrators) runs inside PostgreSQL and needs numpy only. The client half (``cli``,
``client``, ``embedded``, ``install``) runs on the user's side.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# What users import from here, and where it is: found when it is first asked for, so that the server never imports the
# client half.
_PUBLIC = {
    "Client": "madtree.client",
    "Model": "madtree.client",
    "Result": "madtree.client",
    "connect": "madtree.client",
    "MadtreeError": "madtree.errors",
    "DecisionTreeClassifier": "madtree.client.estimators",
    "DecisionTreeRegressor": "madtree.client.estimators",
    "to_sklearn": "madtree.client.sklearn_tree",
}

if TYPE_CHECKING:
    from madtree.client import Client, Model, Result, connect
    from madtree.client.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from madtree.client.sklearn_tree import to_sklearn
    from madtree.errors import MadtreeError

__all__ = [
    "Client",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "MadtreeError",
    "Model",
    "Result",
    "connect",
    "to_sklearn",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'madtree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
