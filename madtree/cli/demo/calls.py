"""Calls of madtree's functions, as SQL and as Python write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from madtree.records import dataclass
from madtree.sqltext.quote import literal

WIDTH = 120


@dataclass(frozen=True)
class ShownCall:
    """A call of a function of madtree's.

    Attributes:
        function: its name.
        arguments, named: texts, numbers and truths.
        columns: of a function that returns rows, those that are wanted, as SQL.
    """

    function: str
    arguments: Sequence[Any] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    columns: str = ""

    def sql(self) -> str:
        wanted = f"{self.columns} FROM " if self.columns else ""
        return f"SELECT {wanted}madtree.{self.function}({self._listed(_in_sql, ' => ')})"

    def python(self) -> str:
        return f"client.{self.function}({self._listed(repr, '=')})"

    def _listed(self, written: Callable[[Any], str], named: str) -> str:
        """All arguments, in lines that are not too long."""
        parts = [written(value) for value in self.arguments]
        parts += [f"{name}{named}{written(value)}" for name, value in self.named.items()]
        lines = [""]
        room = WIDTH - len(f"SELECT madtree.{self.function}(")
        for part in parts:
            if lines[-1] and len(lines[-1]) + len(part) + 3 > room:
                lines.append("")
                room = WIDTH - 4
            lines[-1] += f", {part}" if lines[-1] else part
        return ",\n    ".join(lines)


def _in_sql(value: Any) -> str:
    return literal(value) if isinstance(value, str) else str(value).lower()
