"""`madtree show`: a model in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from madtree.cli.exits import USAGE, CommandError
from madtree.cli.options import Dsn, Group, Model, Tree, TrustOwner, examples
from madtree.cli.output import document, text
from madtree.cli.rules import rules_of
from madtree.cli.session import Session, session
from madtree.cli.trees import read_trees
from madtree.render.dot import model_dot
from madtree.render.surrogates import surrogates_text
from madtree.render.svg import tree_svg
from madtree.render.text import model_text
from madtree.trees import Model as TreeModel

EPILOG = examples(
    "$ madtree show delay_tree",
    "$ madtree show delays --group carrier=UA --verbose",
    "$ madtree show delay_tree --rules",
    "$ madtree show delay_tree --svg > tree.svg",
    "$ madtree show delay_tree --dot | dot -Tpng > tree.png",
)
FOR_PROGRAMS = ("dot", "svg")


def show_command(
    model: Model,
    group: Group = None,
    tree: Tree = None,
    dot: Annotated[bool, typer.Option("--dot", help="A graph for graphviz.")] = False,
    svg: Annotated[bool, typer.Option("--svg", help="A picture; of a grouped model, of its first tree.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="A rule for each leaf.")] = False,
    surrogates: Annotated[bool, typer.Option("--surrogates", help="The surrogates of each node.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Impurity, rows and class weights of each node.")
    ] = False,
    trust_owner: TrustOwner = False,
    dsn: Dsn = None,
) -> None:
    """Draw a model as text; or as a graph, a picture, its rules, or its surrogates."""
    kinds = {"dot": dot, "svg": svg, "rules": rules, "surrogates": surrogates}
    chosen = [kind for kind, wanted in kinds.items() if wanted] or ["text"]
    if len(chosen) > 1:
        raise CommandError("choose one of --dot, --svg, --rules and --surrogates", code=USAGE)
    with session(dsn) as opened:
        drawn = draw(opened, model, chosen[0], tree, group, verbose, trust_owner)
    show = document if chosen[0] in FOR_PROGRAMS else text
    show(drawn.rstrip("\n"))


def draw(
    opened: Session,
    name: str,
    kind: str,
    tree: int | None,
    group: list[str] | None,
    verbose: bool = False,
    trust_owner: bool = False,
) -> str:
    """A model drawn as `text`, `dot`, `svg`, `rules` or `surrogates`."""
    if kind == "rules":
        return rules_of(opened, name, tree, group, trust_owner)
    model = opened.run(lambda: read_trees(opened.connection, name, tree, group), "reading")
    if kind == "dot":
        return model_dot(model, verbose)
    if kind == "svg":
        return tree_svg(model)
    if kind == "surrogates":
        return surrogates_of(model)
    return model_text(model, verbose)


def surrogates_of(model: TreeModel) -> str:
    """The surrogates as text; an error where none were asked for in training."""
    if not model.summary.get("max_surrogates"):
        raise CommandError(
            f"{model.name} has no surrogates: it was trained without", "Train it with --max-surrogates 5."
        )
    return surrogates_text(model)
