"""The categories that the splits of a model name, and those that it has seen, as arrays of keys.

A category's key is `sqltext.values.category_key`'s, as far as a float8 holds it (`sqltext.rows.key_number`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from madtree.host import Host, watched
from madtree.learn.data import Array, Ints, sent_ints
from madtree.learn.walk import ALL_TREES, KnownCategories, SplitCategories
from madtree.model import OpenModel, check_listed
from madtree.model.arrays.packed_nodes import node_categories
from madtree.sqltext import sent_models as sql
from madtree.sqltext.packed_nodes import category_texts
from madtree.sqltext.query import Binary
from madtree.trees import Feature, Model

_BOOLS = "pg_catalog.bool[]"
_TEXTS = "pg_catalog.text[]"
_KEY_TYPES = ["pg_catalog.int4[]", _BOOLS, _TEXTS]
_BOOLEANS = {"false": 0, "true": 1}


def split_categories(opened: OpenModel, nodes: Mapping[str, Array]) -> SplitCategories:
    """Those that splits name; features by their positions in the model, from 1.

    Raises:
        MadtreeError: a node names categories that its tree does not have, or that no boolean can be.
    """
    parts = []
    if opened.tables.is_packed:
        parts.append(node_categories(opened, nodes))
    if opened.tables.has("_surrogates") or not opened.tables.is_packed:
        parts.append(_listed(opened, nodes))
    named = SplitCategories.joined(parts)
    key = _as_floats(named.key, named.feature, opened.model.features)
    return SplitCategories(named.split, named.feature, key, named.is_null, named.goes_left)


def seen_categories(host: Host, model: Model) -> KnownCategories:
    """Those that the model has seen; features by their positions in it, from 1."""
    feature, group, texts = _texts_seen(host, model)
    return KnownCategories(feature, group, keys_of(host, model.features, feature, texts))


def keys_of(host: Host, features: Sequence[Feature], feature: Ints, texts: Sequence[str]) -> Ints:
    """(n,) the keys of categories (n,), given as texts, of features by their positions among the model's, from 1."""
    row = host.query(Binary(sql.key_numbers()), _KEY_TYPES, [feature.tolist(), _booleans(features), list(texts)])[0]
    return _as_floats(sent_ints(row["key"]), feature, features)


def keys_of_texts(opened: OpenModel) -> dict[str, dict[str, int]]:
    """Of each unordered feature the key of every category that a split of packed nodes, or of a surrogate, names, or
    that the model has seen: texts of other features may be among them.
    """
    rows = opened.host.query(
        category_texts(*opened.tables.at, surrogates=opened.tables.has("_surrogates")),
        [_TEXTS],
        [_texts_seen(opened.host, opened.model)[2]],
    )
    of_texts = {str(row["category"]): int(row["key"]) >> 11 for row in rows}
    return {f.name: _BOOLEANS if f.type == "boolean" else of_texts for f in opened.model.features}


def _listed(opened: OpenModel, nodes: Mapping[str, Array]) -> SplitCategories:
    """The categories of nodes, unless these are packed, and of surrogates."""
    tables = opened.tables
    check_listed(opened.host, tables)
    statement = sql.category_numbers(*tables.at, nodes=not tables.is_packed, surrogates=tables.has("_surrogates"))
    names = opened.model.feature_names
    row = opened.host.query(statement, [_TEXTS, _BOOLS], [names, _booleans(opened.model.features)])[0]
    columns = {column: sent_ints(data) for column, data in row.items()}
    return SplitCategories(
        split=columns["split"] + (len(nodes["node_id"]) if tables.is_packed else 0),
        feature=columns["feature"],
        key=columns["key"],
        is_null=columns["is_null"] == 1,
        goes_left=columns["goes_left"] == 1,
    )


def _texts_seen(host: Host, model: Model) -> tuple[Ints, Ints, list[str]]:
    """The model's categories in one list: positions of their features from 1, groups or `ALL_TREES`, and texts."""
    positions = {feature.name: position for position, feature in enumerate(model.features, 1)}
    features: list[int] = []
    groups: list[int] = []
    texts: list[str] = []
    for name in model.categories.keys() & positions.keys():
        of_feature = model.categories[name]
        by_group = of_feature if isinstance(of_feature, Mapping) else {ALL_TREES: of_feature}
        for group, categories in watched(host, by_group.items()):
            features += [positions[name]] * len(categories)
            groups += [group] * len(categories)
            texts += categories
    return np.array(features, np.int64), np.array(groups, np.int64), texts


def _as_floats(key: Ints, feature: Ints, features: Sequence[Feature]) -> Ints:
    """Keys as far as a float8 holds them; `feature` counts from 1."""
    is_boolean = np.append(False, _booleans(features))[feature.astype(np.int64)]
    return np.where(is_boolean, key, key >> 11)


def _booleans(features: Sequence[Feature]) -> Sequence[bool]:
    return [feature.type == "boolean" for feature in features]
