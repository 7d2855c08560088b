"""A model as rules, for people: what tree_rules tells, a line for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from madtree.cli.safe import safe_line
from madtree.cli.session import Session
from madtree.cli.trees import tree_number


def find_rules(
    opened: Session, model: str, tree: int | None, group: Sequence[str] | None, trust_owner: bool, full: bool
) -> list[dict[str, Any]]:
    """The rows of tree_rules, of a model or of one tree of its groups."""
    number = opened.run(lambda: tree_number(opened.connection, model, tree, group), "reading")
    arguments = {"model": model, "tree_id": number, "trust_owner": trust_owner, "full": full}
    return opened.call("tree_rules", arguments, "reading")


def rules_text(found: Sequence[dict[str, Any]]) -> str:
    """Rules for people, a line each, below their groups."""
    lines: list[str] = []
    for values, rules in groupby(found, key=lambda row: row["group_values"]):
        if values is not None:
            lines.append(safe_line(", ".join(f"{name} = {value}" for name, value in values.items())))
        lines += [rule_line(rule) for rule in rules]
    return "\n".join(lines)


def rule_line(rule: dict[str, Any]) -> str:
    """``x > 3 and carrier in {UA}  -->  true  (120 rows, 98.3%)``; of a regression the standard deviation."""
    if rule["confidence"] is not None:
        prediction, sure = rule["prediction"], f"{rule['confidence']:.1%}"
    else:
        prediction, sure = f"{rule['mean']:.6g}", "" if rule["sd"] is None else f"standard deviation {rule['sd']:.6g}"
    rows = f"{rule['n_rows']:,} row{'s' * (rule['n_rows'] != 1)}"
    return safe_line(f"{rule['rule']}  -->  {prediction}  ({', '.join(filter(None, (rows, sure)))})")
