"""madtree: decision trees inside PostgreSQL.

The package has two halves. The server half (``madtree.entry`` and what it imports: ``learn``, ``host.plpy``,
``sqltext``, ``render`` and the orchestrators) runs inside PostgreSQL and needs numpy only. The client half (``cli``,
``client``, ``embedded``, ``install``) runs on the user's side.
"""

from __future__ import annotations

from madtree.late import attributes_of

__version__ = "1.0.0"

# What users import from here, and where it is: found when it is first asked for, so that the server never imports the
# client half. (Type checkers read it in `__init__.pyi`.)
_PUBLIC = {
    "client": "AsyncBoostedModel AsyncClient AsyncForest AsyncModel BoostedModel CallError Client Contributions "
    "Drawing Evaluation Forest LostConnectionError Model Result connect connect_async",
    "errors": "MadtreeError",
    "client.estimators": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreesClassifier ExtraTreesRegressor "
    "GradientBoostingClassifier GradientBoostingRegressor RandomForestClassifier RandomForestRegressor",
    "client.sklearn_forest": "to_sklearn",
}

__all__ = [name for names in _PUBLIC.values() for name in names.split()]
__getattr__ = attributes_of(globals(), _PUBLIC)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
