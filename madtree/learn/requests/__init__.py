"""Requests and their answers: what programs that grow trees ask of whoever has the rows, and how they are driven."""

from __future__ import annotations

from madtree.learn.requests.provider import (
    BREATH,
    NoAnswerError,
    Program,
    Progress,
    Provider,
    Request,
    StepReport,
    T,
    driven,
)
from madtree.learn.requests.requests import (
    FoldHashesRequest,
    OfRows,
    RememberRequest,
    ReplaceRequest,
    RowsRequest,
    SampleRequest,
    SumsRequest,
    arguments_of,
)
