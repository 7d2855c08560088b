"""`madtree show`: a model in the terminal."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from madtree.cli.declared import Given, with_options_of
from madtree.cli.escapes import escaped_line
from madtree.cli.exits import USAGE, CommandError
from madtree.cli.files import write
from madtree.cli.options import Dsn, Group, Json, examples
from madtree.cli.output import as_json, document, text
from madtree.cli.session import CommandSession, session
from madtree.cli.trees import read_trees, tree_number
from madtree.interface import command_line
from madtree.records import dataclass
from madtree.render.dot import model_dot
from madtree.render.svg import tree_svg
from madtree.render.text import model_text, surrogates_text
from madtree.trees import Model as TreeModel
from madtree.wording import count_text

EPILOG = examples(
    "$ madtree show delay_tree",
    "$ madtree show delays --group carrier=UA --verbose",
    "$ madtree show delay_tree --rules --full",
    "$ madtree show delay_tree --json | jq '.trees[0].nodes | length'",
    "$ madtree show delay_tree --max-depth 3",
    "$ madtree show delay_tree --svg -o tree.svg",
    "$ madtree show delay_tree --dot | dot -Tpng > tree.png",
)
FOR_PROGRAMS = ("dot", "svg")


@with_options_of("tree_display", "tree_rules")
def show_command(
    given: Given,
    group: Group = None,
    dot: Annotated[bool, typer.Option("--dot", help="A graph for graphviz.")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="A picture; of a grouped model, of its first tree.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="A rule for each leaf.")] = False,
    surrogates: Annotated[bool, typer.Option("--surrogates", help="The surrogates of each node.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; - or nothing: stdout.", rich_help_panel=command_line.OUTPUT
        ),
    ] = None,
    dsn: Dsn = None,
    json: Json = False,
) -> None:
    """Draw a model as text; or as a graph, a picture, its rules, or its surrogates.

    With --json it is the document of `madtree export --format json`, or the rows of its rules; nothing is shortened.
    """
    kinds = {"dot": dot, "svg": svg, "rules": rules, "surrogates": surrogates}
    chosen = [kind for kind, wanted in kinds.items() if wanted] or ["text"]
    if len(chosen) > 1:
        raise CommandError("choose one of --dot, --svg, --rules and --surrogates", code=USAGE)
    if json and chosen[0] not in ("text", "rules"):
        raise CommandError(f"--json and --{chosen[0]} do not go together", "The document has the surrogates.", USAGE)
    if json and output is not None:
        raise CommandError("--json and --output do not go together", "madtree export writes it to a file.", USAGE)
    kind = chosen[0]
    with session(dsn) as opened:
        trees = ChosenTrees(opened, given, group)
        if json:
            as_json(find_rules(trees, full=True) if kind == "rules" else model_as_json(trees))
            return
        drawn = draw(trees, kind)
    if output is not None:
        write(drawn, output, given["model"])
        return
    show = document if kind in FOR_PROGRAMS else text
    show(drawn.rstrip("\n"))


@dataclass(frozen=True)
class ChosenTrees:
    """The trees of a model that a command is about: what was given says which, with `group` as for `read_trees`."""

    opened: CommandSession
    given: Given
    group: Sequence[str] | None

    def read(self) -> TreeModel:
        asked = self.given["model"], self.given["tree"], self.group
        return self.opened.run(lambda: read_trees(self.opened.connection, *asked), "reading")

    def number(self) -> int | None:
        """As `tree_number`."""
        asked = self.given["model"], self.given["tree"], self.group
        return self.opened.run(lambda: tree_number(self.opened.connection, *asked), "reading")

    def one(self) -> int | None:
        """The number of the one tree asked for, by itself or by its group; None where none is."""
        return None if self.given["tree"] is None and not self.group else self.number()


def draw(trees: ChosenTrees, kind: str) -> str:
    """A model drawn as `text`, `dot`, `svg`, `rules` or `surrogates`."""
    given = trees.given
    verbose, full, max_depth = bool(given["verbose"]), bool(given["full"]), given["max_depth"]
    if kind == "rules":
        return rules_text(find_rules(trees, full))
    model = trees.read()
    if kind == "dot":
        return model_dot(model, verbose, full, max_depth=max_depth)
    if kind == "svg":
        return tree_svg(model, max_depth=max_depth, full=full)
    if kind == "surrogates":
        return surrogates_of(model, full)
    return model_text(model, verbose, full, max_depth=max_depth)


def model_as_json(trees: ChosenTrees) -> dict[str, Any]:
    """The document that tree_to_json makes, with the one tree that was asked for or all."""
    arguments = {"model": trees.given["model"], "tree_id": trees.one()}
    made: dict[str, Any] = json_text.loads(trees.opened.line("tree_to_json", arguments, "reading"))
    return made


def surrogates_of(model: TreeModel, full: bool) -> str:
    """The surrogates as text; an error where none were asked for in training."""
    if not model.summary.get("max_surrogates"):
        raise CommandError(
            f"{model.name} has no surrogates: it was trained without", "Train it with --max-surrogates 5."
        )
    return surrogates_text(model, full)


def find_rules(trees: ChosenTrees, full: bool) -> list[dict[str, Any]]:
    """The rows of tree_rules, of a model or of one tree of its groups."""
    arguments = {**trees.given.of("tree_rules"), "tree_id": trees.number(), "full": full}
    return trees.opened.call("tree_rules", arguments, "reading")


def rules_text(found: Sequence[dict[str, Any]]) -> str:
    """Rules for people, a line each, below their groups."""
    lines: list[str] = []
    for values, rules in groupby(found, key=lambda row: row["group_values"]):
        if values is not None:
            lines.append(escaped_line(", ".join(f"{name} = {value}" for name, value in values.items())))
        lines += [rule_line(rule) for rule in rules]
    return "\n".join(lines)


def rule_line(rule: dict[str, Any]) -> str:
    """``x > 3 and carrier in {UA}  -->  true  (120 rows, 98.3%)``; of a regression the standard deviation; of a boosted
    model what is added to its score.
    """
    if rule["confidence"] is not None:
        prediction, sure = rule["prediction"], f"{rule['confidence']:.1%}"
    elif rule["mean"] is None:
        prediction, sure = f"{float(rule['prediction']):+.6g} to the raw score", ""
    else:
        prediction, sure = f"{rule['mean']:.6g}", "" if rule["sd"] is None else f"standard deviation {rule['sd']:.6g}"
    rows = count_text(rule["n_rows"], "row", ",")
    return escaped_line(f"{rule['rule']}  -->  {prediction}  ({', '.join(filter(None, (rows, sure)))})")
