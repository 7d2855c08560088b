"""Finding a model's tables: by the caller's search path, held as they are, and checked before any of them is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from madtree.errors import MadtreeError
from madtree.host import Host
from madtree.model.facts import ColumnFacts, Facts, TableFacts, look_up
from madtree.model.hold import READ, are_held, held_facts, hold_summary, look_again, made_anew
from madtree.model.trust import NOT_ALLOWED, check_columns, check_harmless, check_keys
from madtree.records import dataclass
from madtree.request import Type, find_alias, find_relation
from madtree.sqltext.models import row_marks
from madtree.sqltext.quote import ident, literal, qualified
from madtree.sqltext.relation import Relation
from madtree.sqltext.tables import SIGNATURES, model_table, suffixed
from madtree.sqltext.tuning import MODEL_SUFFIX, are_scores, beside
from madtree.sqltext.values import Kept, Writer, class_writer
from madtree.wording import BLANKS

REQUIRED = ("", "_nodes", "_summary")  # suffixes of the tables that every model has
OPTIONAL = (
    "_surrogates",
    "_cv",
    "_competitors",
    "_group",
    "_packed",
    "_rounds",
    "_statistics",
    "_outcomes",
    "_conformal",
)
UNDEFINED_TABLE = "42P01"
UNKNOWN_NAMES = (UNDEFINED_TABLE, "3F000")  # there is no such table, or no such schema
_NO_MODEL = "42809"
REPLACED_TRIES = 3


@dataclass(frozen=True)
class ModelTables:
    """Where a model is kept.

    Attributes:
        given: the model's name as the user wrote it.
        argument: that it came in.
        schema, name: unquoted; the companion tables are `name` plus a suffix, in the same schema.
        facts: what the catalogue says of its tables, those only that belong to the model.
        trust_owner: whether the caller has said that she trusts their owner.
    """

    given: str
    argument: str
    schema: str
    name: str
    facts: Facts
    trust_owner: bool = False

    @property
    def at(self) -> tuple[str, str]:
        """The schema and the name."""
        return self.schema, self.name

    def part(self, suffix: str) -> str:
        """SQL of the name of one of the tables."""
        return model_table(self.schema, self.name, suffix)

    @property
    def _prediction(self) -> ColumnFacts:
        return self.facts.tables["_nodes"].columns["prediction"]

    @property
    def prediction_type(self) -> str:
        """SQL of the type of predictions, with its schema: that of `<output>_nodes.prediction`, or what the caller's
        tables may have in its place.
        """
        return self._prediction.kept.type

    @property
    def prediction_writer(self) -> Writer | None:
        """How `<output>_nodes.prediction` is written as text."""
        return class_writer(self._prediction.type, self._prediction.writer)

    def predicts(self, type_: Type) -> bool:
        """Whether predictions are of that type, apart from domains."""
        return self._prediction.kept.as_is and type_.base == self._prediction.name and not type_.is_array

    @property
    def is_packed(self) -> bool:
        """Whether the nodes are packed, and `<output>_nodes` is a view."""
        return self.facts.tables["_nodes"].kind == "v"

    def has(self, suffix: str) -> bool:
        """Whether there is a table of that suffix."""
        return suffix in self.facts.tables

    def hold_also(self, host: Host, suffix: str) -> None:
        """Hold a table that not every reader reads; others' are held already. Raises MadtreeError as `find_model`."""
        not_yet = self.trust_owner or self.facts.tables[suffix].trusted
        if not_yet and not are_held(host, self.at, self.facts, [suffix], trust_owner=self.trust_owner):
            raise made_anew(self.given, self.argument)

    def look_again(self, host: Host, suffixes: Sequence[str] = READ) -> None:
        """Have another look at the rows of some of these tables when the call ends."""
        tables = self.facts.tables
        found = [each for each in suffixes if each in tables and tables[each].kind == "r" and tables[each].readable]
        look_again(host, row_marks(*self.at, found), self.given, self.argument)

    def damaged(self, what: str, hint: str = "Train the model again, or restore its tables.") -> MadtreeError:
        """The error for tables that hold what training never writes."""
        return MadtreeError(f"{self.given} is damaged: {what}", hint=hint)

    def kept_columns(self, suffix: str) -> dict[str, Kept]:
        """How a copy of one of the tables keeps its columns, by their unquoted names."""
        return {name: column.kept for name, column in self.facts.tables[suffix].columns.items()}

    def columns(self, suffix: str) -> list[str]:
        """Unquoted names of the columns of one of the tables, in its order."""
        return list(self.facts.tables[suffix].columns)


def find_model(
    host: Host, given: str | None, argument: str, *, trust_owner: bool | None = False, to_drop: bool = False
) -> ModelTables:
    """Find the tables of a model by the caller's search path, and keep them as they are until the transaction ends.

    Who replaces a model begins with its summary, and waits. So from here on all tables are of one training. Where
    others write to them by themselves, the call ends with an error that says so.

    Args:
        given: the model's name as the user wrote it.
        argument: name of the argument that it came in, for errors.
        trust_owner: whether what the model's owner wrote may run.
        to_drop: the tables will not be read, so nothing of them is refused, and they are not held.

    Raises:
        MadtreeError: the name is NULL or malformed, there is no such table, it is no model of madtree's, its tables are
            damaged, or they are another role's and something of that role's would run on reading them.
    """
    if given is None or not given.strip(BLANKS):
        raise MadtreeError(f"{argument} must be the name of a model, not {'NULL' if given is None else 'empty'}")
    relation = _find_relation(host, given, argument)
    try:
        return _kept(host, _found(host, given, argument, relation, bool(trust_owner), to_drop), to_drop)
    except MadtreeError as error:
        alias = find_alias(host, relation) if error.sqlstate == _NO_MODEL else None
        if alias is None:
            raise
    if to_drop:
        raise MadtreeError(
            f"{argument}: {given} is an alias of {alias.model}",
            hint=f"madtree.model_alias({literal(given)}, NULL) removes it.",
            sqlstate=_NO_MODEL,
        )
    if alias.is_foreign and not trust_owner:
        raise MadtreeError(
            f"{argument}: {given} is an alias of {ident(alias.owner)}'s, who may let it name any model",
            hint=f"Name the model itself, {alias.model}; or, if you trust that role, say trust_owner => true.",
            sqlstate=NOT_ALLOWED,
        )
    try:
        named = _find_relation(host, alias.model, argument)
    except MadtreeError as error:
        if error.sqlstate not in UNKNOWN_NAMES:
            raise
        raise MadtreeError(
            f"{argument}: {given} is an alias of {alias.model}, which does not exist any more",
            hint=f"Give it to another model: SELECT madtree.model_alias({literal(given)}, '...').",
            sqlstate=error.sqlstate,
        ) from error
    return _kept(host, _found(host, given, argument, named, bool(trust_owner), False), False)


def find_trained(host: Host, schema: str, name: str) -> ModelTables:
    """The tables of a model that this call has made itself, and may go on writing to."""
    given, argument = qualified(schema, name), "output_table_name"
    return _found(host, given, argument, _find_relation(host, given, argument), True, False)


def _kept(host: Host, tables: ModelTables, to_drop: bool) -> ModelTables:
    """The tables, whose keys are looked at, and at whose rows there is another look when the call ends, unless they are
    to be dropped.
    """
    if not to_drop:
        tables.look_again(host)
        check_keys(host, tables.given, *tables.at, tables.facts)
    return tables


def _found(host: Host, given: str, argument: str, relation: Relation, trust_owner: bool, to_drop: bool) -> ModelTables:
    """The model whose table `relation` is; arguments and errors as of `find_model`."""

    def look() -> Facts:
        return _model(given, argument, relation, look_up(host, relation.schema, relation.name))

    if to_drop:  # who drops them locks them more strongly, and of two who hold them neither could
        return ModelTables(given, argument, relation.schema, relation.name, look(), trust_owner)
    hold_summary(host, relation)
    facts = held_facts(host, relation, given, argument, look, trust_owner=trust_owner)
    tables = ModelTables(given, argument, relation.schema, relation.name, facts, trust_owner)
    if not trust_owner:
        check_harmless(given, facts, argument)
    check_columns(given, facts)
    return tables


def missing_model(given: str, argument: str) -> MadtreeError:
    """The error for a model that was dropped since it was looked for."""
    return MadtreeError(f"{argument}: relation {given} does not exist", sqlstate=UNDEFINED_TABLE)


def _find_relation(host: Host, given: str, argument: str) -> Relation:
    """`find_relation`, again where the model was replaced just between the query's snapshot and its look-up."""
    for _ in range(REPLACED_TRIES):
        try:
            return find_relation(host, given, argument, is_model=True)
        except MadtreeError as error:
            if error.sqlstate != UNDEFINED_TABLE:
                raise
    return find_relation(host, given, argument, is_model=True)


def _model(given: str, argument: str, relation: Relation, facts: Facts) -> Facts:
    """The tables that belong to the model: ordinary ones, with the columns of their kind.

    Raises:
        MadtreeError: one that every model has is missing.
    """
    if "" not in facts.tables:  # dropped since it was looked for
        raise missing_model(given, argument)
    parts = {suffix: table for suffix, table in facts.tables.items() if _is_part(suffix, table, facts)}
    missing = [suffix for suffix in REQUIRED if suffix not in parts]
    if missing:
        names = [ident(suffixed(relation.name, suffix)) for suffix in missing]
        raise MadtreeError(
            f"{argument}: {given} is not a madtree model: no table {' or '.join(names)} has a model's columns",
            hint=_what_instead(given, facts.tables[""]),
            sqlstate=_NO_MODEL,
        )
    owner = parts["_summary"].owner
    # Who may create tables in a schema could add one to another role's model.
    for suffix in OPTIONAL:
        if suffix in parts and not parts[suffix].trusted and parts[suffix].owner != owner:
            del parts[suffix]
    if parts["_nodes"].kind == "v" and "_packed" not in parts:
        packed = ident(suffixed(relation.name, "_packed"))
        raise MadtreeError(
            f"{argument}: {given} is not a madtree model: its table {packed} has not a model's columns, or is another "
            "role's",
            sqlstate="42809",
        )
    return replace(facts, tables=parts)


def _what_instead(given: str, table: TableFacts) -> str:
    """What to give in the place of a table that is no model."""
    if are_scores(list(table.columns)):
        model = beside(given, MODEL_SUFFIX)
        return f"It has the scores of a madtree.tree_tune call, whose model is {model}; DROP TABLE {given} removes it."
    return "Give the output_table_name of a madtree.tree_train call."


def _is_part(suffix: str, table: TableFacts, facts: Facts) -> bool:
    """Ordinary tables are; and the view of nodes, which goes with the table of packed ones."""
    kinds = {other: facts.tables[other].kind for other in ("_nodes", "_packed") if other in facts.tables}
    packed = kinds == {"_nodes": "v", "_packed": "r"}
    if suffix == "_packed" and not packed:
        return False
    kind = "v" if suffix == "_nodes" and packed else "r"
    return table.kind == kind and SIGNATURES[suffix] <= table.columns.keys()
