"""What the doctor says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Status(str, Enum):
    """How bad a finding is. A problem keeps madtree from working; with a warning it works worse than it could."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        check: what was looked at, a short fixed name.
        status: how it is.
        message: what was found, one sentence.
        cure: what to do about it, an exact command where there is one; None where nothing needs doing.
    """

    check: str
    status: Status
    message: str
    cure: str | None = None


def ok(check: str, message: str) -> Finding:
    return Finding(check, Status.OK, message)


def warning(check: str, message: str, cure: str | None) -> Finding:
    return Finding(check, Status.WARNING, message, cure)


def problem(check: str, message: str, cure: str | None) -> Finding:
    return Finding(check, Status.PROBLEM, message, cure)


def worst(findings: Iterable[Finding]) -> Status:
    """The worst status among findings."""
    return max((finding.status for finding in findings), key=list(Status).index, default=Status.OK)
