"""A model trained anew after its table was dropped by hand, as scripts written for MADlib do."""

from __future__ import annotations

import psycopg
import pytest
from training import read_model, train

RICH = {"surrogate_params": "max_surrogates=2", "pruning_params": "n_folds=2", "min_split": 2}


@pytest.fixture
def notices(db: psycopg.Connection) -> list[str]:
    """What the server says from now on."""
    told: list[str] = []
    db.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
    return told


def make_data(db: psycopg.Connection) -> None:
    db.execute(
        "CREATE TABLE data AS SELECT i AS id, i % 7 > i % 5 AS y, i % 7 AS x, i % 5 AS z FROM generate_series(1, 40) i"
    )


def there(db: psycopg.Connection) -> list[str]:
    rows = db.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v') "
        "AND relname ~ '^m(_|$)' ORDER BY 1"
    ).fetchall()
    return [name for (name,) in rows]


def refusal(db: psycopg.Connection) -> psycopg.Error:
    """The error of training `m`, which changes nothing."""
    before = there(db)
    with pytest.raises(psycopg.errors.DuplicateTable) as caught:
        train(db, "data", "m", "y", "x, z")
    assert there(db) == before
    return caught.value


@pytest.mark.parametrize("dropped", ["m, m_summary", "m"])
def test_what_is_left_of_a_dropped_model_goes_with_a_notice(
    db: psycopg.Connection, schema: str, notices: list[str], dropped: str
) -> None:
    make_data(db)
    train(db, "data", "m", "y", "x, z", **RICH)
    db.execute(f"DROP TABLE IF EXISTS {dropped}")
    left = [f'"{name}"' for name in sorted(there(db), key=lambda name: (name != "m_summary", name))]
    notices.clear()
    train(db, "data", "m", "y", "x, z", min_split=2)
    assert notices == [
        f'output_table_name: dropped {", ".join(left)}, left of a model "{schema}"."m" whose table is gone'
    ]
    assert there(db) == ["m", "m_nodes", "m_statistics", "m_summary"]
    train(db, "data", "fresh", "y", "x, z", min_split=2)
    assert read_model(db, "m") == read_model(db, "fresh")

    assert str(refusal(db).diag.message_primary).endswith('"m" exists already')
    db.execute("DROP TABLE m_nodes")
    assert "replace => true" in str(refusal(db).diag.message_hint)  # the model's own table is there


def test_what_may_not_be_the_callers_model_stays(
    db: psycopg.Connection, user_db: psycopg.Connection, schema: str
) -> None:
    make_data(db)
    train(db, "data", "m", "y", "x, z", **RICH)
    db.execute(f'DROP TABLE m, m_summary; GRANT SELECT ON data TO "{user_db.info.user}"')
    hint = "What is left of a model is dropped for you where all of it is yours"
    for session in (user_db, db):  # neither the owner's to an ordinary user, nor a user's to a superuser
        error = refusal(session)
        assert str(error.diag.message_primary).endswith(f'output_table_name: "{schema}"."m_nodes" exists already')
        assert hint in str(error.diag.message_hint)
        db.execute(f'ALTER TABLE m_nodes OWNER TO "{user_db.info.user}"')
    db.execute("ALTER TABLE m_nodes OWNER TO CURRENT_USER; ALTER TABLE m_cv DROP xerror")
    assert hint in str(refusal(db).diag.message_hint)
    db.execute("DROP TABLE m_cv; CREATE VIEW m_cv AS SELECT 1 AS cp, 2 AS cv_error_avg, 3 AS xerror")
    refusal(db)
    db.execute("DROP VIEW m_cv; CREATE VIEW reads AS SELECT * FROM m_nodes")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist):
        train(db, "data", "m", "y", "x, z")
    assert there(db) == ["m_nodes", "m_statistics", "m_surrogates"]


def test_pruning_into_what_is_left_drops_it(db: psycopg.Connection) -> None:
    make_data(db)
    for model in ("m", "other"):
        train(db, "data", model, "y", "x, z", min_split=2)
    db.execute("DROP TABLE m, m_summary")
    notices: list[str] = []
    db.add_notice_handler(lambda told: notices.append(str(told.message_primary)))
    db.execute("SELECT madtree.tree_prune('other', 'm', 0.5)")
    assert ["m_nodes" in told for told in notices] == [True]
    assert there(db) == ["m", "m_nodes", "m_statistics", "m_summary"]
