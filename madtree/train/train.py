"""A training from its checked task to a model, stage by stage: each returns a value, and the next one takes it.

    source    where the rows are read: in place, from a copy, or in parts on several servers
    ordered   where that is asked for, a copy of them in which categories are numbers
    survey    the first look at them: sizes, classes, categories, folds, groups
    strategy  which way suits them: whole trees, or who keeps the blocks; chosen from plain values
    trees     batches of trained trees, as they come
    tables    the model, written batch by batch

What differs by the kind of model that is trained is asked of its `TrainingKind`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from madtree.host import Host, Stopwatch, WorkSpace, local_settings
from madtree.ingest import no_usable_row, telling_of_expressions, warn_of_repeated_ids
from madtree.model import create_tables
from madtree.parallel import available
from madtree.request import TrainingTask
from madtree.train.activity import Activity
from madtree.train.batches import Batch
from madtree.train.kinds import TrainingKind
from madtree.train.large import large_trees
from madtree.train.of_boosted import Boosted
from madtree.train.of_forests import Forests
from madtree.train.of_trees import SingleTrees
from madtree.train.ordered import encode_categories
from madtree.train.other_readers import obstacle_to_workers
from madtree.train.sampled_rows import sampled_rows
from madtree.train.small import small_groups, whole_tree
from madtree.train.source import Call, open_source
from madtree.train.strategy import Able, Wanted, choose_strategy
from madtree.train.survey import Survey, survey
from madtree.train.tables import Tables
from madtree.train.trained import Trained
from madtree.trees import BoostParameters, ForestParameters

# Rows come in order only in one process; what may be shared out says so (madtree.parallel).
SERIAL = {"max_parallel_workers_per_gather": "0"}


def kind_of(task: TrainingTask) -> TrainingKind:
    """The kind of model that is to be trained."""
    match task.ensemble:
        case BoostParameters() as parameters:
            return Boosted(parameters)
        case ForestParameters() as parameters:
            return Forests(parameters)
    return SingleTrees()


def train(host: Host, task: TrainingTask, watch: Stopwatch | None = None, activity: Activity | None = None) -> Trained:
    """Train and write the model.

    Args:
        watch: told of the stages.
        activity: told of the steps.

    Raises:
        MadtreeError: the rows are not fit to learn from, or cannot be kept as it was asked for.
    """
    watch = watch or Stopwatch("write")
    kind = kind_of(task)
    host.source.training_begins()
    create_tables(host, task, kind.model_kind)
    given = task.arguments.training_table_name
    warn_of_repeated_ids(host.source, task.source, task.id_sql, task.id_type, "id_col_name", given)
    activity = activity or Activity()
    call = begin(host, task, kind, watch, activity)
    with (
        telling_of_expressions(task),
        local_settings(host, SERIAL),
        local_settings(host.source, SERIAL),
        call.space,
        open_source(call) as source,
    ):
        encoded = encode_categories(call, source) if task.ordered else None
        found = survey(encoded.call, encoded.source) if encoded else survey(call, source)
        activity.counted(found.profile.usable)
        tables, profile = Tables(call, found, encoded), found.profile
        for batch in trees_of(encoded.call if encoded else call, found):
            watch.begin("write")
            tables.add(batch)
            profile = batch.profile
            watch.begin("passes")
        if tables.is_empty:
            or_held_out = ", or it is held out," if kind.holds_out else ""
            raise no_usable_row(task, f"every feature is NULL{or_held_out} in each of")
        watch.begin("write")
        trained = replace(tables.finish(profile), sample=sampled_rows(call, found))
    return replace(trained, seconds=watch.seconds)


def begin(host: Host, task: TrainingTask, kind: TrainingKind, watch: Stopwatch, activity: Activity) -> Call:
    """What the stages share."""
    workers = available(host, task.parallel_workers, task.tuning.cores)
    space = WorkSpace(host, task.output_schema)
    able = Able(workers, host.has_extension, space.tables.temporary, obstacle_to_workers(host, workers))
    watch.begin("sample")
    return Call(host, task, kind, able, space, watch, activity)


def trees_of(call: Call, found: Survey) -> Iterator[Batch]:
    """The trees in the way that suits them, batch by batch."""
    groups, wanted = found.groups, Wanted(call.task.strategy, call.kind, found.parameters, call.task.tuning)
    strategy = choose_strategy(wanted, call.able, found.source.access, found.size, found.blocks.whole)
    if strategy.is_whole:
        yield from whole_tree(call, found)
    elif groups is None:
        yield from large_trees(call, found, strategy, found.profile.scale())
    else:
        if found.size.n_blocks:
            yield from small_groups(call, found, strategy.n_growers)
        if len(large := found.large):
            scale = groups.scale(large, found.profile)
            yield from large_trees(call, found, strategy, scale, groups.tree_id[large])
