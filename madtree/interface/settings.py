"""What the models' summaries keep of the arguments that they were trained with."""

from __future__ import annotations

from collections.abc import Sequence

from madtree.interface.forest_train import FOREST_TRAIN
from madtree.interface.function import Argument
from madtree.interface.tree_train import TREE_TRAIN


def _kept(options: Sequence[Argument]) -> tuple[Argument, ...]:
    return tuple(each for each in options if each.setting)


def _told(options: Sequence[Argument]) -> tuple[str, ...]:
    return tuple(each.column for each in options if each.setting and each.setting.is_told)


_TREE = _kept(TREE_TRAIN.options)
_COLUMNS = frozenset(each.column for each in _TREE)
_FOREST = tuple(each for each in _kept(FOREST_TRAIN.options) if each.column not in _COLUMNS)

# Columns with their types: of all models, and what forests have beside them.
SETTINGS = tuple((each.column, each.setting.type) for each in _TREE if each.setting)
FOREST_SETTINGS = tuple((each.column, each.setting.type) for each in _FOREST if each.setting)
# Those that models of 0.1.0 lack.
LATER_SETTINGS = frozenset(each.column for each in (*_TREE, *_FOREST) if each.setting and not each.setting.is_old)
# Those that are told among a model's parameters.
TOLD = _told(_TREE)
FOREST_TOLD = _told(_FOREST)


def labels(is_forest: bool) -> tuple[tuple[str, str], ...]:
    """Of the settings that a call could give, the columns and what the report calls them."""
    options = _kept((FOREST_TRAIN if is_forest else TREE_TRAIN).options)
    return tuple(
        (each.column, each.setting.label or each.column) for each in options if each.setting and each.setting.is_told
    )
