"""Models of as many classes as there may be: no function takes memory by their square, or for all rows at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest
from shares import share
from test_enormous_models import DEFECTS, GRACE, calls, packed_tree

from madtree.trees import MAX_CLASSES, NodeLayout

ROOM = 2**30  # bytes that a call may take beside what the session has already
N_ROWS = 8_000
TIMEOUT = 1  # seconds: what asks for a number for each row and class may take as long as it likes
LAYOUT = NodeLayout(True, MAX_CLASSES, False, True)
MAKE = f"""
CREATE TABLE data AS SELECT i AS id, (i * 7919 % 100)::float8 AS x, (ARRAY['red', 'green'])[1 + i % 2] AS k,
    'class ' || i % 3 AS y FROM generate_series(1, {N_ROWS}) AS i;
SELECT tree_train('data', 'm', 'id', 'y', 'x, k', max_depth => 1);
SELECT forest_train('data', 'f', 'id', 'y', 'x, k', num_trees => 2, max_tree_depth => 1);
CREATE TABLE classes AS SELECT array_agg('class ' || i) AS labels FROM generate_series(0, {MAX_CLASSES - 1}) AS i;
UPDATE m_summary SET dependent_var_levels = (SELECT labels FROM classes);
UPDATE f_summary SET dependent_var_levels = (SELECT labels FROM classes);
UPDATE m_nodes SET class_weights = array_fill(1::float8, ARRAY[{MAX_CLASSES}]);
"""
VARIANTS = (
    "SELECT tree_predict('{m}', 'data', 'made', 'prob')",
    "SELECT forest_predict('{m}', 'data', 'made', 'prob')",
    "SELECT count(*) FROM partial_dependence('{m}', 'data', 'x', grid_size => 5)",
    "SELECT count(*) FROM tree_curve('{m}', 'data', class => 'class 1')",
    "SELECT count(*) FROM tree_reliability('{m}', 'data', class => 'class 1')",
)
LIMIT = f"""
CREATE FUNCTION limit_memory() RETURNS void LANGUAGE plpython3u AS $$
import resource
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + {ROOM}, resource.RLIM_INFINITY))
$$
"""


@pytest.fixture(scope="module")
def models(dsn: str) -> Iterator[psycopg.Connection]:
    """A session of its own with the models, whose process can take only so much memory."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE SCHEMA classy; SET search_path = classy, madtree, public")
        db.execute(MAKE)
        assert np.dtype(LAYOUT.big_endian).itemsize > MAX_CLASSES
        db.execute("UPDATE f_packed SET category_sets = NULL, nodes = %s", [packed_tree(LAYOUT, 2)])
        db.execute(LIMIT)
        for call in calls(db, "m"):  # what these load is loaded
            try:
                db.execute(call.replace("'m'", "'none'").encode())
            except psycopg.Error:
                db.execute("SELECT 1")
        db.execute(
            "CREATE FUNCTION cpu_seconds() RETURNS float8 LANGUAGE plpython3u AS 'import time; "
            "return time.process_time()'"
        )
        db.execute("SELECT limit_memory(); SET max_parallel_workers_per_gather = 0")
        yield db
        db.execute("SET client_min_messages = error; DROP SCHEMA classy CASCADE")


@pytest.mark.parametrize(("turn", "model"), [(0, "m"), (1, "f")])
def test_no_function_runs_out_of_memory_or_time(models: psycopg.Connection, turn: int, model: str) -> None:
    """A quarter of the calls with each model, but for those that have numbers of all classes."""
    faults = []
    models.execute(f"SET statement_timeout = '{TIMEOUT} s'")
    for call in [*share([*calls(models, model)], 4, 2 * turn), *(each.format(m=model) for each in VARIANTS)]:
        begin = cpu_seconds(models)
        try:
            with models.transaction(force_rollback=True):
                models.execute(call.encode())
        except psycopg.Error as error:
            if error.sqlstate in (*DEFECTS, "38000", "53200"):
                faults.append(f"{call}: {error.sqlstate} {str(error)[:200]}")
        if (took := cpu_seconds(models) - begin) > TIMEOUT + GRACE:
            faults.append(f"{call}: {took:.1f} s")
    assert not faults, "\n".join(faults)


def test_a_forest_of_so_many_classes_is_not_evaluated(models: psycopg.Connection) -> None:
    """Their shares are columns of a query, which may not have so many."""
    for function in ("tree_evaluate", "conformal_quantiles"):
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="f has 65,535 classes, and of a forest"):
            models.execute(f"SELECT * FROM {function}('f', 'data')".encode())


def cpu_seconds(db: psycopg.Connection) -> float:
    """What the session's process has computed so far."""
    ((seconds,),) = db.execute("SELECT classy.cpu_seconds()").fetchall()
    return float(seconds)


def test_scores_of_very_many_classes_are_refused(db: psycopg.Connection) -> None:
    """A table of 400 KB, of whose rows and classes there would be 1.2 GB of scores."""
    db.execute("CREATE TABLE many AS SELECT i AS id, i % 2 AS x, i::text AS y FROM generate_series(1, 12000) AS i")
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=r"rows of a block, with 12,00\d numbers each"):
        db.execute("SELECT boost_train('many', 'm', 'id', 'y', 'x')")
