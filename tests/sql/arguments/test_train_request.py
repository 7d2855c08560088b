"""What `check` makes of valid arguments: names, types, kinds, features and parameters."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.errors import InvalidParameterValue
from psycopg_host import PsycopgHost

from madtree.errors import MadtreeError
from madtree.request.arguments import check_arguments
from madtree.request.train_request import TrainingTask
from madtree.sqltext import values
from madtree.sqltext.split import parse_name
from madtree.trees import Feature, FeatureKind

C, O, U = FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED  # noqa: E741


@pytest.fixture
def host(db: psycopg.Connection) -> PsycopgHost:
    db.execute("CREATE TABLE data (id int, y boolean, x float8, n int, t text, v numeric)")
    return PsycopgHost(db)


def task_of(
    host: PsycopgHost, features: str = "x", table: str = "data", dependent: str = "y", **more: Any
) -> TrainingTask:
    return check_arguments(
        host, table, more.pop("output", "model"), more.pop("id_col", "id"), dependent, features, **more
    )


def test_a_star_takes_every_column_that_is_fit_and_tells_of_the_others(host: PsycopgHost) -> None:
    host.connection.execute("ALTER TABLE data ADD gone int, ADD j json, ADD p point[], ADD w float8")
    host.connection.execute("ALTER TABLE data DROP gone")

    task = task_of(host, "*", list_of_features_to_exclude="n", weights="w", grouping_cols="t")

    assert [f.name for f in task.features] == ["x", "v"]
    assert host.notices == [
        "list_of_features: '*' leaves out columns whose type cannot be a feature: j (json), p (point[])"
    ]
    with pytest.raises(MadtreeError, match="no column of a suitable type is left"):
        task_of(host, "*", list_of_features_to_exclude="n, x, v", weights="w", grouping_cols="t")


KINDS = [
    ("real", "1", C, "real"),
    ("double precision", "1", C, "double precision"),
    ("numeric(10,2)", "1", C, "numeric"),
    ("date", "'2020-01-01'", C, "date"),
    ("timestamp(0)", "'2020-01-01'", C, "timestamp without time zone"),
    ("timestamptz", "'2020-01-01'", C, "timestamp with time zone"),
    ("time", "'12:00'", C, "time without time zone"),
    ("timetz", "'12:00'", C, "time with time zone"),
    ("interval day", "'1 day'", C, "interval"),
    ("smallint", "1", O, "smallint"),
    ("integer", "1", O, "integer"),
    ("bigint", "1", O, "bigint"),
    ("boolean", "true", U, "boolean"),
    ("text", "'a'", U, "text"),
    ("varchar(5)", "'a'", U, "character varying"),
    ("char(5)", "'a'", U, "bpchar"),
    ("name", "'a'", U, "name"),
    ('"char"', "'a'", U, '"char"'),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sql_type", "value", "kind", "shown"), KINDS, ids=[row[0] for row in KINDS])
def test_kinds_and_types_of_features(
    host: PsycopgHost, sql_type: str, value: str, kind: FeatureKind, shown: str
) -> None:
    """As a column, as an expression, under two domains, and as an array's element."""
    host.connection.execute(f"""
        CREATE DOMAIN inner_domain AS {sql_type};
        CREATE DOMAIN outer_domain AS inner_domain NOT NULL;
        CREATE DOMAIN array_domain AS outer_domain[];
        CREATE TABLE f (id int, y boolean, plain {sql_type}, dom outer_domain, arr {sql_type}[], doms array_domain);
        INSERT INTO f VALUES (1, true, {value}, {value}, ARRAY[{value}, {value}]::{sql_type}[],
            ARRAY[{value}]::outer_domain[])
    """)

    task = task_of(host, "plain, COALESCE(plain, dom), dom, arr, doms", "f")

    names = ["plain", "COALESCE(plain, dom)", "dom", "(arr)[1]", "(arr)[2]", "(doms)[1]"]
    assert task.features == tuple(Feature(name, shown, kind) for name in names)
    assert task.feature_is_column == (True, False, True, False, False, False)
    for feature in task.features:  # every one of them can be computed
        expression = values.category(feature) if kind is U else values.number(feature)
        assert host.query(f"SELECT {expression} AS value FROM f")[0]["value"] is not None


def test_enums_are_ordered_by_position_and_named_with_their_schema(host: PsycopgHost) -> None:
    host.connection.execute("""
        CREATE TYPE "My Mood" AS ENUM ('sad', 'happy');
        ALTER TYPE "My Mood" ADD VALUE 'it''s "ok"' BEFORE 'happy';
        CREATE DOMAIN calm AS "My Mood";
        CREATE TABLE f (id int, y "My Mood", m "My Mood", c calm, a calm[]);
        INSERT INTO f VALUES (1, 'sad', 'happy', 'happy', '{happy,sad}')
    """)

    task = task_of(host, "m, c, a", "f")

    name = f'{task.output_schema}."My Mood"'
    labels = ("sad", 'it\'s "ok"', "happy")
    assert task.features == tuple(Feature(n, name, O, labels) for n in ("m", "c", "(a)[1]", "(a)[2]"))
    assert (task.dependent_type, task.is_classification) == (name, True)
    assert [host.query(f"SELECT {values.number(f)} AS n FROM f")[0]["n"] for f in task.features] == [3, 3, 3, 1]


@pytest.mark.parametrize(
    ("sql_type", "shown", "is_classification"),
    [
        ("boolean", "boolean", True),
        ("smallint", "smallint", True),
        ("bigint", "bigint", True),
        ("varchar(3)", "character varying", True),
        ("char(3)", "bpchar", True),
        ("name", "name", True),
        ("small_text", "text", True),
        ("real", "real", False),
        ("double precision", "double precision", False),
        ("numeric(5,1)", "numeric", False),
    ],
)
def test_dependents(host: PsycopgHost, sql_type: str, shown: str, is_classification: bool) -> None:
    host.connection.execute(f"CREATE DOMAIN small_text AS text; CREATE TABLE f (id int, x int, y {sql_type})")
    for dependent in ("y", "COALESCE(y, y)"):
        task = task_of(host, "x", "f", dependent)
        assert (task.dependent_type, task.is_classification) == (shown, is_classification)


def test_expressions_keep_their_text_and_columns_get_their_quotes(host: PsycopgHost) -> None:
    host.connection.execute('CREATE TABLE f ("Id" int, "order" int, "Target" int, "a,b" float8, w int)')

    task = task_of(
        host, ' ORDER,"a,b" , ln("a,b") ', "f", ' "Target"  %  2 ', id_col='"Id"', weights="w*2", grouping_cols="w"
    )

    assert [f.name for f in task.features] == ['"order"', '"a,b"', 'ln("a,b")']
    assert (task.id_sql, task.dependent_sql, task.numbers["weight"]) == ('"Id"', '("Target"  %  2)', "(w*2)")
    assert task_of(host, "w", "f", '"Target"', id_col='"Id"').dependent_sql == '"Target"'


def test_grouping_columns_keep_their_own_types(host: PsycopgHost) -> None:
    host.connection.execute("""
        CREATE TYPE mood AS ENUM ('a');
        CREATE DOMAIN word AS text;
        CREATE TABLE f (
            id int, y bool, x int, a numeric(5,2), b varchar(7)[], "C" mood, d word, e uuid, f char(3)
        )
    """)

    task = task_of(host, "*", "f", grouping_cols='a,b,"C",d,e,f')

    schema = task.output_schema
    assert [(c.name, c.sql, c.type) for c in task.grouping] == [
        ("a", "a", "numeric(5,2)"),
        ("b", "b", "character varying(7)[]"),
        ("C", '"C"', f"{schema}.mood"),
        ("d", "d", f"{schema}.word"),
        ("e", "e", "uuid"),
        ("f", "f", "character(3)"),
    ]
    assert [f.name for f in task.features] == ["x"]


def test_null_arrays_are_rows_without_values(host: PsycopgHost) -> None:
    host.connection.execute(
        "CREATE TABLE f (id int, y bool, a int[]); INSERT INTO f VALUES (1, true, NULL), (2, false, '{1,NULL,3}')"
    )
    assert [f.name for f in task_of(host, "*", "f").features] == ["(a)[1]", "(a)[2]", "(a)[3]"]


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        "Mixed Case",
        "select",
        'it\'s a "name"',
        "a.b, c",
        "50%\\n $1 {0}",
        "line\nbreak",
        "дерево 木",
        "木" * 21,
        "x" * 63,
    ],
)
def test_any_name_will_do(host: PsycopgHost, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    host.connection.execute(
        psycopg.sql.SQL("CREATE TABLE {0} ({0} int, y bool, x int)").format(psycopg.sql.Identifier(name))
    )

    task = check_arguments(
        host, quoted, quoted[:-1] + '2"' if len(name.encode()) < 63 else "model", quoted, "y", f"*, {quoted} + 1"
    )

    assert task.source.name == name
    assert parse_name(task.id_sql) == (name,)
    assert [f.name for f in task.features] == ["x", f"{quoted} + 1"]


def test_names_are_read_as_parse_ident_reads_them(host: PsycopgHost) -> None:
    for text in ("a", "A.b", ' "A" . B ', 'ÄÖ."x""y"', "_x$1", '"木"'):
        row = host.query("SELECT pg_catalog.parse_ident($1) AS parts", ["text"], [text])[0]
        assert parse_name(text) == tuple(row["parts"])
    for text in ("1a", "a..b", "a b", '""', "a.", "-"):
        assert parse_name(text) is None
        with pytest.raises(InvalidParameterValue, match="string is not a valid identifier"):
            host.query("SELECT pg_catalog.parse_ident($1) AS parts", ["text"], [text])


def test_names_are_found_on_the_callers_search_path(host: PsycopgHost) -> None:
    db = host.connection
    db.execute("CREATE TEMP TABLE data (id int, y text, x int)")
    task = task_of(host)
    assert task.source.schema.startswith("pg_temp")
    assert task.dependent_type == "text"
    assert not task.output_schema.startswith("pg_temp")
    assert task_of(host, output="pg_temp.model").output_schema == task.source.schema


def test_a_hostile_search_path_changes_nothing(host: PsycopgHost) -> None:
    """Types, relations, functions and operators that shadow PostgreSQL's own, in a schema that is searched first."""
    host.connection.execute("""
        CREATE TABLE real_data AS
        SELECT 1 AS id, true AS y, 'a'::text AS t, '{1}'::int[] AS a, date '2020-01-01' AS d, 'g'::name AS g
    """)
    expected = task_of(host, "*", "real_data", grouping_cols="g")
    host.connection.execute("""
        CREATE DOMAIN text AS integer;
        CREATE DOMAIN name AS integer;
        CREATE DOMAIN date AS integer;
        CREATE TABLE pg_class (oid int);
        CREATE TABLE pg_type (oid int);
        CREATE FUNCTION wrong(oid, oid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE FUNCTION wrong(pg_catalog.name, pg_catalog.name) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE OPERATOR = (LEFTARG = oid, RIGHTARG = oid, FUNCTION = wrong);
        CREATE OPERATOR = (LEFTARG = pg_catalog.name, RIGHTARG = pg_catalog.name, FUNCTION = wrong);
        CREATE FUNCTION format_type(oid, int) RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT 'wrong' $$;
        CREATE FUNCTION quote_ident(pg_catalog.name) RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT 'wrong' $$;
    """)
    host.connection.execute(f"SET search_path = {expected.output_schema}, pg_catalog")

    assert task_of(host, "*", "real_data", grouping_cols="g") == expected
