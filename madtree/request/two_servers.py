"""Rows of another server than the model's: the types of their values must be known at both."""

from __future__ import annotations

from collections.abc import Iterable

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.request.holding import named_types
from madtree.sqltext.quote import qualified
from madtree.sqltext.split import parse_name


def check_known_types(host: Host, used: Iterable[tuple[str, str]]) -> None:
    """Look up, at the model's server, the types that its tables will have or name.

    Args:
        used: what is of a type, for errors, and the type as the rows' server spells it: with its schema where it is not
            PostgreSQL's own.

    Raises:
        MadtreeError: one is not there, or is another role's there than the caller or a superuser.
    """
    if host.source is host:
        return
    for what, type_ in used:
        parts = parse_name(type_)
        if parts is None or len(parts) < 2 or parts[0] == "pg_catalog":
            continue
        (found,) = named_types(host, [qualified(parts[0], parts[1])])
        if found["oid"] is not None and not found["trusted"]:
            raise MadtreeError(
                f"{what} is of type {type_}, which at the model's server is another role's",
                hint="Cast it, for instance to text.",
                sqlstate="42501",
            )
        if found["oid"] is None:
            raise MadtreeError(
                f"{what} is of type {type_}, which the model's server lacks",
                hint="Cast it, for instance to text, or create the type there, too.",
                sqlstate="42704",
            )
