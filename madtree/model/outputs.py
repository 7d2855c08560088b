"""What a prediction looks like: for each `type` its columns, their names and types."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from math import fsum
from operator import add

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.interface import defaults
from madtree.sqltext.condition import QUALIFIED, Spelling
from madtree.sqltext.predict import Output
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES, literal
from madtree.sqltext.tables import identifier_cut
from madtree.trees import Members, Model, Node

FORMER_TYPES = {"prob_columns": "prob"}  # names that scripts may still have
INTERVAL, CONFORMAL = "interval", "conformal"  # types
SHOWN_CLASSES = 10  # in an error
MOST_COLUMNS = 1000  # of float8, which a row of PostgreSQL's has room for beside the id


def check_type(model: Model, type_: str | None, some: Collection[str] | None = None) -> str:
    """The `type` argument in lower case, by its present name.

    Args:
        some: only these, where not all that the model's kind has can be asked for.

    Raises:
        MadtreeError: it does not suit the model; the error has the valid ones.
    """
    valid = [each for each in _types_of(model) if some is None or each in some]
    wanted = (type_ or "").strip().lower()
    wanted = FORMER_TYPES.get(wanted, wanted)
    if wanted not in valid:
        kind = "" if model.is_classification else " for a regression model"
        has = "sets of classes" if model.is_classification else "intervals"
        hint = f"Type 'conformal' has {has}, after madtree.conformal_train." if wanted == INTERVAL else None
        raise MadtreeError(f"type must be one of {', '.join(valid)}{kind}, not {type_!r}", hint=hint)
    return wanted


def check_level(type_: str, level: float | None) -> None:
    """Raises MadtreeError where `level` is none, or another one than usual of predictions that have none."""
    if type_ not in (INTERVAL, CONFORMAL):
        if level not in (None, defaults.LEVEL):
            raise MadtreeError(f"level is for the types '{CONFORMAL}' and '{INTERVAL}', not for {type_!r}")
    elif level is None or not 0 < level < 1:
        raise MadtreeError(f"level must be a number above 0 and below 1, not {'NULL' if level is None else level}")


def check_first_rounds(model: Model, type_: str, n_rounds: int | None) -> None:
    """Raises MadtreeError where the model has not so many rounds, or the type is of all of them; None asks for all."""
    if n_rounds is None:
        return
    if type_ == CONFORMAL:
        raise MadtreeError("num_trees: quantiles for type 'conformal' are those of all rounds", hint="Leave it out.")
    most = model.n_members // model.n_scores
    if n_rounds > most:
        raise MadtreeError(f"num_trees must be at most {most}, the rounds of {model.name}, not {n_rounds}")


def _types_of(model: Model) -> tuple[str, ...]:
    return *own_types(model), CONFORMAL


def own_types(model: Model) -> tuple[str, ...]:
    """The types that the model's kind has for its outcomes; predictions by kept quantiles, all models have beside them.
    """  # fmt: skip
    return model.kind.class_types if model.is_classification else model.kind.number_types


def column_names(model: Model, type_: str, taken: str) -> list[str]:
    """The names of the columns of a type, none where the model does not have it; `taken` as below."""
    if type_ not in _types_of(model):
        return []
    return [output.name for output in output_columns(model, type_, QUALIFIED, taken)]


def output_columns(model: Model, type_: str, spelling: Spelling, taken: str = "") -> list[Output]:
    """The columns of predictions. Of more classes than a row has room for, the probabilities are one array.

    Args:
        type_: a valid one, see `check_type`.
        spelling: of the literals.
        taken: name of the id column, which stands beside them.
    """
    if type_ == "response":
        columns = [_response(model, spelling)]
    elif type_ == CONFORMAL and model.is_classification:
        columns = [Output(f"estimated_{model.target}_set", f"{model.dependent_type}[]", _no_leaf)]
    elif type_ in (INTERVAL, CONFORMAL):
        response = _response(model, spelling)
        columns = [response, *(Output(f"{response.name}_{end}", response.type, _no_leaf) for end in ("low", "high"))]
    elif type_ == "leaf":
        int8 = spelling.type("int8")
        array = "" if model.kind.members is Members.ONE else "[]"
        columns = [Output(model.kind.leaf_column, f"{int8}{array}", lambda node: spelling.whole_number(node.node_id))]
    elif type_ == "raw":
        float8 = spelling.type("float8")
        names = [f"raw_{name}" for name in (model.classes if model.n_scores > 1 else (model.target,))]
        if len(names) <= MOST_COLUMNS:
            columns = [Output(name, float8, _no_leaf) for name in names]
        else:
            columns = [Output("raw", f"{float8}[]", _no_leaf)]
    elif len(model.classes) <= MOST_COLUMNS:
        columns = [_probability(model, position, spelling) for position in range(len(model.classes))]
    else:
        columns = [_probabilities(spelling)]
    distinct = distinct_names((column.name for column in columns), taken)
    return [replace(column, name=name) for name, column in zip(distinct, columns, strict=True)]


def output_expression(model: Model, type_: str, spelling: Spelling, class_: str | None = None) -> Output:
    """A prediction as one value: with `prob` the probability of a class; where none is named, that of the last of two
    classes (of a boolean, true), of more classes an array.

    Raises:
        MadtreeError: the model has no such class, or `type_` is another one.
    """
    if class_ is not None and type_ != "prob":
        raise MadtreeError(f"class says whose probability is wanted, which takes type 'prob', not {type_!r}")
    if type_ != "prob":
        return output_columns(model, type_, spelling)[0]
    if class_ is None:
        last = len(model.classes) - 1
        return _probability(model, last, spelling) if last <= 1 else _probabilities(spelling)
    return _probability(model, class_position(model, class_), spelling)


def class_position(model: Model, class_: str | None) -> int:
    """The place of a class among the model's, from 0; of at most two that of the last one, where none is named.

    Raises:
        MadtreeError: the model has no such class, or more than two, and none is named.
    """
    if class_ is None and len(model.classes) <= 2:
        return len(model.classes) - 1
    if class_ not in model.classes:
        known = ", ".join(map(literal, model.classes[:SHOWN_CLASSES]))
        more = f", ... {len(model.classes) - SHOWN_CLASSES} more" if len(model.classes) > SHOWN_CLASSES else ""
        hint = f"Name one: class => {literal(model.classes[0])}." if class_ is None else None
        given = "NULL" if class_ is None else literal(class_)
        raise MadtreeError(f"class must be one of {known}{more}, not {given}", hint=hint)
    return model.classes.index(class_)


def class_positions(model: Model, class_: str | None) -> Sequence[int]:
    """The places of the classes that are asked for: of at most two the last one, of more all, where none is named; none
    of a model of numbers.

    Raises:
        MadtreeError: the model has no such class.
    """
    if not model.is_classification:
        if class_ is not None:
            raise MadtreeError(f"class: {model.name} predicts numbers, and has no class {literal(class_)}")
        return []
    if class_ is None and len(model.classes) > 2:
        return range(len(model.classes))
    return [class_position(model, class_)]


def notice_class(host: Host, model: Model) -> None:
    """Tell of which of two classes an expression is the probability, where none is named."""
    if len(model.classes) == 2:
        first, last = model.classes
        host.notice(
            f"type 'prob': the expression gives the probability that {model.target} is {last}; "
            f"class => {literal(first)} gives the other one's"
        )


def probabilities(class_weights: Sequence[float]) -> list[float]:
    """Class weights over their sum, which is the exactly rounded one, whatever the order."""
    total = fsum(class_weights)
    return [weight / total for weight in class_weights]


def class_errors(class_weights: Sequence[float]) -> list[float]:
    """1 less the probability of each class, to the bit what `sqltext.curves.conformal` makes of a leaf: by a sum in
    order.
    """
    total = reduce(add, class_weights, 0.0)
    return [1 - weight / total for weight in class_weights]


def distinct_names(names: Iterable[str], taken: str) -> list[str]:
    """`names` cut to PostgreSQL's 63 bytes, none like another or like `taken`: a number tells them apart."""
    used = {taken}
    distinct = []
    for name in names:
        candidate, number = identifier_cut(name), 1
        while candidate in used:
            number += 1
            candidate = identifier_cut(name, MAX_IDENTIFIER_BYTES - len(f"_{number}")) + f"_{number}"
        used.add(candidate)
        distinct.append(candidate)
    return distinct


def _no_leaf(node: Node) -> str:
    """Of what no leaf says alone."""
    raise ValueError("what all trees say together is no leaf's")


def _response(model: Model, spelling: Spelling) -> Output:
    name, type_ = f"estimated_{model.target}", model.dependent_type
    if not model.is_classification:
        return Output(name, spelling.type("float8"), lambda node: spelling.number(float(node.prediction or 0)))
    return Output(name, type_, lambda node: spelling.value(str(node.prediction), type_))


def _probability(model: Model, position: int, spelling: Spelling) -> Output:
    def value(node: Node) -> str:
        return spelling.number(probabilities(node.class_weights or ())[position])

    return Output(f"estimated_prob_{model.classes[position]}", spelling.type("float8"), value)


def _probabilities(spelling: Spelling) -> Output:
    def value(node: Node) -> str:
        return spelling.numbers(probabilities(node.class_weights or ()))

    return Output("estimated_prob", f"{spelling.type('float8')}[]", value)
