"""Upgrades: every way from a released version ends where a fresh installation begins, and the past stays as it was."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from catalogue import describe

from madtree.embedded import PrivateServer
from madtree.install.migrations import fingerprints, freeze, migration_steps, read_frozen, repeatable, upgrade_scripts
from madtree.install.script import VERSION, assemble, definitions, expand, extension_root

MIGRATIONS = extension_root() / "migrations"
RELEASED = sorted(path.stem.removeprefix("madtree--") for path in MIGRATIONS.glob("released/madtree--*.sql"))


def older_root(tmp_path: Path, old_definitions: str, step: str) -> Path:
    """A source directory whose history has one released version, 0.0.9, before the present one."""
    root = tmp_path / "root"
    shutil.copytree(extension_root() / "sql", root / "sql")
    (root / "migrations" / "released").mkdir(parents=True)
    (root / "migrations" / "released" / "madtree--0.0.9.sql").write_text(old_definitions)
    (root / "migrations" / f"madtree--0.0.9--{VERSION}.sql").write_text(step)
    return root


def upgraded_and_fresh(scratch, server: PrivateServer, root: Path, old: str) -> tuple[dict, dict]:
    """The extension described after an upgrade from `old`, and after a fresh installation."""
    released = (root / "migrations" / "released" / f"madtree--{old}.sql").read_text()
    scripts = {
        f"madtree--{old}.sql": expand(released, server.home.python),
        f"madtree--{VERSION}.sql": assemble(server.home.python, root),
        **upgrade_scripts(server.home.python, root),
    }
    with scratch("upgraded", scripts) as connection:
        connection.execute(f"CREATE EXTENSION madtree VERSION '{old}' CASCADE")
        connection.execute("ALTER EXTENSION madtree UPDATE")
        upgraded = describe(connection)
    with scratch("fresh", {}) as connection:
        connection.execute("CREATE EXTENSION madtree CASCADE")
        return upgraded, describe(connection)


@pytest.mark.parametrize("old", RELEASED)
def test_every_released_version_upgrades_to_what_a_fresh_installation_is(scratch, standing, old):
    upgraded, fresh = upgraded_and_fresh(scratch, standing, extension_root(), old)
    assert upgraded == fresh


def test_released_versions_one_after_another_end_where_a_fresh_installation_begins(scratch, standing):
    """By the scripts that each of them had."""
    python, scripts = standing.home.python, upgrade_scripts(standing.home.python)
    versions = [*(version for version in RELEASED if version != VERSION), VERSION]
    for version in versions[:-1]:
        released = (MIGRATIONS / "released" / f"madtree--{version}.sql").read_text()
        scripts[f"madtree--{version}.sql"] = expand(released, python)
        for older, (newer, step) in migration_steps().items():
            if newer == version:
                scripts[f"madtree--{older}--{version}.sql"] = expand(step.read_text() + repeatable(released), python)
    with scratch("upgraded", scripts) as connection:
        connection.execute(f"CREATE EXTENSION madtree VERSION '{versions[0]}' CASCADE")
        for version in versions[1:]:
            connection.execute(f"ALTER EXTENSION madtree UPDATE TO '{version}'")
        upgraded = describe(connection)
    with scratch("fresh", {}) as connection:
        connection.execute("CREATE EXTENSION madtree CASCADE")
        assert upgraded == describe(connection)


def test_what_is_frozen_is_unchanged_and_nothing_released_is_missing():
    found, frozen = fingerprints(MIGRATIONS), read_frozen(MIGRATIONS)
    assert {path: found.get(path) for path in frozen} == frozen
    assert {f"released/madtree--{version}.sql" for version in RELEASED} <= set(frozen)


def test_every_released_version_has_a_way_to_this_one():
    assert set(upgrade_scripts("/some/where")) >= {
        f"madtree--{old}--{VERSION}.sql" for old in RELEASED if old != VERSION
    }


def test_a_made_up_older_version_upgrades_to_what_a_fresh_installation_is(scratch, standing, tmp_path):
    """A function that is gone, one whose result has changed, all whose bodies have; a type with one more attribute."""
    header = "CREATE FUNCTION @extschema@.upgraded(i int) RETURNS {} LANGUAGE plpython3u AS $python$\n{}\n$python$;\n"
    now = header.format("bigint", "    @load@\n    return i")
    old = header.format("int", "    return 0")
    old += "CREATE FUNCTION @extschema@.gone() RETURNS int LANGUAGE sql AS 'SELECT 1';\n"
    now += "CREATE TYPE @extschema@.shape AS (\n    a integer,\n    b text\n);\n"
    old += "CREATE TYPE @extschema@.shape AS (\n    a integer\n);\n"
    step = "DROP FUNCTION @extschema@.upgraded(int);\nDROP FUNCTION @extschema@.gone();\n"
    step += "ALTER TYPE @extschema@.shape ADD ATTRIBUTE b text;\n"
    root = older_root(tmp_path, definitions() + old, step)
    (root / "sql" / "99_upgraded.sql").write_text(now)

    upgraded, fresh = upgraded_and_fresh(scratch, standing, root, "0.0.9")

    assert upgraded == fresh
    assert "function madtree.upgraded(integer)" in fresh
    assert "function madtree.gone()" not in fresh


def test_the_comparison_sees_a_step_that_forgets_something(scratch, standing, tmp_path):
    gone = "CREATE FUNCTION @extschema@.gone() RETURNS int LANGUAGE sql AS 'SELECT 1';\n"
    root = older_root(tmp_path, definitions() + gone, "-- forgets to drop gone()\n")
    upgraded, fresh = upgraded_and_fresh(scratch, standing, root, "0.0.9")
    assert set(upgraded) - set(fresh) == {"function madtree.gone()"}


def test_steps_are_chained_and_a_fork_or_a_circle_is_an_error(tmp_path):
    root = older_root(tmp_path, "", "-- second\n")
    migrations = root / "migrations"
    (migrations / "madtree--0.0.8--0.0.9.sql").write_text("-- first\n")
    scripts = upgrade_scripts("/some/where", root)
    assert set(scripts) == {f"madtree--0.0.8--{VERSION}.sql", f"madtree--0.0.9--{VERSION}.sql"}
    chained = scripts[f"madtree--0.0.8--{VERSION}.sql"]
    assert chained.index("-- first") < chained.index("-- second") < chained.index("00_schema.sql")

    (migrations / "madtree--0.0.9--0.0.8.sql").write_text("")
    with pytest.raises(ValueError, match=r"two migrations start from version 0\.0\.9"):
        upgrade_scripts("/some/where", root)
    (migrations / f"madtree--0.0.9--{VERSION}.sql").unlink()
    with pytest.raises(ValueError, match="round in a circle"):
        upgrade_scripts("/some/where", root)


def test_freezing_keeps_this_version_and_happens_once(tmp_path):
    root = older_root(tmp_path, "-- released\n", "-- step\n")
    kept = freeze(root)
    assert kept.read_text() == definitions(root)
    frozen = read_frozen(root / "migrations")
    assert frozen == fingerprints(root / "migrations")
    assert f"released/madtree--{VERSION}.sql" in frozen
    with pytest.raises(SystemExit, match="raise the version first"):
        freeze(root)
    (root / "migrations" / f"madtree--0.0.9--{VERSION}.sql").write_text("-- changed\n")
    assert read_frozen(root / "migrations") != fingerprints(root / "migrations")


def test_definitions_hold_only_statements_that_may_run_twice():
    """What an upgrade runs again with OR REPLACE: anything else there would fail on a server that has it already."""
    allowed = r"(CREATE (FUNCTION|AGGREGATE|PROCEDURE|VIEW|TYPE \S+ AS)|COMMENT|GRANT|REVOKE|DO)\b"
    text = re.sub(r"(\$\w*\$).*?\1", "''", definitions(), flags=re.DOTALL)
    text = re.sub(r"--[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"'[^']*'", "''", text)
    for statement in filter(str.strip, text.split(";")):
        assert re.match(allowed, statement.lstrip()), statement.strip()[:80]
        start = statement.lstrip("\n")
        assert not start.startswith((" ", "\t")), f"begin the statement at the start of a line: {start[:80]}"
