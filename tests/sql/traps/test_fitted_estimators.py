"""A fitted estimator knows the types of its features by name, and asks again what these are: their owner may have given
the names to other types since, whose values run functions as they are made of the labels that the estimator has kept.
"""

from __future__ import annotations

from typing import Any

import pytest
from client_entries import ask, entries, estimators
from ground import CALLERS, Ground, Seen
from shares import share
from test_client_entries import PLACE, few_trees
from test_clients import refused
from trap_objects import spring

import madtree

# Labels of the enum that are values of each of the types below, as text.
LABELS = {"a row": ("(1)", "(2)"), "a domain": ("1", "2"), "a range": ("[1,2)", "[2,3)"), "an enum": ("1", "2")}
# What has the enum's name then.
INSTEAD = {
    "a row": "CREATE TYPE late.kind AS (a late.checked)",
    "a domain": f"CREATE DOMAIN late.kind AS int4 CHECK ({spring('planted')} = 1)",
    "a range": "CREATE TYPE late.kind AS RANGE (subtype = late.checked)",
    "an enum": "CREATE TYPE late.kind AS ENUM ('1', '2')",
}
# Implicit casts of what is there then, which is no domain.
_CAST = f"""
CREATE FUNCTION late.to_{{name}}(v late.kind) RETURNS {{name}} LANGUAGE plpgsql IMMUTABLE AS
$f$ BEGIN PERFORM {spring("planted")}; RETURN '1'; END $f$;
CREATE CAST (late.kind AS {{name}}) WITH FUNCTION late.to_{{name}} AS IMPLICIT
"""
_BEFORE = """
CREATE SCHEMA late; GRANT USAGE ON SCHEMA late TO public;
CREATE TYPE late.kind AS ENUM ('{0}', '{1}');
CREATE TABLE late.d AS SELECT id, (CASE WHEN x > 40 THEN '{0}' ELSE '{1}' END)::late.kind AS k, y, z FROM traps.d;
GRANT SELECT ON late.d TO public
"""
_AFTER = """
ALTER TYPE late.kind RENAME TO kind_before;
CREATE DOMAIN late.checked AS int4 CHECK ({check} = 1);
{instead};
ALTER TABLE late.d ALTER k TYPE late.kind USING k::text::late.kind
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("engine", ["extension", "client"])
@pytest.mark.parametrize("what", INSTEAD)
def test_another_type_of_a_features_name_runs_nothing(ground: Ground, what: str, engine: str) -> None:
    seen, attacker = Seen(ground, "superuser", engine), ground.sessions["attacker"]
    answered = set[str]()
    ground.clear()
    with ground.calling(CALLERS["superuser"]) as db:
        client = madtree.connect(db, engine=engine, on_message=lambda line: None)
        every = [(which, kind) for which, kind in estimators().items() if hasattr(kind, "predict")]
        kinds = dict(share(every, 2, [*INSTEAD].index(what)))
        ground.quietly("DROP SCHEMA IF EXISTS late CASCADE")
        attacker.execute(_BEFORE.format(*LABELS[what]))  # type: ignore[arg-type]
        place: dict[str, dict[str, Any]] = {}
        fitted: dict[str, Any] = {}
        for which, kind in kinds.items():
            place[which] = {**PLACE, "data": "late.d", "dependent": "z" if which.endswith("Regressor") else "y"}
            fitted[which] = kind(client, list_of_features="k", id_col_name="id", **few_trees(kind))
            fitted[which].fit("late.d", place[which]["dependent"])
        attacker.execute(_AFTER.format(check=spring("planted"), instead=INSTEAD[what]))  # type: ignore[arg-type]
        if what != "a domain":
            for name in ("text", "int4", "float8"):
                attacker.execute(_CAST.format(name=name))  # type: ignore[arg-type]
        ground.sprung()
        for turn, which in enumerate(fitted, 2 * [*INSTEAD].index(what)):
            asked = [name for name in entries(kinds[which]) if name != "fit"]
            for name in {"predict", "score", *share(asked, 9, turn)}:
                if not refused(lambda which=which, name=name: ask(fitted[which], name, place[which])):
                    answered.add(name)
                seen.look(f"{which}.{name}", f"{what} in the place of its enum")
    ground.quietly("DROP SCHEMA late CASCADE")
    assert not seen.wrong, "\n".join(sorted(set(seen.wrong)))
    assert ("predict" in answered) == (what == "an enum")
