"""The loader in each PL/Python function: what it imports, and what it says when it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from madtree.install.script import VERSION, expand


@pytest.fixture
def db(dsn: str) -> Iterator[psycopg.Connection]:
    """A new session, which no other test has afterwards: these tests change what is loaded in it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def do_block(body: str) -> str:
    """A PL/Python block whose text is `body`."""
    return f"DO LANGUAGE plpython3u $python$\n{body}\n$python$"


def python_dir(db: psycopg.Connection) -> str:
    """The directory that this server's extension was installed with."""
    row = db.execute("SELECT prosrc FROM pg_proc WHERE prosrc LIKE '%problem, directory = %'").fetchone()
    assert row is not None
    return str(row[0].split("problem, directory = None, '")[1].split("'")[0])


def test_a_missing_python_half_is_one_error_that_names_interpreter_and_cure(db, open_directory):
    with pytest.raises(psycopg.Error) as caught:
        db.execute(do_block(expand("@load@", open_directory)))
    error = caught.value.diag
    assert f"madtree {VERSION} cannot load its Python half" in error.message_primary
    assert f"package madtree is missing or incomplete in {open_directory}" in error.message_primary
    assert error.message_detail.startswith("PL/Python's interpreter is Python 3.")
    assert "make install" in error.message_hint
    assert error.sqlstate == "58000"


def test_where_the_directory_is_gone_it_is_the_servers_own(db):
    """As after pg_upgrade, when the older server is removed. tests/bare.sh --from tries the same on two servers."""
    (libraries,) = db.execute("SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'").fetchone()
    where = "\nplpy.notice('from ' + madtree.__file__)"
    said = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary))
    try:
        db.execute(do_block(expand("@load@", "/nowhere/madtree") + where))
    except psycopg.Error as error:
        said.append(str(error.diag.message_primary))
    (message,) = said
    assert f" {libraries}/madtree-{VERSION}" in message


def test_a_missing_numpy_is_one_error_that_names_the_package_to_install(db):
    # An import of a name whose entry is None fails as if the package were not there.
    db.execute(do_block("import sys\nsys.modules['numpy'] = None"))
    with pytest.raises(psycopg.Error) as caught:
        db.execute(do_block(expand("@load@", "/nowhere/madtree")))
    assert "numpy cannot be imported" in caught.value.diag.message_primary
    assert "apt-get install python3-numpy" in caught.value.diag.message_hint


def test_another_version_in_the_directory_is_an_error_that_names_it(db, foreign_python_dir):
    with pytest.raises(psycopg.Error) as caught:
        db.execute(do_block(expand("@load@", foreign_python_dir)))
    assert f"it found madtree 0.0.1 in {foreign_python_dir}/madtree" in caught.value.diag.message_primary
    assert "make install" in caught.value.diag.message_hint


def test_a_session_that_holds_another_version_loads_this_one_and_keeps_nothing_of_the_other(db, server):
    """As after ALTER EXTENSION UPDATE in another session."""
    stale = ("madtree", "madtree.entry", "madtree.entry.functions", "madtree.model", "madtree.gone")
    db.execute(
        do_block(
            f"import sys, types\nfor name in {stale}:\n    sys.modules[name] = types.ModuleType(name)\n"
            "    sys.modules[name].__version__ = '0.0.1'\nGD['madtree'] = sys.modules['madtree.entry.functions']"
        )
    )
    found = "import sys\nfound = sorted(n for n, m in sys.modules.items() if n.startswith('madtree') and {})\n"
    db.execute(do_block(expand("@load@", python_dir(db)) + f"\nassert madtree.__version__ == '{VERSION}'"))
    db.execute(do_block(found.format("m.__dict__.get('__version__') == '0.0.1'") + "assert not found, found"))
    db.execute(do_block(found.format("n == 'madtree.gone'") + "assert not found, found"))
    db.execute(do_block(f"assert GD['madtree'].__version__ == '{VERSION}'"))


def test_no_setting_and_no_environment_changes_where_python_comes_from(db, server):
    """The directory is a literal in each function's text: whoever may set settings may not choose code."""
    bodies = db.execute(
        "SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'"
        " JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'madtree'"
        " JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpython3u'"
    ).fetchall()
    for name, body in bodies:
        assert "@load@" not in body, name
        for word in ("current_setting", "environ", "getenv"):
            assert word not in body, name


def test_a_cached_call_imports_nothing(db, server):
    if server.home is None:
        pytest.skip("needs the directory of the Python half, which a server given by DSN does not tell")
    db.execute(
        "CREATE FUNCTION loaded() RETURNS text LANGUAGE plpython3u AS $python$\n"
        + expand("@load@\nreturn madtree.__name__", server.home / "python")
        + "\n$python$"
    )
    assert db.execute("SELECT loaded()").fetchone() == ("madtree.entry.functions",)
    db.execute(
        do_block(
            "import builtins\n"
            "def refuse(name, *args, **kwargs):\n"
            "    raise AssertionError('imported ' + name)\n"
            "builtins.__import__ = refuse"
        )
    )
    assert db.execute("SELECT loaded()").fetchone() == ("madtree.entry.functions",)
    db.execute(do_block("GD.clear()"))
    with pytest.raises(psycopg.Error, match="imported importlib"):
        db.execute("SELECT loaded()")
