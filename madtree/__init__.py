"""madtree: decision trees inside PostgreSQL.

The package has two halves. The server half (``madtree.entry`` and what it imports: ``learn``, ``host.plpy``,
``sqltext``, ``render`` and the orchestrators) runs inside PostgreSQL and needs numpy only. The client half (``cli``,
``client``, ``embedded``, ``install``) runs on the user's side.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "1.0.0"

# What users import from here, and where it is: found when it is first asked for, so that the server never imports the
# client half. (Type checkers read it in `__init__.pyi`.)
_PUBLIC = {
    "AsyncClient": "madtree.client",
    "AsyncBoostedModel": "madtree.client",
    "AsyncForest": "madtree.client",
    "BoostedModel": "madtree.client",
    "AsyncModel": "madtree.client",
    "CallError": "madtree.client",
    "Client": "madtree.client",
    "Drawing": "madtree.client",
    "Model": "madtree.client",
    "Contributions": "madtree.client",
    "Evaluation": "madtree.client",
    "Forest": "madtree.client",
    "LostConnectionError": "madtree.client",
    "Result": "madtree.client",
    "connect": "madtree.client",
    "connect_async": "madtree.client",
    "MadtreeError": "madtree.errors",
    "DecisionTreeClassifier": "madtree.client.estimators",
    "DecisionTreeRegressor": "madtree.client.estimators",
    "ExtraTreesClassifier": "madtree.client.estimators",
    "ExtraTreesRegressor": "madtree.client.estimators",
    "GradientBoostingClassifier": "madtree.client.estimators",
    "GradientBoostingRegressor": "madtree.client.estimators",
    "RandomForestClassifier": "madtree.client.estimators",
    "RandomForestRegressor": "madtree.client.estimators",
    "to_sklearn": "madtree.client.sklearn_forest",
}

__all__ = [*_PUBLIC]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'madtree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
