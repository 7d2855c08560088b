"""Aliases of models: names that can be given to another model in one step, and back."""

from __future__ import annotations

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model.find import UNDEFINED_TABLE, UNKNOWN_NAMES, find_model
from madtree.records import dataclass
from madtree.request import Alias, check_new, find_alias, find_relation
from madtree.sqltext import aliases as sql
from madtree.sqltext.quote import ident, is_temporary, qualified
from madtree.sqltext.split import parse_name
from madtree.wording import BLANKS


@dataclass(frozen=True)
class NamedModel:
    """What an alias names, and what it did before, each as SQL, without the schema where that is the alias's own; None
    where it names nothing.
    """

    now: str | None
    before: str | None


def model_alias(host: Host, alias: str | None, model_name: str | None, trust_owner: bool | None = False) -> NamedModel:
    """Let an alias name a model; without a model, remove the alias.

    Args:
        trust_owner: that of `find_model`.

    Raises:
        MadtreeError: there is no such model, what is called so is no alias, or it is another role's.
    """
    found = _existing(host, alias)
    if model_name is None:
        if found is None:
            raise MadtreeError(f"alias: there is no alias {alias}", sqlstate=UNDEFINED_TABLE)
        host.command(sql.drop(found.schema, found.name))
        return NamedModel(None, _shown_name(found.model, found.schema))
    tables = find_model(host, model_name, "model", trust_owner=trust_owner)
    target = qualified(*tables.at)
    schema, name = check_new(host, alias, "alias", "alias") if found is None else (found.schema, found.name)
    if is_temporary(tables.schema) and not is_temporary(schema):
        raise MadtreeError(
            f"model: {model_name} is temporary, and the alias would be left without it",
            hint="Make the alias in pg_temp, too.",
        )
    if found is None:
        host.command(sql.create(schema, name))
    host.command(sql.name_model(schema, name, target))
    return NamedModel(_shown_name(target, schema), None if found is None else _shown_name(found.model, schema))


def _shown_name(model: str, schema: str) -> str:
    """A qualified name as it is told."""
    parts = parse_name(model) or (model,)
    return ident(parts[-1]) if parts[0] == schema else model


def _existing(host: Host, alias: str | None) -> Alias | None:
    """The alias of that name; None where nothing is called so.

    Raises:
        MadtreeError: something else is, or the alias is another role's.
    """
    if alias is None or not alias.strip(BLANKS):
        raise MadtreeError(f"alias must be a name, not {'NULL' if alias is None else 'empty'}")
    try:
        relation = find_relation(host, alias, "alias")
    except MadtreeError as error:
        if error.sqlstate in UNKNOWN_NAMES:
            return None
        raise
    found = find_alias(host, relation)
    if found is None:
        raise MadtreeError(
            f"alias: {qualified(relation.schema, relation.name)} exists already, and is no alias",
            hint="Choose another name: an alias stands beside the models that it names.",
            sqlstate="42P07",
        )
    if not found.is_own:
        raise MadtreeError(f"alias: {alias} is {ident(found.owner)}'s", sqlstate="42501")
    return found
