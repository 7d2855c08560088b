"""Predictions and their measures are the same where nothing of ours is in the server, whichever way rows are scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import psycopg
import pytest
from both_sides import FEATURES, MODELS, Both, rows, run
from fix_server import Server
from shares import share
from training import columns_of

from madtree.engine import call
from madtree.errors import MadtreeError
from madtree.host.psycopg import PsycopgHost
from madtree.score.conformal import conformal_quantiles
from madtree.score.evaluate import tree_confusion, tree_curve, tree_evaluate
from madtree.score.predict import score_table, tree_predict

forest_predict = partial(score_table, function="forest_predict")
TREES = [name for name, (kind, _, _) in MODELS.items() if kind == "tree"]
FORESTS = [name for name in MODELS if name not in TREES]
OF_CLASSES = [name for name, (_, dependent, _) in MODELS.items() if dependent == "class"]
SOURCES = ["data", "fresh", "seen"]


def predicted(db: psycopg.Connection) -> list[tuple[Any, ...]]:
    """The rows of the table `predicted`, which is dropped."""
    found = db.execute("SELECT p::text FROM predicted AS p ORDER BY 1").fetchall()
    db.execute("DROP TABLE predicted")
    return found


def types(model: str) -> list[str]:
    if model not in OF_CLASSES:
        return ["response", "leaf"] + ["interval"] * (model in FORESTS)
    return ["response", "prob", "leaf"] + ["prob_mean"] * (model in FORESTS)


@pytest.mark.parametrize("model", FORESTS)
def test_own_rows_are_judged_out_of_bag_alike(both: Both, model: str) -> None:
    query = f"SELECT tree_id, level, n, quantile FROM madtree.conformal_quantiles('{model}', levels => '0.5, 0.8')"
    expected = [tuple(row.values()) for row in rows(both.here, query)]
    found = both.call(conformal_quantiles, model, None, "0.5, 0.8")
    assert [(row["tree_id"], row["level"], row["n"], row["quantile"]) for row in found] == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize("in_blocks", [False, True])
@pytest.mark.parametrize("model", TREES)
def test_trees_predict_alike(both: Both, model: str, in_blocks: bool) -> None:
    for number, source in enumerate(SOURCES):  # what one way does not score, the other does
        for type_ in share(types(model), 2, number + in_blocks):
            both.here.execute("SELECT madtree.tree_predict(%s, %s, 'predicted', %s)", [model, source, type_])
            scored = both.call(tree_predict, model, source, "predicted", type_, in_blocks=in_blocks)
            assert scored.type_ == type_
            columns = [columns_of(db, "predicted") for db in (both.here, both.there)]
            assert columns[0] == columns[1]
            expected = predicted(both.here)
            assert predicted(both.there) == expected, (source, type_)


@pytest.mark.parametrize("model", FORESTS)
def test_forests_predict_alike(both: Both, model: str) -> None:
    for source in SOURCES:
        for type_ in types(model):
            both.here.execute("SELECT madtree.forest_predict(%s, %s, 'predicted', %s)", [model, source, type_])
            both.call(forest_predict, model, source, "predicted", type_)
            columns = [columns_of(db, "predicted") for db in (both.here, both.there)]
            assert columns[0] == columns[1]
            expected = predicted(both.here)
            assert predicted(both.there) == expected, (source, type_)


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    """A metric without its last digits: rows are added up in the order in which they come."""
    return row | {"value": None if row["value"] is None else float(f"{row['value']:.12g}")}


def in_short(row: dict[str, Any]) -> dict[str, Any]:
    """A point, its numbers without their last digits."""
    return {name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in row.items()}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("in_blocks", [None, True])
@pytest.mark.parametrize("model", MODELS)
def test_predictions_are_measured_alike(both: Both, model: str, in_blocks: bool | None) -> None:
    for source in share(SOURCES, 2, [*MODELS].index(model) // 2 + bool(in_blocks)):
        expected = rows(both.here, "SELECT * FROM madtree.tree_evaluate(%s, %s)", model, source)
        found = both.call(tree_evaluate, model, source, in_blocks)
        assert [rounded(row) for row in found] == [rounded(row) for row in expected], source
        if model in OF_CLASSES:
            expected = rows(both.here, "SELECT * FROM madtree.tree_confusion(%s, %s)", model, source)
            assert both.call(tree_confusion, model, source, in_blocks) == expected, source
            of_class = "SELECT * FROM madtree.tree_curve(%s, %s, class => %s)"
            for class_ in share(sorted({row["predicted"] for row in expected}), 3, SOURCES.index(source)):
                shown = rows(both.here, of_class, model, source, class_)
                points = both.call(tree_curve, model, source, False, class_)
                assert [*map(in_short, points)] == [*map(in_short, shown)], source
    assert rows(both.there, "SELECT FROM pg_class WHERE relname ~ '^madtree_rows'") == []


@pytest.mark.parametrize("model", ["of_nulls", "forest", "forest_of_numbers"])
def test_a_session_that_may_not_write_measures_predictions(both: Both, model: str) -> None:
    expected = rows(both.here, "SELECT * FROM madtree.tree_evaluate(%s, 'data')", model)
    with both.there.transaction():
        both.there.execute("SET TRANSACTION READ ONLY")
        found = both.call(tree_evaluate, model, "data", True)
    assert [rounded(row) for row in found] == [rounded(row) for row in expected]


def test_a_session_that_may_not_write_holds_no_more_rows_than_it_should(both: Both) -> None:
    both.call(tree_evaluate, "forest", "data", most_bytes=20_000)  # they are put into a table
    with both.there.transaction():
        both.there.execute("SET TRANSACTION READ ONLY")
        with pytest.raises(MadtreeError, match="test_table has too many rows") as told:
            tree_evaluate(both.host, "forest", "data", most_bytes=20_000)
    assert told.value.sqlstate == "54000"


IDS = ["name", "id / 3.0", "ARRAY[name, NULL, 'a \"quoted\", {id}']", "mood", "(id, name)::pair", "NULLIF(id, 30)",
       "id::float8 / 7", "day", "id::posint", "name::varchar(5)"]  # fmt: skip


def test_ids_of_all_types_come_back_as_they_were(both: Both) -> None:
    with both.there.transaction(force_rollback=True):
        # A float in fewer digits than it takes would not come back.
        both.there.execute(
            "SET LOCAL extra_float_digits = 0; CREATE TYPE pair AS (id int, name text); "
            "CREATE DOMAIN posint AS int CHECK (VALUE > 0)"
        )
        for number, id_ in enumerate(IDS):
            both.there.execute("UPDATE of_classes_summary SET id_col_name = %s", [id_])
            both.call(tree_predict, "of_classes", "data", f"by_case_{number}", "leaf", in_blocks=False)
            both.call(tree_predict, "of_classes", "data", f"by_blocks_{number}", "leaf", in_blocks=True)
            case, blocks = f"TABLE by_case_{number}", f"TABLE by_blocks_{number}"
            assert rows(both.there, f"({case} EXCEPT ALL {blocks}) UNION ALL ({blocks} EXCEPT ALL {case})") == [], id_


def test_rows_come_in_blocks(both: Both) -> None:
    """More rows than a block has, from a table, and from a view without pages to cut it by."""
    with both.there.transaction(force_rollback=True):
        both.there.execute("""
            CREATE TABLE many AS SELECT row_number() OVER () AS id, d.x, d.n, d.word, d.flag, d.day, d.xs
            FROM data AS d, generate_series(1, 75);
            ANALYZE many;
            CREATE VIEW all_of_them AS TABLE many;
        """)
        for source in ("many", "all_of_them"):
            both.call(tree_predict, "of_classes", source, f"case_{source}", "prob", in_blocks=False)
            scored = both.call(tree_predict, "of_classes", source, f"blocks_{source}", "prob", in_blocks=True)
            assert scored.n_rows == 67_500
            differ = f"SELECT count(*) FROM (TABLE case_{source} EXCEPT TABLE blocks_{source}) AS x"
            assert rows(both.there, differ) == [{"count": 0}]


def test_an_empty_table_is_scored(both: Both) -> None:
    with both.there.transaction(force_rollback=True):
        both.there.execute("CREATE TABLE nothing AS SELECT * FROM data WHERE false")
        for in_blocks in (True, False):
            target = f"scored_{in_blocks}"
            scored = both.call(tree_predict, "of_nulls", "nothing", target, "response", in_blocks=in_blocks)
            assert scored.n_rows == 0


def test_an_error_in_the_middle_leaves_nothing_behind(both: Both) -> None:
    both.there.execute(
        "CREATE OR REPLACE VIEW broken AS "
        "SELECT id, name, mood, 1 / (id - 880) + x AS x, n, word, flag, day, xs FROM data"
    )
    for model, function in (("of_classes", tree_predict), ("forest", forest_predict)):
        with pytest.raises(MadtreeError, match="division by zero, as rows of broken were read"):
            both.call(function, model, "broken", "predicted", "response")
        assert rows(both.there, "SELECT to_regclass('predicted') AS found") == [{"found": None}]
        assert both.there.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_mistakes_are_told(both: Both) -> None:
    with pytest.raises(MadtreeError, match="is a forest"):
        both.call(tree_predict, "forest", "data", "predicted", "response")
    with pytest.raises(MadtreeError, match="exists already"):
        both.call(forest_predict, "forest", "data", "fresh", "response")


class _Stopped(PsycopgHost):
    """Does something before it writes the second block."""

    def __init__(self, connection: psycopg.Connection, act: Callable[[], object]) -> None:
        super().__init__(connection)
        self._blocks, self._act = 0, act

    def command(self, sql: str, types: Sequence[str] = (), params: Sequence[Any] = ()) -> int:
        if sql.startswith("INSERT"):
            self._blocks += 1
            if self._blocks == 2:
                self._act()
        return super().command(sql, types, params)


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["interrupt", "timeout", "break"])
def test_what_is_stopped_between_two_blocks_leaves_nothing_behind(both: Both, how: str) -> None:
    many = "(SELECT row_number() OVER () AS id, d.x, d.n FROM data AS d, generate_series(1, 150))"
    with psycopg.connect(both.there.info.dsn, password=both.there.info.password, autocommit=True) as session:
        session.execute(rows(both.there, "SELECT 'SET search_path = ' || current_schema() AS path")[0]["path"])
        session.execute(f"CREATE TABLE many AS SELECT * FROM {many} AS m; ANALYZE many")
        pid = session.info.backend_pid
        acts = {
            "interrupt": interrupt,
            "timeout": lambda: session.execute("SET LOCAL statement_timeout = 1"),
            "break": lambda: both.here.execute("SELECT pg_terminate_backend(%s, 60000)", [pid]),
        }
        expected = {"interrupt": KeyboardInterrupt, "timeout": psycopg.errors.QueryCanceled}
        expected |= {"break": psycopg.OperationalError}
        try:
            with pytest.raises(expected[how]), session.transaction():
                forest_predict(_Stopped(session, acts[how]), "by_thresholds", "many", "predicted", "response")
            assert rows(both.there, "SELECT to_regclass('predicted') AS found") == [{"found": None}]
            assert session.closed == (how == "break")
        finally:
            both.there.execute("DROP TABLE many")


def test_out_of_bag_predictions_are_alike(both: Both) -> None:
    wanted = {"num_trees": 3, "importance": False, "oob_predictions": True}
    both.call(call, "forest_train", ("data", "drawn", "id", "class", FEATURES), wanted)
    try:
        both.here.execute(
            "SELECT madtree.forest_train('data', 'drawn', 'id', 'class', %s, num_trees => 3, importance => false, "
            "oob_predictions => true)",
            [FEATURES],
        )
        query = "SELECT o::text FROM drawn_oob AS o ORDER BY 1"
        found, expected = (db.execute(query).fetchall() for db in (both.there, both.here))
        assert len(found) > 100
        assert found == expected
    finally:
        both.ask("tree_drop", "drawn")
        both.here.execute("SELECT madtree.tree_drop('drawn')")


def test_models_made_outside_score_in_a_server_with_the_extension(both: Both, server: Server) -> None:
    schema = rows(both.there, "SELECT current_schema() AS name")[0]["name"]
    both.ask("tree_train", "data", "tree_made_there", "id", "class", FEATURES)
    both.ask("forest_train", "data", "forest_made_there", "id", "class", FEATURES, None, "mood", 2)
    try:
        tables = ["--table", f"{schema}.*_made_there*"]
        made = run("pg_dump", "--no-owner", *tables, server.dsn_of(dbname=both.there.info.dbname))
        run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", server.dsn_of(dbname=both.here.info.dbname), text=made)
        for kind in ("tree", "forest"):
            both.here.execute(f"SELECT madtree.{kind}_predict('{kind}_made_there', 'data', 'predicted', 'prob')")
            both.ask(f"{kind}_predict", f"{kind}_made_there", "data", "predicted", "prob")
            assert predicted(both.here) == predicted(both.there)
    finally:
        for kind in ("tree", "forest"):
            both.ask("tree_drop", f"{kind}_made_there")
            both.here.execute("SELECT madtree.tree_drop(%s)", [f"{kind}_made_there"])
