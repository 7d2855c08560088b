"""The image that the Dockerfile makes, in a container engine; without one, what goes into it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import yaml
from docker.utils import exclude_paths
from fix_container import ROOT, running

from madtree import __version__
from madtree.install import find_installation, install

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def dsn(image):
    """A superuser's DSN of the database made at the first start, whose name needs quotes."""
    with running(image, database='The "first" database') as address:
        yield address


def test_the_first_start_creates_the_extension_and_puts_it_on_the_search_path(dsn):
    with psycopg.connect(dsn) as connection:
        question = "SELECT extversion FROM pg_extension WHERE extname = 'madtree'"
        assert connection.execute(question).fetchone() == (__version__,)
        assert connection.execute("SHOW search_path").fetchone() == ('"$user", public, madtree',)


def test_an_ordinary_user_trains_and_scores_in_the_container(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE analyst LOGIN PASSWORD 'x'")
        connection.execute("CREATE SCHEMA AUTHORIZATION analyst")
    with psycopg.connect(dsn, user="analyst", password="x", autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE rows AS SELECT i AS id, i::float8 AS x, i > 30 AS y FROM generate_series(1, 100) AS i"
        )
        connection.execute("SELECT tree_train('rows', 'model', 'id', 'y', 'x')")
        connection.execute("SELECT tree_predict('model', 'rows', 'scored')")
        wrong = "SELECT count(*) FROM rows JOIN scored USING (id) WHERE y <> estimated_y"
        assert connection.execute(wrong).fetchone() == (0,)


def test_numpy_starts_no_threads_of_its_own_in_a_session(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION threads() RETURNS text LANGUAGE plpython3u AS"
            " 'import os; return os.environ[\"OPENBLAS_NUM_THREADS\"]'"
        )
        assert connection.execute("SELECT threads()").fetchone() == ("1",)


# --- without an engine ---


def stage(name: str) -> str:
    """The instructions of one stage of the Dockerfile."""
    (found,) = re.findall(rf"^FROM \S+ AS {name}\n(.*?)(?=^FROM |\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL)
    return found


def context() -> set[str]:
    """The files that an engine gets to see, by .dockerignore."""
    patterns = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    return {path for path in exclude_paths(str(ROOT), patterns) if (ROOT / path).is_file()}


def copied(instructions: str, directory: Path) -> Path:
    """Do what the COPY lines do, with files of the build context only."""
    seen = context()
    for line in re.findall(r"^COPY (?!--from)(.*)$", instructions, re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            found = [path for path in seen if path == source or path.startswith(f"{source}/")]
            assert found, f"COPY {line}: {source} is not in the build context"
            for path in found:
                inside = Path(path).relative_to(source) if path != source else Path(source).name
                place = directory / target / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, place)
    return directory


def installed(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def test_the_image_installs_what_make_install_does(tmp_path):
    sources = copied(stage("extension"), tmp_path / "sources")
    command = [sys.executable, "-S", "-B", "-m", "madtree.install", "--destdir", str(tmp_path / "image")]
    subprocess.run(command, cwd=sources, check=True, capture_output=True)
    install(find_installation(), tmp_path / "checkout")
    assert installed(tmp_path / "image") == installed(tmp_path / "checkout")


def test_the_clients_wheel_can_be_built_from_what_is_copied(tmp_path):
    sources = copied(stage("extension") + stage("client"), tmp_path / "sources")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(sources)]
    done = subprocess.run(build, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_but_sources_goes_to_the_engine():
    allowed = ("madtree/", "sql/", "migrations/")
    single = {"madtree.control", "docker/first-start.sql", "pyproject.toml", "LICENSE", "README.md"}
    others = {path for path in context() if not path.startswith(allowed)}
    assert others <= single | {".dockerignore", "Dockerfile"}
    assert not [path for path in context() if path.endswith(".pyc")]


@pytest.mark.parametrize("service", COMPOSE["services"])
def test_compose_names_stages_and_arguments_that_the_dockerfile_has(service):
    build = COMPOSE["services"][service]["build"]
    assert f" AS {build['target']}\n" in DOCKERFILE
    for argument in build["args"]:
        assert re.search(rf"^ARG {argument}=", DOCKERFILE, re.MULTILINE)


def test_composes_named_volume_holds_the_data_directory():
    postgres = COMPOSE["services"]["postgres"]
    (volume,) = postgres["volumes"]
    name, _, place = volume.partition(":")
    assert name in COMPOSE["volumes"]
    assert postgres["environment"]["PGDATA"].startswith(f"{place}/")


def test_the_demo_waits_for_a_healthy_server():
    services = COMPOSE["services"]
    assert services["demo"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert services["postgres"]["healthcheck"]["test"][1] == "pg_isready"


def test_the_server_runs_as_nobody_of_power_and_says_whether_it_is_healthy():
    server = stage("server")
    assert re.findall(r"^ARG ACCOUNT=(\S+)$", server, re.MULTILINE) == ["postgres"]
    assert server.rstrip().endswith("USER ${ACCOUNT}")
    assert re.search(r'^HEALTHCHECK .*\n +CMD \["pg_isready", .*"--host=127\.0\.0\.1"', server, re.MULTILINE)
    assert stage("client").count("\nUSER postgres\n") == 1


def test_the_base_is_of_a_named_debian_release_and_of_no_architecture():
    """A digest would be of one day's packages; the release decides on Python and numpy."""
    assert re.search(r"^ARG BASE=postgres:\$\{POSTGRES\}-\$\{DEBIAN\}$", DOCKERFILE, re.MULTILINE)
    assert not re.search(r"amd64|x86_64|aarch64", re.sub(r"^#.*$", "", DOCKERFILE, flags=re.MULTILINE))
