"""tree_train after its arguments have been checked: make the model's tables, train, fill them."""

from __future__ import annotations

import time
from collections.abc import Callable

from madtree.host import Host, Stopwatch, local_settings
from madtree.ingest import has_citus
from madtree.learn.data import Bools
from madtree.model import create_tables
from madtree.parallel import available
from madtree.request import TrainingTask
from madtree.train.fill import ModelFiller
from madtree.train.training import Training

# Rows come in order only in one process; what may be shared out says so (madtree.parallel).
_SERIAL = {"max_parallel_workers_per_gather": "0"}
# Citus would tell its workers of a forest's view, which reads a table that they do not have.
_OWN_VIEWS = {"citus.enable_ddl_propagation": "off"}


def train(host: Host, task: TrainingTask, then: Callable[[Bools], None] | None = None) -> str:
    """Train and write the model; returns one line that says what was trained.

    Args:
        then: called when the model is written, with `ModelFiller.is_tested`.

    Raises:
        MadtreeError: the rows are not fit to learn from.
    """
    started = time.monotonic()
    watch = Stopwatch("write")
    host.source.training_begins()
    of_views = _OWN_VIEWS if task.forest and has_citus(host) else {}
    with local_settings(host, of_views):
        create_tables(host, task)
    workers = available(host, task.parallel_workers, task.tuning.cores)
    with local_settings(host, _SERIAL), local_settings(host.source, _SERIAL):
        training = Training(host, task, workers, watch)
        filler = ModelFiller(host, task, training)
        training.train(filler.add)
        watch.begin("write")
        with local_settings(host, of_views):
            filler.finish()
        training.clean_up()
    if then is not None:
        watch.begin("write")
        then(filler.is_tested)
    if task.verbose:
        host.info(watch.line())
    n_rows, n_trees, n_leaves = filler.n_rows, filler.n_trees, filler.n_leaves
    failed = f"{filler.n_failed} group{'s' * (filler.n_failed != 1)} without any, " if filler.n_failed else ""
    error = "" if filler.oob_error is None else f"out-of-bag error {filler.oob_error:.4g}, "
    return (
        f"{task.arguments.output_table_name}: {'forest for ' if task.forest else ''}"
        f"{'classification' if task.is_classification else 'regression'}, "
        f"{n_rows} row{'s' * (n_rows != 1)}, {n_trees} tree{'s' * (n_trees != 1)}, {failed}"
        f"{n_leaves} lea{'ves' if n_leaves != 1 else 'f'}, {error}{time.monotonic() - started:.2f} s"
    )
