"""Whether a function takes a model."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.interface import FUNCTIONS
from madtree.sqltext.quote import literal
from madtree.trees import Model


def check_kind(model: Model, function: str, argument: str) -> None:
    """Refuse a model of a kind that a function does not take, as it is declared.

    Args:
        function: its name.
        argument: name of the argument that the model came in.

    Raises:
        MadtreeError: it is of such a kind.
    """
    takes = FUNCTIONS[function].takes
    if takes is not None and model.kind not in takes.kinds:
        said, hint = takes.refused(model.kind, literal(model.name))
        raise MadtreeError(f"{argument}: {model.name} {said}", hint=hint, sqlstate="42809")


def check_not_calibrated(model: Model, function: str) -> None:
    """Refuse a calibrated model where some of its trees are to be asked, as what its scores mean holds of all.

    Raises:
        MadtreeError: it is one.
    """
    of = model.summary.get("calibrated_model")
    if of is not None:
        raise MadtreeError(
            f"model: {model.name} is calibrated, which holds for all of its trees only, and {function} asks the first "
            "ones",
            hint=f"{function} takes the model that was calibrated, {str(of)[:100]}.",
            sqlstate="42809",
        )


def check_no_offsets(model: Model, why: str, hint: str) -> None:
    """Refuse a model whose rows have offsets.

    Args:
        why: the end of a sentence that says what it has.

    Raises:
        MadtreeError: it is one.
    """
    if model.offsets is not None:
        raise MadtreeError(
            f"model: {model.name} has offsets, {model.offsets[:100]}, {why}", hint=hint, sqlstate="0A000"
        )
