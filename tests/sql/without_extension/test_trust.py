"""Nobody's code runs as somebody else where madtree works from outside of the server: the rules are the same there."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from both_sides import Both, rows
from fix_server import Server

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost


@pytest.fixture
def superuser(both: Both, server: Server) -> Iterator[PsycopgHost]:
    """A superuser's host in the database where the models are an ordinary user's; what is done is undone."""
    path = rows(both.there, "SELECT current_schema() AS name")[0]["name"]
    with psycopg.connect(server.dsn_of(dbname=both.there.info.dbname)) as session:
        session.execute(f"SET search_path = {path}")
        yield PsycopgHost(session)
        session.rollback()


def leave_trap(host: PsycopgHost, owner: str, *statements: str) -> None:
    """Do something as the models' owner."""
    for statement in (f"SET LOCAL ROLE {owner}", *statements, "RESET ROLE"):
        host.command(statement)


TRAP = """CREATE FUNCTION trap(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RAISE EXCEPTION 'sprung by %', current_user; END $$"""


@pytest.mark.parametrize("model", ["of_classes", "forest"])
def test_what_planning_would_run_is_refused(both: Both, superuser: PsycopgHost, model: str) -> None:
    index = f"CREATE INDEX ON {model}_summary ((trap(input_cp))) WHERE false"
    leave_trap(superuser, both.there.info.user, TRAP, index)
    scored = "tree_predict" if model == "of_classes" else "forest_predict"
    for name, arguments in ((scored, (model, "data", "predicted")), ("tree_to_json", (model,))):
        with pytest.raises(MadtreeError, match="an index with an expression or a condition") as refused:
            call(superuser, name, arguments)
        assert refused.value.sqlstate == "42501"


@pytest.mark.parametrize("model", ["of_classes", "forest"])
def test_a_superuser_does_not_run_an_owners_expression_unless_told_to(
    both: Both, superuser: PsycopgHost, model: str
) -> None:
    harmless = f"UPDATE {model}_summary SET id_col_name = 'id + 0'"
    leave_trap(superuser, both.there.info.user, harmless)
    scored = "tree_predict" if model == "of_classes" else "forest_predict"
    with pytest.raises(MadtreeError, match="with the rights of a superuser"):
        call(superuser, scored, (model, "data", "predicted"))
    call(superuser, scored, (model, "data", "predicted"), {"trust_owner": True})
    assert superuser.query("SELECT count(*) AS n FROM predicted")[0]["n"] == 900


def test_models_of_others_are_listed_unread(both: Both, superuser: PsycopgHost) -> None:
    leave_trap(superuser, both.there.info.user, TRAP, "CREATE INDEX ON forest ((trap(tree_id))) WHERE false")
    found = call(superuser, "models")
    listed = {row[found.columns.index("name")]: row[found.columns.index("kind")] for row in found.rows}
    assert listed["forest"] is None
    assert listed.keys() >= {"of_classes", "forest"}


def test_the_view_of_a_forests_nodes_is_not_read(both: Both, superuser: PsycopgHost) -> None:
    expected = call(superuser, "get_tree", ("by_thresholds", 1, 1)).rows
    columns = ", ".join(superuser.query("SELECT * FROM by_thresholds_nodes LIMIT 1")[0])
    spoiled = columns.replace("threshold", "trap(threshold) AS threshold")
    view = f"CREATE OR REPLACE VIEW by_thresholds_nodes AS SELECT {spoiled} FROM (TABLE by_thresholds_copy) AS n"
    copy = "CREATE TABLE by_thresholds_copy AS TABLE by_thresholds_nodes"
    leave_trap(superuser, both.there.info.user, TRAP, copy, view)
    assert call(superuser, "get_tree", ("by_thresholds", 1, 1)).rows == expected
    call(superuser, "forest_predict", ("by_thresholds", "data", "predicted", "prob"))
    with pytest.raises(psycopg.errors.RaiseException, match="sprung by"):
        superuser.query("SELECT sum(threshold) FROM by_thresholds_nodes")
