"""Training from arguments as they are given: checked, trained, written; and tuning, which trains the best setting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from madtree import score  # each part is loaded when it is asked for, and most trainings need one
from madtree.host import Host, Stopwatch
from madtree.model.write import write_outcomes
from madtree.request import CHECKS, TrainingTask, TuneTask, check_tune_arguments, setting_text
from madtree.sqltext import array_text as text
from madtree.sqltext import tuning as sql
from madtree.sqltext.quote import qualified
from madtree.train import Activity, Trained, TrialScores, kind_of, line_of, search, train
from madtree.wording import count_text


def train_model(host: Host, *arguments: Any, function: str) -> str:
    """Train a model of the function's kind, for each group; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from.
    """
    return line_of(trained(host, CHECKS[function](host, *arguments)))


def trained(host: Host, task: TrainingTask) -> Trained:
    """Train, predict the model's own rows where that is wanted, and tell where the time went.

    Raises:
        MadtreeError: the rows are not fit to learn from.
    """
    with host.shown() as show:
        activity = Activity.of(host, show, kind_of(task).model_kind, task.source.oid)
        watch = Stopwatch("write", tell=activity.begin)
        found = train(host, task, watch, activity)
        _keep_statistics(host, task, watch, found)
        if task.oob_predictions:
            score.predict_out_of_bag(host, task)
        if task.intervals:
            drawn = score.draw_leaf_outcomes(host, task)
            write_outcomes(host, task, drawn.tree_id, drawn.n_leaves, drawn.outcomes)
    if task.verbose:
        host.info(watch.line())
    return replace(found, seconds=watch.seconds)


def _keep_statistics(host: Host, task: TrainingTask, watch: Stopwatch, found: Trained) -> None:
    watch.begin("write")
    score.keep_statistics(host, task, found.kind, found.sample)


def tree_tune(host: Host, *arguments: Any) -> str:
    """Try settings, write a table of their scores, and train the best one; returns one line.

    Raises:
        MadtreeError: an argument is not valid, or the rows are not fit to learn from, or not enough.
    """
    watch = Stopwatch("write")
    tune = check_tune_arguments(host, *arguments)
    former = _former(host, tune)
    reached = search(host, tune, watch)
    best = reached[0]
    _write(host, tune, reached, former)
    task = tune.tasks[best.trial - 1]
    model = train(host, task, watch)
    _keep_statistics(host, task, watch, model)
    setting = setting_text(tune.settings[best.trial - 1])
    return (
        f"{tune.output}: {count_text(len(tune.tasks), 'setting')}, {len(best.scores)} folds; "
        f"best is setting {best.trial}{f' ({setting})' if setting else ''}, {tune.metric} {best.mean:.4g}; "
        f"{model.model}, {watch.seconds:.2f} s"
    )


def _former(host: Host, tune: TuneTask) -> score.FormerTable | None:
    """The table that the scores replace, if there is one."""
    columns = ", ".join(sql.OWN_COLUMNS)
    signature = score.TableSignature("scores of settings", columns, sql.are_scores, "output_table_name")
    return score.find_former(host, tune.schema, tune.name, signature, replace=tune.replace)


def _write(host: Host, tune: TuneTask, reached: Sequence[TrialScores], former: score.FormerTable | None) -> None:
    """Make the table of scores; `reached`: the best one first."""
    columns = sql.score_columns([(each.name, each.type) for each in tune.columns])
    rows: list[tuple[Any, ...]] = [
        (
            each.trial,
            *tune.settings[each.trial - 1].values(),
            fold,
            None if math.isnan(value) else value,
            each.seconds / len(each.scores),
            each.share,
            each is reached[0],
        )
        for each in sorted(reached, key=lambda each: each.trial)
        for fold, value in enumerate(each.scores.tolist(), 1)
    ]
    target = former.scratch if former else qualified(tune.schema, tune.name)
    host.command(sql.create_scores(target, columns))
    texts = [text.texts([_as_text(value) for value in column]) for column in zip(*rows, strict=True)]
    host.command(sql.insert_scores(target, columns), ["pg_catalog.text"] * len(columns), texts)
    if former:
        former.replace(host)


def _as_text(value: Any) -> str | None:
    """As PostgreSQL reads it."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(value)
