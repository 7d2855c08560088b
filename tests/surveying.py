"""The first look at the rows of a training, which leaves its work tables to the end of the test."""

from __future__ import annotations

from madtree.host import Host, Stopwatch
from madtree.request import TrainingTask
from madtree.train.activity import Activity
from madtree.train.source import open_source
from madtree.train.survey import Survey, survey
from madtree.train.train import begin, kind_of


def surveyed(host: Host, task: TrainingTask) -> Survey:
    """What is known of the rows before any tree is grown."""
    call = begin(host, task, kind_of(task), Stopwatch("write"), Activity())
    with open_source(call) as source:
        return survey(call, source)
