"""MADlib's names: in madtree's own functions, and in a schema madlib; who may make that."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest


@pytest.fixture
def golf(db: psycopg.Connection) -> psycopg.Connection:
    db.execute(
        "CREATE TABLE golf AS SELECT i AS id, i % 7 AS wind, i * 31 % 11 AS temperature, "
        "(ARRAY['sunny', 'rain', NULL])[1 + i % 3] AS sky, (i % 7 > 3) <> (i % 11 = 0) AS play "
        "FROM generate_series(1, 200) AS i"
    )
    return db


@pytest.fixture
def madlib(golf: psycopg.Connection) -> Iterator[psycopg.Connection]:
    db = golf
    (said,) = db.execute("SELECT madtree.install_madlib_names()").fetchone() or ("",)
    assert said.startswith("install_madlib_names: made the schema madlib")
    yield db
    db.execute("DROP SCHEMA madlib CASCADE")


def test_madtrees_own_functions_take_madlibs_names_beside_their_own(golf: psycopg.Connection) -> None:
    db = golf
    db.execute("""SELECT madtree.tree_train('golf', 'm', 'id', 'play', 'wind, temperature, wind * 10 + temperature',
        seed => 3, null_handling_params => 'max_surrogates=2', verbose_mode => NULL)""")
    db.execute("""SELECT madtree.tree_train('golf', 'own', 'id', 'play', 'wind, temperature, wind * 10 + temperature',
        seed => 3, surrogate_params => 'max_surrogates=2')""")
    assert db.execute("TABLE m_surrogates EXCEPT TABLE own_surrogates").fetchall() == []
    assert db.execute("SELECT count(*) > 0 FROM m_surrogates").fetchone() == (True,)

    # Literals, parameters, and values of each type of text, by place and by either's names.
    for place, arguments in enumerate(
        (
            "'m', 'golf', 'out0', 'prob'",
            "'m'::text, 'golf'::varchar, 'out1'::name, 'prob'::char(4)",
            "'m'::varchar, 'golf'::varchar, 'out2'::varchar, 'prob'::varchar",
            "model => 'm', source => 'golf', output => 'out3', pred_type => 'prob', trust_owner => true",
            "model => 'm'::text, source => 'golf'::text, output => 'out4'::varchar, pred_type => 'prob'::varchar",
            "'m', 'golf', output => 'out5', pred_type => 'prob'",
            "tree_model => 'm', new_data_table => 'golf', output_table => 'out6', type => 'prob'",
        )
    ):
        db.execute(f"SELECT madtree.tree_predict({arguments})")
        assert db.execute(f"SELECT * FROM out{place} EXCEPT SELECT * FROM out0").fetchall() == []
    assert db.execute("SELECT count(estimated_prob_true) FROM out0").fetchone() == (200,)
    db.execute("SELECT madtree.tree_predict(%s, %s, %s)", ["m", "golf", "out_of_parameters"])

    for mine, theirs in (
        ("tree_display('m', false, verbosity => true)", "tree_display('m', dot_format => false, verbose => true)"),
        ("tree_display('m', false)", "tree_display(model_table => 'm'::text, dot_format => false)"),
        ("tree_surr_display('m', true)", "tree_surr_display(model_table => 'm', \"full\" => true)"),
    ):
        assert db.execute(f"SELECT madtree.{mine} = madtree.{theirs}").fetchone() == (True,)
    db.execute("SELECT madtree.get_var_importance(model_table => 'm', output_table => 'weights')")
    assert db.execute("SELECT count(*) FROM weights").fetchone() == (3,)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("null_handling_params => 'max_surrogates=x'", "null_handling_params: max_surrogates must be an integer of at"),
        (
            "surrogate_params => 'max_surrogates=1', null_handling_params => 'max_surrogates=2'",
            "null_handling_params: the key max_surrogates is given twice",
        ),
    ],
)
def test_a_mistake_is_told_by_the_name_that_was_given(golf: psycopg.Connection, given: str, sentence: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=sentence):
        golf.execute(f"SELECT madtree.tree_train('golf', 'm', 'id', 'play', 'wind', {given})")


def test_errors_of_the_second_forms_name_madlibs_arguments(madlib: psycopg.Connection) -> None:
    madlib.execute("SELECT madtree.tree_train('golf', 'm', 'id', 'play', 'wind, temperature')")
    for call, sentence in (
        ("tree_predict(model => 'none', source => 'golf', output => 'o')", "model: relation none does not exist"),
        ("tree_predict(model => 'm', source => 'none', output => 'o')", "source: relation none does not exist"),
        ("tree_predict(model => 'm', source => NULL, output => 'o')", "source must be the name of a table or view"),
        ("tree_predict(model => 'm', source => 'golf', output => 'golf')", "output: "),
        (
            "tree_predict(model => 'm', source => 'golf', output => 'o', pred_type => 'odds')",
            "pred_type must be one of response, prob",
        ),
        ("tree_display(model_table => 'none')", "model_table: relation none does not exist"),
        ("tree_surr_display(model_table => NULL)", "model_table must be the name of a model, not NULL"),
        ("get_var_importance(model_table => 'none', output_table => 'o')", "model_table: relation none does not exist"),
        ("get_var_importance(model_table => 'm', output_table => 'golf')", "output_table: "),
    ):
        for schema in ("madtree", "madlib"):
            with pytest.raises(psycopg.Error, match=f"^madtree: {sentence}"):
                madlib.execute(f"SELECT {schema}.{call}".encode())


def test_verbose_mode_streams_as_verbose_does(golf: psycopg.Connection) -> None:
    said: list[str] = []
    golf.add_notice_handler(lambda diagnostic: said.append(diagnostic.message_primary or ""))
    golf.execute("SELECT madtree.tree_train('golf', 'm', 'id', 'play', 'wind', verbose_mode => true)")
    assert any("level" in line for line in said)


def test_calls_by_place_and_by_name_do_the_same(madlib: psycopg.Connection) -> None:
    db = madlib
    db.execute("""SELECT madlib.tree_train('golf', 'placed', 'id', 'play', 'wind, temperature, sky', NULL, 'gini', NULL,
        NULL, 5, 10, 3, 20, 'cp=0.01', 'max_surrogates=2', false)""")
    db.execute("""SELECT madlib.tree_train(training_table_name => 'golf', output_table_name => 'named',
        id_col_name => 'id', dependent_variable => 'play', list_of_features => 'wind, temperature, sky', max_depth => 5,
        min_split => 10, min_bucket => 3, n_bins => 20, pruning_params => 'cp=0.01',
        null_handling_params => 'max_surrogates=2', verbose_mode => false)""")
    db.execute("""SELECT madtree.tree_train('golf', 'own', 'id', 'play', 'wind, temperature, sky', max_depth => 5,
        min_split => 10, min_bucket => 3, n_bins => 20, pruning_params => 'cp=0.01',
        surrogate_params => 'max_surrogates=2')""")
    db.execute("SELECT madlib.tree_predict(model => 'named', source => 'golf', output => 'a', pred_type => 'prob')")
    db.execute("SELECT madlib.tree_predict('placed', 'golf', 'b', 'prob'), madlib.tree_predict('placed', 'golf', 'c')")
    db.execute("SELECT madtree.tree_predict('own', 'golf', 'own_prob', 'prob')")
    for made in ("a", "b"):
        assert db.execute(f"TABLE {made} EXCEPT TABLE own_prob").fetchall() == []
    assert db.execute("SELECT count(*) FROM c").fetchone() == (200,)
    db.execute("SELECT madlib.get_var_importance(model_table => 'named', output_table => 'weights')")
    assert db.execute("SELECT count(*) FROM weights").fetchone() == (3,)
    for call, own in (
        (
            "tree_display(model_table => 'named', dot_format => false, verbose => true)",
            "tree_display('own', false, true)",
        ),
        ("tree_display('named')", "tree_display('own')"),
        ("tree_surr_display(model_table => 'named')", "tree_surr_display('own')"),
        ("pmml(model_table => 'named')::text", "tree_to_pmml('own')"),
        ("tree_train()", "tree_train()"),
        ("tree_predict('usage')", "tree_predict('usage')"),
    ):
        texts = db.execute(f"SELECT madlib.{call}, madtree.{own}").fetchone() or ("", "-")
        assert len(texts[0].splitlines()) > 3, call
        assert texts[0].replace("named", "own").split("Timestamp")[0] == texts[1].split("Timestamp")[0], call


def test_forests_are_trained_by_madlibs_call(madlib: psycopg.Connection) -> None:
    """By place, as its documentation has it, and by the names that its functions have."""
    madlib.execute("""SELECT madlib.forest_train('golf', 'f', 'id', 'play', 'wind, temperature, sky', NULL, NULL, 7, 2,
        true, 1, 8, 3, 1, 10, 'max_surrogates=2', false, 0.9)""")
    madlib.execute("""SELECT madtree.forest_train('golf', 'own', 'id', 'play', 'wind, temperature, sky', num_trees => 7,
        num_random_features => 2, max_tree_depth => 8, min_split => 3, min_bucket => 1, num_splits => 10,
        null_handling_params => 'max_surrogates=2', sample_ratio => 0.9)""")
    madlib.execute("SELECT madlib.forest_predict(model => 'f', source => 'golf', output => 'a', pred_type => 'prob')")
    madlib.execute("SELECT madtree.forest_predict('own', 'golf', 'b', 'prob')")
    assert madlib.execute("TABLE a EXCEPT TABLE b").fetchall() == []
    for call in (
        "get_tree({}, gid => 1, sample_id => 7, dot_format => false)",
        "get_tree_surr({}, gid => 1, sample_id => 7)",
    ):
        both = [call.format(model) for model in ("model_table => 'f'", "'own'")]
        texts = madlib.execute(f"SELECT madlib.{both[0]}, madtree.{both[1]}").fetchone() or ("", "-")
        assert len(texts[0].splitlines()) > 3
        assert texts[0] == texts[1]


def test_a_mistake_is_madtrees_own_sentence(madlib: psycopg.Connection) -> None:
    with pytest.raises(
        psycopg.errors.UndefinedTable, match="madtree: training_table_name: relation nothing does not"
    ) as caught:
        madlib.execute("SELECT madlib.tree_train('nothing', 'm', 'id', 'y', 'x')")
    assert "Traceback" not in str(caught.value.diag.context)


def test_a_schema_of_that_name_is_left_alone(madlib: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.DuplicateSchema, match='schema "madlib" exists already') as caught:
        madlib.execute("SELECT madtree.install_madlib_names()")
    assert "DROP SCHEMA madlib CASCADE" in str(caught.value.diag.message_hint)


def test_an_update_and_a_drop_of_the_extension_do_not_mind(madlib: psycopg.Connection) -> None:
    depending = """SELECT count(*) FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
        WHERE d.classid = 'pg_proc'::regclass AND p.pronamespace = 'madlib'::regnamespace
        AND d.refclassid IN ('pg_proc'::regclass, 'pg_extension'::regclass)"""
    assert madlib.execute(depending).fetchone() == (0,)


def test_who_is_no_administrator_cannot_make_it(user_db: psycopg.Connection) -> None:
    with pytest.raises(
        psycopg.errors.InsufficientPrivilege, match="permission denied for function install_madlib_names"
    ):
        user_db.execute("SELECT madtree.install_madlib_names()")


def test_nobody_else_may_create_among_them(db: psycopg.Connection, user_db: psycopg.Connection) -> None:
    """As default privileges may say of new schemas; a function of theirs could fit a call better."""
    user = user_db.info.user
    with db.transaction(force_rollback=True):
        db.execute(f"ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO {user}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="others may create objects"):
            db.execute("SELECT madtree.install_madlib_names()")
    assert db.execute("SELECT to_regnamespace('madlib')").fetchone() == (None,)
