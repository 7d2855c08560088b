"""Schemas: that of functions and types that users do not call, what they call is in `madtree`; and temporary ones."""

INTERNAL = "madtree_internal"


def is_temporary(schema: str) -> bool:
    """Whether a schema, unquoted, is one of temporary tables."""
    return schema.startswith("pg_temp")
