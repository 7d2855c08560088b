"""New data for a trained model: does a relation have what the model needs, and as which types?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import Host, bare_message, has_citus
from madtree.model.trust import NOT_ALLOWED
from madtree.records import dataclass
from madtree.request import (
    FIRST_OTHER,
    TEXT_TYPE,
    Type,
    cannot_hold,
    find_relation,
    find_types,
    hold_types,
    kind_of,
    named_types,
    refuse_others_values,
    refused_value,
    renamed_by_others,
)
from madtree.sqltext import catalog as sql
from madtree.sqltext.cells import actual_class, number
from madtree.sqltext.distributed import PLACEMENT
from madtree.sqltext.relation import Relation
from madtree.sqltext.split import parse_name
from madtree.sqltext.typenames import quoted_type, type_sql
from madtree.trees import Feature, FeatureKind, Model

NUMBERS = ("smallint", "integer", "bigint", "real", "double precision", "numeric")
MOMENTS = ("date", "timestamp without time zone", "timestamp with time zone")
UNDEFINED_COLUMN, SYNTAX_ERROR, CANNOT_COERCE, NO_OPERATOR = "42703", "42601", "42846", "42883"
DOES_NOT_FIT = (UNDEFINED_COLUMN, NO_OPERATOR, "42804")  # an expression; the last where no array has elements
NOT_OF_THE_TYPE = ("22P02", "22007")  # a text that is no value of the type, or no moment


@dataclass(frozen=True)
class NewData:
    """A relation that has what a model needs.

    Attributes:
        features: the model's features as expressions over the relation's columns, by their names in the model.
        types: of the other expressions that were asked for.
        offset: SQL of what is added to a row's score, as float8; None where the model has no offsets.
    """

    features: dict[str, Feature]
    types: dict[str, Type]
    offset: str | None = None

    def plain(self, expression: str) -> str:
        """The value of one of the other expressions, as SQL that can be cast without running what others wrote."""
        return self.types[expression].as_text(expression)


@dataclass(frozen=True)
class NewTable:
    """A relation that a model is used on.

    Attributes:
        host: which has it.
        given, argument: its name as the user wrote it, and where, for errors.
    """

    host: Host
    source: Relation
    given: str
    argument: str


def fit_features(
    model: Model,
    table: NewTable,
    others: Sequence[str],
    first: Sequence[str] = (),
    hint: str = "It must have the dependent variable, all features, the grouping columns and the weights of the "
    "training table.",
    *,
    trust_owner: bool = False,
) -> NewData:
    """The model's features as expressions over the relation's columns, and the types of other expressions.

    Args:
        first, others: expressions besides the features that must be valid; where columns are missing, the error names
            them before and behind those of the features.
        hint: of the error for columns that are not there.
        trust_owner: whether what the model's owner wrote may run, whatever it computes with.

    Raises:
        MadtreeError: the relation lacks columns; all expressions that need them are named. Or an expression is none, or
            types cannot be cast to the features'; all such features are named. Or as `refuse_others_values`. Other
            errors of the database pass as they are.
    """
    host, source, names = table.host, table.source, model.feature_names
    if model.offsets is not None:
        others, hint = [*others, model.offsets], f"{hint} It must also have what the model's offsets are made of."
    expressions = [*first, *names, *others]
    if not trust_owner:
        refuse_others_values(host, source, [(table.argument, text) for text in expressions])
    types = _column_types(table, expressions, hint, held=not trust_owner)
    found = dict(zip(names, types[len(first) :], strict=False))
    data = NewData(
        {feature.name: fit_feature(feature, found[feature.name]) for feature in model.features},
        dict(zip([*first, *others], [*types[: len(first)], *types[len(first) + len(names) :]], strict=True)),
    )
    if model.offsets is not None:
        data = replace(data, offset=number(data.plain(model.offsets)))
    cast = [feature for feature in model.features if data.features[feature.name].name != feature.name]
    unfit = _of_others_enums(host, [feature for feature in cast if feature.labels])
    if not trust_owner:
        _refuse_named_there(table, [each for each in data.features.values() if each.labels])
    castable = [feature for feature in cast if feature not in unfit]
    if castable and _is_refused(
        host, source, [data.features[feature.name].name for feature in castable], CANNOT_COERCE
    ):
        unfit += [f for f in castable if _is_refused(host, source, [data.features[f.name].name], CANNOT_COERCE)]
    if not unfit:
        return data
    message = "; ".join(
        f"{feature.name} of {table.given} is of type {found[feature.name].name}, which cannot be cast to "
        f"{feature.type}, its type in training"
        for feature in unfit
    )
    raise MadtreeError(
        f"{table.argument}: {message}",
        hint="Give it that type, or one that can be cast to it, for instance in a view.",
        sqlstate=CANNOT_COERCE,
    )


def _refuse_named_there(table: NewTable, enums: Sequence[Feature]) -> None:
    """Raise MadtreeError where a superuser's statements would name another role's type on other servers. There that
    role may have given the name to another one, with a cast from the former.
    """
    host = table.host
    if not enums:
        return
    rows, held = named_types(host, [quoted_type(each.type) for each in enums])
    if not held:
        raise cannot_hold(table.argument, table.given)
    oids = [row["oid"] for row in rows if row["oid"]]
    if not oids or not has_citus(host) or not renamed_by_others(host, oids):
        return
    if host.query(PLACEMENT, ["pg_catalog.oid"], [table.source.oid]):
        raise MadtreeError(
            f"{table.argument}: {table.given} has an enum of another role's, or in another role's schema, whose name "
            f"may be another type's on the servers of the cluster: {', '.join(sorted({each.type for each in enums}))}",
            hint="Copy the rows into a table that Citus does not hold.",
            sqlstate=NOT_ALLOWED,
        )


def _of_others_enums(host: Host, enums: Sequence[Feature]) -> list[Feature]:
    """Those features whose type is another role's enum: to cast to it would run a cast that the role has made."""
    if not enums:
        return []
    rows, _ = named_types(host, [quoted_type(feature.type) for feature in enums])
    return [feature for feature, row in zip(enums, rows, strict=True) if not row["trusted"]]


@contextmanager
def casting(model: Model, features: Mapping[str, Feature], given: str, argument: str) -> Iterator[None]:
    """Around statements over new data with these `features` of `fit_features`: a value that cannot be cast is told with
    the columns that are.

    Raises:
        MadtreeError: there is such a value, or a column whose type has no such cast or no such operator.
    """
    try:
        yield
    except MadtreeError:
        raise
    except Exception as error:
        cast = [f"{name} to {model.feature(name).type}" for name, feature in features.items() if feature.name != name]
        state = getattr(error, "sqlstate", None)
        if state in (CANNOT_COERCE, NO_OPERATOR):  # of an outcome, a weight, a group
            raise MadtreeError(
                f"{argument}: {given} does not fit {model.name}: {bare_message(error)}",
                hint="Give its columns the types that they have in the training table, for instance in a view.",
                sqlstate=str(state),
            ) from error
        if not cast or state not in NOT_OF_THE_TYPE:
            refused = refused_value(error, given, [name for name in features if parse_name(name) is None])
            if refused is None:
                raise
            raise refused from error
        words = bare_message(error)
        raise MadtreeError(
            f"{argument}: {words}",
            hint=f"Values of {given} are cast to the types of the training table: {', '.join(cast)}.",
            sqlstate=str(state),
        ) from error


def _column_types(table: NewTable, expressions: Sequence[str], hint: str, *, held: bool) -> list[Type]:
    """Types of expressions over a row of the relation; arguments and errors as for `fit_features`.

    `held`: they must be such as others cannot give another one's name while a superuser's statements name them.
    """
    host, source = table.host, table.source
    try:
        oids = _probe(host, source, expressions)
    except Exception as error:
        state = getattr(error, "sqlstate", None)
        if state == SYNTAX_ERROR:
            raise MadtreeError(
                f"{table.argument}: the model is damaged: it asks {table.given} for what is not SQL"
            ) from error
        if state not in DOES_NOT_FIT:
            raise
        missing = [text for text in dict.fromkeys(expressions) if _is_refused(host, source, [text], *DOES_NOT_FIT)]
        cause = "" if state == UNDEFINED_COLUMN else f": {bare_message(error)}"
        raise MadtreeError(
            f"{table.argument}: {table.given} lacks {', '.join(missing)}, which the model needs{cause}",
            hint=hint,
            sqlstate=state,
        ) from error
    if held and not hold_types(host, [oid for oid in oids if oid >= FIRST_OTHER]):
        raise cannot_hold(table.argument, table.given)
    types = find_types(host, oids)
    return [types[oid] for oid in oids]


def fit_feature(feature: Feature, found: Type) -> Feature:
    """The feature over new data in which its type may be another one: numbers and texts are taken as they come.

    Values of another type that is not PostgreSQL's are taken as text, since a cast may be a function of anybody's. So
    are those of one of the same name that is no such type any more: an estimator may have known it for long, and of a
    row's text a domain in it would be checked.
    """
    same_type = found.base == feature.type and kind_of(found) is feature.kind
    if not found.own and (found.is_array or not same_type):
        feature, found = replace(feature, name=found.as_text(feature.name)), TEXT_TYPE
    if found.is_array:
        return _cast(feature)
    if feature.kind is FeatureKind.UNORDERED:
        # Only as bpchar do values with and without blanks behind become one category.
        same = (found.base == "boolean") == (feature.type == "boolean") and feature.type != "bpchar"
        same = same or found.base == feature.type
        return replace(feature, type=found.base) if same else _cast(feature)
    if feature.labels:
        return feature if found.base == feature.type else _cast(feature)
    for family in (NUMBERS, MOMENTS):
        if feature.type in family and found.base in family:
            return replace(feature, type=found.base)
    return feature if found.base == feature.type else _cast(feature)


def _cast(feature: Feature) -> Feature:
    return replace(feature, name=f"({feature.name})::{type_sql(feature.type)}")


def _is_refused(host: Host, source: Relation, expressions: Sequence[str], *states: str) -> bool:
    """Whether PostgreSQL refuses the expressions with one of these SQLSTATEs; its other errors pass as they are."""
    try:
        _probe(host, source, expressions)
    except Exception as error:
        if getattr(error, "sqlstate", None) not in states:
            raise
        return True
    return False


def _probe(host: Host, source: Relation, expressions: Sequence[str]) -> list[int]:
    return list(host.query(sql.probe(source.schema, source.name, expressions))[0]["oids"])


def outcome_of(model: Model, data: NewData) -> str:
    """A row's known outcome as SQL over the relation's columns: a class as the text by which the model knows it, or a
    float8. The dependent variable is one of the other expressions of `data`.
    """
    if not model.is_classification:
        return number(data.plain(model.dependent))
    return actual_class(data.plain(model.dependent), model.dependent_type)


def is_training_table(host: Host, model: Model, relation: Relation) -> bool:
    """Whether the name of the table that a model was trained on is that of `relation` now."""
    try:
        return find_relation(host.source, model.source_table, "source_table").oid == relation.oid
    except MadtreeError:  # it is gone
        return False
    except Exception as error:  # it lies in a schema that the caller may not use
        if getattr(error, "sqlstate", None) != NOT_ALLOWED:
            raise
        return False


def no_row_counts(argument: str, table: str | None) -> MadtreeError:
    """The error where a table has no row by which a model can be judged or written anew."""
    hint = "Rows count that have an outcome and a weight above 0, of a class and a group that the model knows."
    return MadtreeError(f"{argument}: no row of {table} counts", hint=hint, sqlstate="P0002")
