"""Models of the attacker's: plain ones, to put traps on, and such as have a trap for an expression."""

from __future__ import annotations

from typing import Any

import psycopg
from ground import Ground
from psycopg import sql
from trap_objects import spring

FULL: dict[str, dict[str, Any]] = {
    "tree": {"surrogate_params": "max_surrogates=1", "pruning_params": "n_folds=2", "max_competitors": 1,
             "max_depth": 3, "min_split": 4},
    "forest": {"null_handling_params": "max_surrogates=1", "oob_predictions": True, "num_trees": 2,
               "max_tree_depth": 3, "grouping_cols": "g"},
    "boost": {"validation_params": "fraction=0.3", "num_trees": 2, "max_leaf_nodes": 4, "grouping_cols": "g",
              "boost_params": "category_encoding=ordered"},
    "between": {"dependent_variable": "z", "intervals": True, "num_trees": 2, "max_tree_depth": 3},
}  # fmt: skip
PARTS = {
    "tree": ("", "_nodes", "_summary", "_surrogates", "_cv", "_competitors", "_statistics", "_conformal"),
    "forest": ("", "_summary", "_surrogates", "_group", "_packed", "_oob", "_statistics"),
    "boost": ("", "_summary", "_group", "_packed", "_rounds", "_statistics", "_conformal", "_categories"),
    "between": ("", "_summary", "_group", "_packed", "_outcomes", "_conformal"),
}
TRAINS = {"between": "forest"}  # kinds of models that another one's function trains
_TRAP = f"x + 0 * {spring('expression')}"
EXPRESSIONS: dict[str, dict[str, str]] = {
    "feature": {"list_of_features": f"x, {_TRAP}"},
    "dependent variable": {"dependent_variable": f"({_TRAP}) > 40"},
    "weights": {"weights": f"1 + {_TRAP}"},
    "grouping": {"grouping_cols": f"({_TRAP}) > 90 AS e"},
    "id": {},
    "exposure": {"dependent_variable": "w", "split_criterion": "poisson", "exposure": f"1 + {_TRAP}"},
    "offsets": {"offsets": f"0 * ({_TRAP})"},
}


def train(db: psycopg.Connection, kind: str, model: str, **more: Any) -> None:
    """Train on traps.d, keep statistics, and let everybody read the model."""
    given = {"training_table_name": "traps.d", "output_table_name": model, "id_col_name": "id",
             "dependent_variable": "y", "list_of_features": "x, k", **more}  # fmt: skip
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in given)
    function = sql.Identifier(f"{TRAINS.get(kind, kind)}_train")
    db.execute(sql.SQL("SELECT madtree.{}({})").format(function, named), list(given.values()))
    if "_statistics" in PARTS[kind]:
        db.execute("SELECT madtree.tree_statistics(%s, %s)", [model, given["training_table_name"]])
    if "_conformal" in PARTS[kind] and "exposure" not in given:
        db.execute("SELECT madtree.conformal_train(%s, %s, '0.5, 0.9')", [model, given["training_table_name"]])
    schema = model.partition(".")[0]
    db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO public")  # type: ignore[arg-type]


def spoil_id(db: psycopg.Connection, model: str) -> None:
    """Training takes no expression for the id; who owns the model can write one."""
    db.execute(f"UPDATE {model}_summary SET id_col_name = %s", [f"id + 0 * {spring('expression')}"])  # type: ignore[arg-type]


def drop(db: psycopg.Connection, model: str) -> None:
    db.execute("SELECT madtree.tree_drop(%s)", [model])


def give_to_team(ground: Ground, model: str) -> None:
    """Have the group own a model's tables; the attacker is its member."""
    db = ground.sessions["attacker"]
    owned = db.execute(
        "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'traps'::regnamespace AND relkind IN ('r', 'v') "
        "AND (relname = %(name)s OR relname LIKE %(name)s || '\\_%%')",
        {"name": model.partition(".")[2]},
    ).fetchall()
    for table, kind in owned:
        what = "VIEW" if kind == "v" else "TABLE"
        db.execute(f"ALTER {what} traps.{table} OWNER TO {ground.names['team']}")  # type: ignore[arg-type]
