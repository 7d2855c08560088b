"""New data for a trained model: does a relation have what the model needs, and as which types?"""

from __future__ import annotations

from collections.abc import Sequence

from madtree.catalog import find_types
from madtree.errors import MadtreeError
from madtree.host.protocol import Host
from madtree.model import Feature, Model
from madtree.predict import UNDEFINED_COLUMN, fit_feature
from madtree.sqltext import catalog as sql
from madtree.task import Relation


def fit_features(
    host: Host, model: Model, source: Relation, given: str, argument: str, others: Sequence[str]
) -> dict[str, Feature]:
    """The model's features as expressions over the relation's columns, by their names in the model.

    Args:
        given: the relation's name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        others: expressions besides the features that must be valid.

    Raises:
        MadtreeError: the relation lacks columns; all expressions that need them are named. Other errors of the database
            pass as they are.
    """
    oids = _types_of(host, source, [*(feature.name for feature in model.features), *others], given, argument)
    types = find_types(host, oids)
    pairs = zip(model.features, oids, strict=False)
    return {feature.name: fit_feature(feature, types[oid]) for feature, oid in pairs}


def _types_of(host: Host, source: Relation, expressions: Sequence[str], given: str, argument: str) -> list[int]:
    """OIDs of the expressions' types over a row of the relation."""
    try:
        return _probe(host, source, expressions)
    except Exception as error:
        if getattr(error, "sqlstate", None) != UNDEFINED_COLUMN:
            raise
        missing = [text for text in dict.fromkeys(expressions) if _is_missing(host, source, text)]
        raise MadtreeError(
            f"{argument}: {given} lacks {', '.join(missing)}, which the model needs",
            hint="It must have the dependent variable, all features, the grouping columns and the weights of the "
            "training table.",
            sqlstate=UNDEFINED_COLUMN,
        ) from error


def _is_missing(host: Host, source: Relation, expression: str) -> bool:
    try:
        _probe(host, source, [expression])
    except Exception as error:
        if getattr(error, "sqlstate", None) != UNDEFINED_COLUMN:
            raise
        return True
    return False


def _probe(host: Host, source: Relation, expressions: Sequence[str]) -> list[int]:
    return list(host.query(sql.probe(source.schema, source.name, expressions))[0]["oids"])
