"""Statements about aliases: an alias of a model is an empty table of one column whose comment names the model.

To look an alias up reads the catalogue alone, so nothing of its owner's runs.
"""

from __future__ import annotations

from madtree.sqltext.owners import CALLER, STILL_TRUSTED, SUPERUSER_ASKS
from madtree.sqltext.query import Lasting
from madtree.sqltext.quote import literal, qualified

COLUMN = "madtree_alias"
_BEGINNING = "alias of the madtree model "
_MOST = 400  # characters of a comment: more than two names with all quotes doubled

# The relation of oid $1: its columns, its comment, its owner, whether the caller is that role, and whether a superuser
# asks who does not trust it.
ALIAS = Lasting(f"""
WITH RECURSIVE {CALLER}
SELECT c.relkind::pg_catalog.text AS kind,
    pg_catalog.left(pg_catalog.obj_description(c.oid, 'pg_class'), {_MOST}) AS said,
    pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text AS owner,
    pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) CURRENT_USER AS is_own,
    {SUPERUSER_ASKS} AND NOT {STILL_TRUSTED} AS is_foreign,
    ARRAY(SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
    ) AS columns
FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) $1""")

# The aliases of the model whose qualified name as SQL is $1, as names.
OF_MODEL = f"""
SELECT d.objoid::pg_catalog.regclass::pg_catalog.text AS alias FROM pg_catalog.pg_description AS d
WHERE d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
AND d.objsubid OPERATOR(pg_catalog.=) 0
AND d.description OPERATOR(pg_catalog.=) ({literal(_BEGINNING)} OPERATOR(pg_catalog.||) $1)
ORDER BY 1"""


def model_in(comment: str) -> str | None:
    """The model's name that a comment has; None where it has none."""
    return comment.removeprefix(_BEGINNING) if comment.startswith(_BEGINNING) else None


def create(schema: str, name: str) -> str:
    return f"CREATE TABLE {qualified(schema, name)} ({COLUMN} pg_catalog.text)"


def name_model(schema: str, name: str, model: str) -> str:
    """Let an alias name another model; `model`: its qualified name as SQL."""
    return f"COMMENT ON TABLE {qualified(schema, name)} IS {literal(_BEGINNING + model)}"


def drop(schema: str, name: str) -> str:
    return f"DROP TABLE {qualified(schema, name)}"
