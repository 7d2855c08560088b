"""Categories as ordered target statistics: against encodings that are computed here, row by row, by plain numbers.

A model of the encoded column, an ordinary one, splits at the same places and says the same.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from boosted_data import tables
from forest_data import rows
from shares import share
from training import train_by_client

from madtree.request import Tuning

WORD = 2**32 - 1
MAKE = """
    CREATE TABLE t AS SELECT i AS id, i % 3 AS g, i % 4 + 1 AS w, i * 31 % 41 AS a, i % 7 = 0 AS b,
        'c' || (i * i * 7 % 61) % 29 AS c, 'd' || i * 13 % 5 AS d,
        round((sin((i * i * 7 % 61) % 29 * 2.1) * 3 + (i * 31 % 41) / 20.0 + i * 7919 % 101 / 64.0)::numeric, 3)::float8
            AS y
    FROM generate_series(1, 1200) i;
    ALTER TABLE t ADD late boolean, ADD n int, ADD later boolean, ADD part real;
    UPDATE t SET late = y > 1, n = greatest(y, 0)::int * 2, later = id % 5 = 2, part = 0.25 + id % 3;
    ANALYZE t
"""
MISSING = "UPDATE t SET c = NULL WHERE id % 11 = 3"
ORDERED = "category_encoding=ordered"
HEAVY = f"{ORDERED}, prior_weight=4"
FEW = {"num_trees": 4, "max_leaf_nodes": 8, "min_bucket": 5, "replace": True}


def mixed(x: int) -> int:
    x ^= x >> 16
    x = x * 0x7FEB352D & WORD
    x ^= x >> 15
    x = x * 0x846CA68B & WORD
    return x ^ x >> 16


def hashed(identity: int, purpose: int, seed: int = 1) -> int:
    key = mixed(mixed(purpose ^ seed & WORD) ^ seed >> 32 & WORD)
    return mixed(mixed(identity) ^ mixed(key))


class Encodings:
    """Of a column: what each row has in training, and what new rows have."""

    def __init__(
        self,
        table: list[dict[str, Any]],
        feature: str,
        target: str,
        group: str | None = None,
        weight: str | None = None,
        exposure: str | None = None,
        held_out: Any = lambda row: False,
        prior_weight: float = 1.0,
    ) -> None:
        def of(row: dict[str, Any]) -> Any:
            return row[group] if group else None

        def numbers(row: dict[str, Any]) -> tuple[Decimal, Decimal, Decimal]:
            w = Decimal(row[weight] if weight else 1)
            x = w * Decimal(repr(row[exposure]) if exposure else 1)
            return w, x, w * Decimal(repr(float(row[target])))

        taught = [row for row in table if row[target] is not None and not held_out(row)]
        sums: dict[Any, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 3)
        for row in taught:
            sums[of(row)] = [s + x for s, x in zip(sums[of(row)], numbers(row), strict=True)]
        self.prior = {g: float(total) / float(x) for g, (_, x, total) in sums.items()}
        pull = {g: prior_weight * (float(x) / float(w)) for g, (w, x, _) in sums.items()}
        self.lacks = {of(row) for row in taught if row[feature] is None}

        def encoded(g: Any, x: Decimal, total: Decimal) -> float:
            return (float(total) + pull[g] * self.prior[g]) / (float(x) + pull[g])

        so_far: dict[Any, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 3)
        self.of_rows: dict[int, float | None] = {}
        for row in sorted(taught, key=lambda row: hashed(row["id"], 7)):
            n, x, total = so_far[of(row), row[feature]]
            self.of_rows[row["id"]] = None if row[feature] is None else encoded(of(row), x, total)
            _, own, outcome = numbers(row)
            so_far[of(row), row[feature]] = [n + 1, x + own, total + outcome]
        self.known = {
            (g, c): {"n_rows": int(n), "weight": float(x), "total": float(total), "encoded": encoded(g, x, total)}
            for (g, c), (n, x, total) in so_far.items()
            if c is not None
        }
        self.new = {row["id"]: self.of_new(of(row), row[feature]) for row in table}
        for row in table:
            self.of_rows.setdefault(row["id"], self.new[row["id"]])

    def of_new(self, group: Any, category: str | None) -> float | None:
        if (group, category) in self.known:
            return self.known[group, category]["encoded"]
        return None if group in self.lacks else self.prior[group]


def train(
    db: psycopg.Connection, target: str, features: str = "a, b, c", source: str = "t", model: str = "m", **more: Any
) -> None:
    named = {**FEW, **more}
    names = "".join(f", {name} => %s" for name in named)
    call = f"SELECT madtree.boost_train(%s, %s, 'id', %s, %s{names})"
    db.execute(call, [source, model, target, features, *named.values()])  # type: ignore[arg-type]


def said(db: psycopg.Connection, source: str, model: str) -> list[dict[str, Any]]:
    db.execute("SELECT madtree.boost_predict(%s, %s, 'said', 'raw', replace => true)", [model, source])
    return rows(db, "SELECT * FROM said ORDER BY id")


def with_column(db: psycopg.Connection, name: str, encoded: dict[int, float | None]) -> None:
    """A copy of the table with a column of these numbers in the place of c."""
    db.execute(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} AS SELECT *, NULL::float8 AS e FROM t")  # type: ignore[arg-type]
    with db.cursor() as cursor:
        cursor.executemany(f"UPDATE {name} SET e = %s WHERE id = %s", [(e, i) for i, e in encoded.items()])  # type: ignore[arg-type]
    db.execute(f"ANALYZE {name}")  # type: ignore[arg-type]


def is_drawn(row: dict[str, Any]) -> bool:
    return hashed(row["id"], 4) < 0.25 * 2**32


FRACTION = {"validation_params": "fraction=0.25, n_iter_no_change=3"}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("target", "missing", "oracle", "more"),
    [
        ("y", False, {}, {}),
        ("y", True, {"weight": "w", "prior_weight": 4.0}, {"weights": "w", "boost_params": HEAVY}),
        ("late", True, {}, {}),
        ("late", False, {"group": "g"}, {"grouping_cols": "g"}),
        ("y", True, {"group": "g", "weight": "part"}, {"grouping_cols": "g", "weights": "part"}),
        ("n", False, {"exposure": "part"}, {"loss": "poisson", "exposure": "part"}),
        ("y", True, {"held_out": lambda row: row["later"]}, {"validation_params": "fold_col=later"}),
        ("late", False, {"held_out": is_drawn}, FRACTION),
        ("y", False, {"held_out": is_drawn, "group": "g"}, {**FRACTION, "grouping_cols": "g"}),
    ],
)  # fmt: skip
def test_it_is_a_model_of_the_encodings(
    db: psycopg.Connection, target: str, missing: bool, oracle: dict[str, Any], more: dict[str, Any]
) -> None:
    db.execute(MAKE)
    if missing:
        db.execute(MISSING)
    # Categories that only rows have which are held out, and a row without an outcome.
    db.execute(
        "UPDATE t SET c = 'new' WHERE id % 5 = 2 AND id % 4 = 3; UPDATE t SET y = NULL, late = NULL WHERE id = 9"
    )
    mine = Encodings(rows(db, "SELECT * FROM t ORDER BY id"), "c", target, **oracle)
    more = {"boost_params": ORDERED, **more}
    train(db, target, **more)
    kept = {
        (row["g"] if "group" in oracle else None, row["category"]): row
        for row in rows(db, "SELECT c.*, to_jsonb(q) -> 'g' AS g FROM m_categories c JOIN m_group q USING (gid)")
    }
    assert {key: {name: row[name] for name in mine.known[key]} for key, row in kept.items()} == mine.known
    assert all(row["prior"] == mine.prior[key[0]] for key, row in kept.items())

    with_column(db, "as_trained", mine.of_rows)
    train(db, target, "a, b, e", "as_trained", "o", **{**more, "boost_params": "min_gain=0"})
    columns = "tree_id, node_id, n_rows, weight, prediction, is_leaf, improvement"
    assert rows(db, f"SELECT {columns} FROM m_nodes ORDER BY 1, 2") == rows(
        db, f"SELECT {columns} FROM o_nodes ORDER BY 1, 2"
    )
    assert rows(db, "TABLE m_rounds") == rows(db, "TABLE o_rounds")
    splits = rows(
        db,
        "SELECT m.*, o.threshold AS cut, o.majority_left AS other_majority, t.gid, to_jsonb(q) -> 'g' AS g "
        "FROM m_nodes m JOIN o_nodes o USING (tree_id, node_id) JOIN m t USING (tree_id) JOIN m_group q USING (gid) "
        "WHERE o.feature = 'e'",
    )
    assert len(splits) > 5
    for split in splits:
        group = split["g"] if "group" in oracle else None
        assert (split["feature"], split["threshold"]) == ("c", None)
        assert all(mine.known[group, c]["encoded"] <= split["cut"] for c in split["left_levels"])
        assert all(mine.known[group, c]["encoded"] > split["cut"] for c in split["right_levels"])
        if split["node_id"] == 0:
            assert len(split["left_levels"]) + len(split["right_levels"]) == sum(g == group for g, _ in mine.known)
        if group not in mine.lacks:
            assert split["majority_left"] == (mine.prior[group] <= split["cut"])
        else:
            assert split["majority_left"] == split["other_majority"]

    db.execute("UPDATE t SET c = 'unheard of' WHERE id % 17 = 5")
    seen = {row["id"]: row for row in rows(db, "SELECT * FROM t")}
    new = {i: mine.of_new(row["g"] if "group" in oracle else None, row["c"]) for i, row in seen.items()}
    with_column(db, "as_new", new)
    assert said(db, "t", "m") == said(db, "as_new", "o")


def all_tables(db: psycopg.Connection) -> dict[str, Any]:
    return {**tables(db), "_categories": rows(db, "TABLE m_categories")}


@pytest.mark.parametrize(
    ("turn", "target", "more"),
    [(0, "y", {"weights": "part", "grouping_cols": "g"}), (1, "late", FRACTION), (2, "n", {"loss": "poisson"})],
)
def test_it_is_the_same_model_wherever_it_is_grown(
    db: psycopg.Connection, turn: int, target: str, more: dict[str, Any]
) -> None:
    db.execute(MAKE)
    db.execute(MISSING)
    db.execute("UPDATE t SET id = id / 2 * 2; ANALYZE t")  # rows of one id do not tell of each other
    more = {"boost_params": ORDERED, "num_trees": 6, **more}
    train(db, target, "a, b, c, d", **more)
    expected = all_tables(db)
    for strategy in share(("memory", "workers", "aggregate"), 3, turn):
        train(db, target, "a, b, c, d", strategy=strategy, parallel_workers=1, **more)
        assert all_tables(db) == expected, strategy
    db.execute("CREATE TABLE u AS SELECT * FROM t ORDER BY a, id DESC; CREATE VIEW v AS SELECT * FROM u; ANALYZE u")
    train(db, target, "a, b, c, d", source="v", **more)
    assert all_tables(db) == expected
    names = {
        "training_table_name": "u",
        "output_table_name": "m",
        "id_col_name": "id",
        "list_of_features": "a, b, c, d",
    }
    by_passes = Tuning(block_rows=150, read_rows=70, surely_large=1000)
    train_by_client(db, by_passes, **names, dependent_variable=target, **{**FEW, "loss": None, **more})
    assert all_tables(db) == expected
    left = "SELECT relname FROM pg_class WHERE starts_with(relname, 'madtree_') AND relkind = 'r'"
    assert rows(db, left) == []


def test_a_second_table_takes_no_part(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    train(db, "y", boost_params=ORDERED, validation_params="fold_col=later")
    expected = all_tables(db)
    db.execute("CREATE TABLE u AS SELECT * FROM t WHERE NOT later; CREATE TABLE rest AS SELECT * FROM t WHERE later")
    train(db, "y", source="u", boost_params=ORDERED, validation_params="table=rest")
    assert all_tables(db) == expected


def test_names_may_be_any(db: psycopg.Connection) -> None:
    db.execute(MAKE)
    train(db, "y", boost_params=ORDERED)
    expected = [row["encoded"] for row in rows(db, "TABLE m_categories")]
    db.execute(
        'ALTER TABLE t ADD "c, encoded" int, ADD madtree_text1 text, ADD z int, ADD q int, ADD "x""`{" text; '
        'UPDATE t SET "x""`{" = c'
    )
    for feature in ("c", '"x""`{"', "c || madtree_text1", "upper(c) || 'it''s'"):
        db.execute("UPDATE t SET madtree_text1 = ''")
        train(db, "y", f"a, b, {feature}", boost_params=ORDERED)
        assert [row["encoded"] for row in rows(db, "TABLE m_categories")] == expected
        assert {row["feature"] for row in rows(db, "TABLE m_categories")} == {feature}
        assert len(said(db, "t", "m")) == 1200


def test_whatever_reads_the_model_reads_categories(db: psycopg.Connection) -> None:
    """And what has no category on one side, since no new row is encoded as such."""
    db.execute(MAKE)
    db.execute(MISSING)
    train(db, "late", "a, c, d", boost_params=ORDERED, num_trees=20, max_leaf_nodes=16)
    none = rows(db, "SELECT tree_id FROM m_nodes WHERE '{}' IN (left_levels, right_levels)")
    assert none
    scored = said(db, "t", "m")
    ((text,),) = db.execute("SELECT madtree.boost_sql('m', 'raw')").fetchall()
    assert [list(row.values())[1] for row in scored] == [
        row["s"] for row in rows(db, f"SELECT {text} AS s FROM t ORDER BY id")
    ]
    db.execute("SELECT madtree.boost_staged('m', 't')")
    for call in ("tree_to_json('m')", "tree_to_pmml('m')", "get_tree('m', 1, 1)", "boost_sql('m', 'prob')"):
        assert rows(db, f"SELECT madtree.{call} AS said")[0]["said"]
    tree = none[0]["tree_id"]
    assert rows(db, f"SELECT * FROM madtree.tree_rules('m', {tree})")
    assert "not in {" in str(rows(db, f"SELECT * FROM madtree.tree_rules('m', {tree})"))
    db.execute("SELECT madtree.boost_cut('m', 'shorter', 3)")
    assert len(said(db, "t", "shorter")) == 1200
    (summary,) = rows(db, "SELECT category_encoding, prior_weight, feature_kinds FROM m_summary")
    assert summary == {
        "category_encoding": "ordered",
        "prior_weight": 1,
        "feature_kinds": ["ordered", "unordered", "unordered"],
    }
    (dropped,) = rows(db, "SELECT madtree.tree_drop('m') AS said")
    assert "m_categories" in dropped["said"]
    assert not rows(db, "SELECT FROM pg_class WHERE relname = 'm_categories'")


@pytest.mark.parametrize(
    ("features", "target", "given", "said"),
    [
        ("c", "y", "category_encoding=target", "category_encoding must be one of none, ordered, not 'target'"),
        ("c", "y", "category_encoding=ordered, prior_weight=0", "prior_weight must be from 1e-9 to 1e9"),
        ("c", "d", ORDERED, "category_encoding ordered is for numbers and for two classes"),
    ],
)
def test_a_mistake_is_said(db: psycopg.Connection, features: str, target: str, given: str, said: str) -> None:
    db.execute(MAKE)
    with pytest.raises(psycopg.Error) as error:
        train(db, target, features, boost_params=given)
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)


def test_without_categories_there_is_nothing_to_encode(db: psycopg.Connection, notices: list[str]) -> None:
    db.execute(MAKE)
    train(db, "y", "a, b", boost_params=ORDERED)
    assert any("no feature has categories" in notice for notice in notices)
    assert not rows(db, "SELECT FROM pg_class WHERE relname = 'm_categories'")
    train(db, "y", boost_params="category_encoding=none")
    assert not rows(db, "SELECT FROM pg_class WHERE relname = 'm_categories'")
