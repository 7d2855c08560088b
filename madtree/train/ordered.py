"""Categories as ordered target statistics: the rows of a training are copied with a number in the place of each.

What is learned is learned of these numbers, as of any others: in one process, with workers, by the aggregate. The
copies are made by one statement, whose sums do not depend on where rows stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.ingest import Profile, check_labels, oid_of, read_profile, row_source
from madtree.learn.data import keyed
from madtree.learn.problem import Sampled
from madtree.model.write import Encodings, GroupEncodings, too_many
from madtree.records import dataclass
from madtree.request import OrderedEncoding, TrainingTask, find_columns
from madtree.sqltext import ordered as sql
from madtree.sqltext import values
from madtree.sqltext.quote import binary, float_literal, ident
from madtree.sqltext.relation import Relation
from madtree.sqltext.rows import RowSource
from madtree.train.source import Call, Source
from madtree.train.strategy import Access
from madtree.trees import EXPOSURE, MAX_CATEGORIES, MOST_NAMED, BoostParameters, Feature, FeatureKind

_ORDER = 7  # purpose of a hash of identities, beside those of samples and folds
_ONE = "1::pg_catalog.float8"
_PRIORS, _CATEGORIES, _ROWS = "priors", "categories", "encoded"  # work tables


@dataclass(frozen=True)
class EncodedRows:
    """The rows of a training whose categories are encoded.

    Attributes:
        call: of what is learned, in which encoded features are numbers.
        source: the rows, with encodings.
    """

    call: Call
    source: Source

    def encodings(self, written: TrainingTask, groups: str | None) -> Encodings:
        """What categories are encoded as.

        Args:
            written: the task as the model's tables tell of it.
            groups: SQL name of the table of groups; None for one.
        """
        host, tables = self.call.host, self.call.space.tables
        ordered, equals = _ordered(written), [column.equals for column in written.grouping]
        found = host.query(sql.read_categories(tables.name(_CATEGORIES), groups, equals))
        of_groups = host.query(sql.read_priors(tables.name(_PRIORS), len(ordered.features), groups, equals))
        labels: dict[int, tuple[str, ...]] = {}
        for number, feature in enumerate(ordered.features, 1):
            texts = sorted({str(row["category"]) for row in found if row["feature"] == number})
            _check(written.features[feature].name, texts)
            labels[feature] = tuple(texts)
        places = {f: {text: place for place, text in enumerate(known)} for f, known in labels.items()}
        priors = {int(row["tree_id"]): row for row in of_groups}
        by_group = {}
        for (group, number), rows in groupby(found, key=lambda row: (int(row["tree_id"]), int(row["feature"]))):
            feature, own = ordered.features[number - 1], list(rows)
            by_group[group, feature] = GroupEncodings(
                np.array([places[feature][row["category"]] for row in own], np.int64),
                np.array([row["encoded"] for row in own], np.float64),
                float(priors[group]["prior"]),
                bool(priors[group]["lacks"][number - 1]),
            )
        return Encodings(ordered.features, labels, by_group)

    def keep(self, written: TrainingTask, groups: str | None) -> None:
        """Fill `<output>_categories`; the arguments are those of `encodings`."""
        ordered, equals = _ordered(written), [column.equals for column in written.grouping]
        names = [written.features[feature].name for feature in ordered.features]
        name, categories = written.output_name, self.call.space.tables.name(_CATEGORIES)
        self.call.host.command(sql.keep_categories(written.output_schema, name, categories, names, groups, equals))


def encode_categories(call: Call, source: Source) -> EncodedRows:
    """Copy the rows with their encodings; `source` has a copy of them as they are, which is dropped.

    Raises:
        MadtreeError: the rows are not fit to learn from, or have more than two classes.
    """
    host, task, space, tables = call.host, call.task, call.space, call.space.tables
    call.watch.begin("sample")
    profile = read_profile(source.reader, task, source.rows)
    call.kind.check(task, profile)
    columns = find_columns(host, Relation(source.oids[0], tables.schema, "", "r"))
    features = [task.features[feature] for feature in _ordered(task).features]
    names = sql.encoding_names([feature.name for feature in features], columns)
    kept = tuple(column.sql for column in columns.values())
    statistics = _statistics(task, source.rows, profile, kept, _prefix(columns), [ident(name) for name in names])
    space.make(_PRIORS, tables.create_as(_PRIORS, statistics.priors))
    space.make(_CATEGORIES, tables.create_as(_CATEGORIES, statistics.categories(tables.name(_PRIORS))))
    host.command(tables.analyze(_CATEGORIES, ["feature", "category"]))
    _check_size(host, task, tables.name(_CATEGORIES))
    statement = statistics.encoded(tables.name(_PRIORS), tables.name(_CATEGORIES))
    space.make(_ROWS, tables.create_as(_ROWS, statement))
    space.drop("rows")
    learned = _learned(task, names)
    rows = row_source(
        learned,
        tables.aliased(_ROWS),
        source.rows.groups,
        with_identity=call.kind.learner.draws_rows,
        is_sent=source.rows.sent,
    )
    oids = [oid_of(host, tables.name(_ROWS))]
    return EncodedRows(replace(call, task=learned), Source(Access.COPIED, source.reader, rows, oids))


def _ordered(task: TrainingTask) -> OrderedEncoding:
    assert task.ordered is not None
    return task.ordered


def _prefix(columns: Iterable[str]) -> str:
    """With which no column begins."""
    prefix, names = "madtree_", list(columns)
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


def _learned(task: TrainingTask, names: Sequence[str]) -> TrainingTask:
    """What is learned: encoded features are numbers, in columns of these names."""
    features = list(task.features)
    for feature, name in zip(_ordered(task).features, names, strict=True):
        features[feature] = Feature(ident(name), "double precision", FeatureKind.CONTINUOUS)
    return replace(task, features=tuple(features), ordered=None)


def _statistics(
    task: TrainingTask, rows: RowSource, profile: Profile, columns: tuple[str, ...], prefix: str, names: Sequence[str]
) -> sql.CategoryStatistics:
    ordered, seed = _ordered(task), task.parameters.seed
    assert isinstance(task.ensemble, BoostParameters)
    assert rows.identity is not None
    share, fold = task.ensemble.held_out, task.parameters.fold_col
    return sql.CategoryStatistics(
        relation=rows.relation,
        columns=columns,
        prefix=prefix,
        texts=tuple(values.category(task.features[feature]) for feature in ordered.features),
        encodings=tuple(names),
        grouping=rows.grouping,
        equals=rows.equals,
        in_training=rows.usable if fold is None else f"({rows.usable}) AND ({fold}) IS NOT TRUE",
        weight=rows.weight or _ONE,
        counted=binary(rows.weight or _ONE, "*", rows.numbers.get(EXPOSURE.name, _ONE)),
        outcome=_outcome(rows, profile),
        identity=rows.identity,
        key=int(keyed(_ORDER, seed, np.zeros(1, np.int64))[0]),
        held_out=(Sampled.key_of_held_out(seed), share) if share > 0 else None,
        prior_weight=ordered.prior_weight,
        is_integral=profile.integral,
    )


def _outcome(rows: RowSource, profile: Profile) -> str:
    """The number whose mean categories are encoded as: of two classes, whether a row has the second."""
    if profile.class_keys is None:
        return rows.target
    second = binary(rows.target, "=", float_literal(float(profile.class_keys[-1])))
    return f"({second})::pg_catalog.int4::pg_catalog.float8"


def _check_size(host: Host, task: TrainingTask, categories: str) -> None:
    """Raises MadtreeError where there are too many categories for the trees that there may be: not only when these are
    grown.
    """
    assert isinstance(task.ensemble, BoostParameters)
    found = host.query(sql.count_categories(categories))[0]
    if (least := int(found["n"]) * task.ensemble.n_rounds) > MOST_NAMED:
        raise too_many(least)


def _check(name: str, texts: Sequence[str]) -> None:
    """Raises MadtreeError where a feature has more categories than a model can hold, or too long ones."""
    if len(texts) > MAX_CATEGORIES:
        raise MadtreeError(
            f"list_of_features: {name} has {len(texts)} categories; at most {MAX_CATEGORIES} are possible",
            hint="Leave it out with list_of_features_to_exclude; a column that identifies rows is none.",
        )
    check_labels("list_of_features", name, texts)
