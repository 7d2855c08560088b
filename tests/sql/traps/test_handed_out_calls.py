"""What `tree_call` hands a superuser of another role's plain model has no expressions that its owner wrote, neither
where the model says what it is made of, nor where it keeps the words of the call.
"""

from __future__ import annotations

import psycopg
import pytest
from anothers_models import TRAINS, drop, train
from function_calls import SMALL
from ground import CALLERS, Ground
from psycopg import sql
from shares import share
from trap_calls import REFUSED
from trap_objects import spring

MODEL = "traps.plain"
KINDS = {
    "tree": {"pruning_params": "n_folds=2, fold_col=g", "weights": "w", "class_params": "class_weight=balanced"},
    "forest": {"grouping_cols": "g"},
    "boost": {"validation_params": "fold_col=g", "boost_params": "category_encoding=ordered", "offsets": "w"},
}
# What stands in the place of a text of the summary, {0}.
FORGED = ("{spring}", "{0}, {spring}", "{0}, {spring} AS e", "{0}={spring}", "{0}, fold_col={spring}")
COPIES = {
    "tree": "SELECT madtree.tree_prune(%s, 'work.copy', 0.01)",
    "forest": "SELECT madtree.tree_refresh(%s, 'traps.d', 'work.copy')",
    "boost": "SELECT madtree.boost_cut(%s, 'work.copy', 1)",
}
_TEXTS = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND atttypid = 'text'::regtype AND NOT attisdropped
"""


def called(db: psycopg.Connection, model: str) -> str:
    ((statement,),) = db.execute("SELECT madtree.tree_call(%s)", [model]).fetchall()
    return str(statement)


@pytest.mark.parametrize("kind", KINDS)
def test_a_superuser_is_handed_no_expression(ground: Ground, kind: str) -> None:
    attacker, ran, handed = ground.sessions["attacker"], dict[str, object](), 0
    ground.clear()
    train(attacker, kind, MODEL, **{**SMALL[f"{kind}_train"], **KINDS[kind]})
    columns = [name for (name,) in attacker.execute(_TEXTS, [f"{MODEL}_summary"]).fetchall()]
    forge = sql.SQL("UPDATE {} SET {column} = replace(%s, '{{0}}', COALESCE({column}, 'x'))")
    # The statement trains a table that nobody has forged, and so runs what else it names.
    always = [
        (column, text) for column in ("list_of_features", "grouping_cols") for text in FORGED if column in columns
    ]
    every = [(column, text) for column in columns for text in FORGED if column not in ("source_table", "model_table")]
    with ground.calling(CALLERS["superuser"]) as db:
        for column, text in dict.fromkeys([*always, *share(every, 11, len(kind))]):
            attacker.execute("BEGIN")
            attacker.execute("CREATE TEMPORARY TABLE before AS SELECT * FROM traps.plain_summary; COMMIT")
            value = text.replace("{spring}", spring("expression"))
            attacker.execute(
                forge.format(sql.SQL(f"{MODEL}_summary"), column=sql.Identifier(column)),
                [value],  # type: ignore[arg-type]
            )
            ground.sprung()
            for source in (MODEL, "work.copy"):
                try:
                    with db.transaction(force_rollback=True):
                        if source != MODEL:
                            db.execute(COPIES[kind], [MODEL])  # type: ignore[arg-type]
                        statement = called(db, source).replace(f"'{MODEL}'", "'work.again'")
                        handed += 1
                        db.execute(statement)  # type: ignore[arg-type]
                except REFUSED:
                    pass
                if sprung := ground.sprung():
                    ran[f"{source}: {column} = {value}"] = sprung
            attacker.execute("DELETE FROM traps.plain_summary; INSERT INTO traps.plain_summary SELECT * FROM before")
            attacker.execute("DROP TABLE before")
        assert f"{TRAINS.get(kind, kind)}_train" in called(db, MODEL)
    drop(attacker, MODEL)
    assert not ran
    assert handed


def test_others_and_who_trusts_are_handed_the_words(ground: Ground) -> None:
    attacker, words = ground.sessions["attacker"], f"x, {spring('expression')}"
    train(attacker, "tree", MODEL, **SMALL["tree_train"])
    attacker.execute("UPDATE traps.plain_summary SET list_of_features = %s", [words])
    written = words.replace("'", "''")
    with ground.calling(CALLERS["ordinary role"]) as db:
        assert written in called(db, MODEL)
    with ground.calling(CALLERS["superuser"]) as db:
        ((trusting,),) = db.execute("SELECT madtree.tree_call(%s, trust_owner => true)", [MODEL]).fetchall()
        assert written in trusting
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="it has the expression x, traps"):
            called(db, MODEL)
    drop(attacker, MODEL)
