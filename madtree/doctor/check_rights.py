"""What this user may do: call madtree, make models, use temporary tables."""

from __future__ import annotations

from collections.abc import Iterator

from madtree.doctor.facts import Finding, ServerFacts, ok, problem, warning
from madtree.sqltext.quote import ident


def check_rights(facts: ServerFacts, schema: str | None) -> Iterator[Finding]:
    """Rights on madtree's schemas, on the schema that models go to, and on temporary tables."""
    user = facts.server.get("user", "this user")
    if facts.madtree_rights:
        closed = [schema["schema"] for schema in facts.madtree_rights if not schema["usage"]]
        barred = [schema["schema"] for schema in facts.madtree_rights if not schema["execute"]]
        if closed:
            cure = f"As a superuser: GRANT USAGE ON SCHEMA {', '.join(closed)} TO {user}"
            yield problem("functions", f"{user} may not use the schema {' or '.join(closed)}", cure)
        elif barred:
            cure = f"As a superuser: GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {', '.join(barred)} TO {user}"
            kept = [name for schema in facts.madtree_rights for name in schema["administrators"]]
            if kept:
                cure += f"; REVOKE EXECUTE ON FUNCTION {', '.join(kept)} FROM {user}"
            yield problem("functions", f"{user} may not call all of madtree's functions", cure)
        else:
            yield ok("functions", f"{user} may call madtree's functions")
    yield check_target(facts, schema, user)
    database = facts.server.get("database")
    if facts.database.get("create"):
        yield ok("schemas", f"{user} may make schemas in {database}")
    else:
        yield ok(
            "schemas", f"{user} may not make schemas in {database}: its owner may GRANT CREATE ON DATABASE {database}"
        )
    if facts.database.get("temp"):
        yield ok("temporary tables", f"{user} may make temporary tables")
    else:
        yield warning(
            "temporary tables",
            f"{user} may not make temporary tables in {database}: data frames cannot be trained on",
            f"As the database's owner: GRANT TEMPORARY ON DATABASE {database} TO {user}",
        )


def check_target(facts: ServerFacts, schema: str | None, user: str) -> Finding:
    """The schema where models are made: the one asked about, or the first of the search path."""
    target = facts.target
    path = facts.settings.get("search_path", {}).get("setting", "")
    if not target and schema is not None:
        return problem("models", f"there is no schema {ident(schema)}", f"CREATE SCHEMA {ident(schema)}")
    if not target:
        return problem(
            "models",
            f"no schema of the search_path ({path or 'it is empty'}) is there and open to {user}: "
            "models need a name with a schema",
            f"SET search_path = public, or name one: madtree train ... -o myschema.model; an administrator may: "
            f"CREATE SCHEMA AUTHORIZATION {user}",
        )
    name = target["schema"]
    wanted = [right for right in ("usage", "create") if not target[right]]
    if wanted:
        rights = ", ".join(wanted).upper()
        return problem(
            "models",
            f"{user} may not make tables in the schema {name}, where models would go",
            f"As its owner: GRANT {rights} ON SCHEMA {name} TO {user}; or, for a schema of one's own: "
            f"CREATE SCHEMA AUTHORIZATION {user}",
        )
    return ok("models", f"{user} may make models in the schema {name}")
