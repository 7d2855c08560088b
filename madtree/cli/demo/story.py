"""The demo's steps: each a title, the statement or call that does it, and what came of it."""

from __future__ import annotations

from pathlib import Path

from madtree.cli.demo.calls import ShownCall
from madtree.cli.demo.screen import Screen
from madtree.cli.demo.tables import count, drop, load, mark, prepare

# All of it is known days before a flight leaves. What happened on the day (dep_delay, air_time, ...) would be a leak.
FEATURES = "carrier, origin, dest, month, weekday, dep_minute, arr_minute, distance"
MAX_DEPTH = 10
CARRIER_DEPTH = 6
TOP_LEVELS = 3

SIZES = {"min_split": 600, "min_bucket": 200}
TRAIN_ONE = ShownCall(
    "tree_train",
    ("demo.flights_train", "demo.late", "id", "late", FEATURES),
    {"max_depth": MAX_DEPTH, **SIZES, "verbose": True, "replace": True},
)
# Pruned by their predictions, half of the carriers would be left with a single leaf; of wanted size, all have a tree.
TRAIN_CARRIERS = ShownCall(
    "tree_train",
    ("demo.flights_train", "demo.late_by_carrier", "id", "late", FEATURES.removeprefix("carrier, ")),
    {"grouping_cols": "carrier", "max_depth": CARRIER_DEPTH, **SIZES, "max_leaf_nodes": 16}
    | {"pruning_params": "cp=-1", "verbose": True, "replace": True},
)
DISPLAY = ShownCall("tree_display", ("demo.late", False), {"max_depth": TOP_LEVELS})
LEGEND = (
    "Each line is a node: (its id) [flights on time, flights late], then its question; a leaf has * and the prediction."
)
# AUC is the chance that a late flight gets a higher probability than one on time.
ON_TIME = "SELECT avg((NOT late)::int)::float8 AS on_time FROM demo.flights_held_out"
CARRIERS = """\
SELECT m.carrier, m.n_rows, m.n_leaves, m.tree_depth,
    round(100 * (n.class_weights[2] / n.weight)::numeric, 1)::float8 AS late_percent, coalesce(n.feature, '-')
FROM demo.late_by_carrier m JOIN demo.late_by_carrier_nodes n ON n.tree_id = m.tree_id AND n.node_id = 0
ORDER BY m.n_rows DESC"""
NEXT = (
    ShownCall("tree_display", ("demo.late",)),
    ShownCall("tree_sql", ("demo.late",)),
    ShownCall(
        "tree_train",
        ("demo.flights", "demo.delay", "id", "arr_delay::float8", "carrier, dest, dep_minute"),
        {"split_criterion": "mse", "max_depth": 6},
    ),
)
FORESTS = "Forests learn from the same flights in the next chapter of the tutorial: docs/tutorial-forests.md"
NODES = "SELECT * FROM demo.late_nodes ORDER BY n_rows DESC LIMIT 10"
# What this run reads or replaces.
TABLES = ("flights", "flights_train", "flights_held_out", "late", "late_by_carrier", "scored", "scored_by_carrier")


def tell(screen: Screen, flights: Path, client: str) -> None:
    """All steps, on the file `flights`; `client` is the command that opens the database afterwards.

    Raises:
        DemoError: what the database has in its schema demo is not the demo's.
    """
    # The statements are written to be read, with bare operators. Tables are named with their schema.
    screen.connection.execute("SET search_path = pg_catalog, pg_temp")
    prepare(screen.connection, TABLES)
    screen.title("1. The data: every flight out of New York in 2013")
    load(screen, flights)
    screen.title("2. A tree: will this flight arrive more than 15 minutes late?")
    train(screen, TRAIN_ONE, "late", MAX_DEPTH)
    show_top(screen)
    screen.title("3. How good is it? Score the quarter that it has not seen")
    score(screen, "late", "scored")
    measure(screen, "late")
    ((on_time,),), _ = screen.run(ON_TIME, "counting")
    screen.say(f"To call every flight on time is right for {on_time:.2%} of them, with an AUC of 0.5.")
    screen.title("4. A tree for each carrier, in one call")
    train(screen, TRAIN_CARRIERS, "late_by_carrier", CARRIER_DEPTH)
    rows, _ = screen.run(CARRIERS, "reading")
    screen.table(("carrier", "flights", "leaves", "depth", "% late", "first question"), rows)
    score(screen, "late_by_carrier", "scored_by_carrier")
    measure(screen, "late_by_carrier")
    suggest(screen, client)


def suggest(screen: Screen, client: str) -> None:
    """What to try next; `client` as in `tell`."""
    screen.title("What to try next")
    opens = client if screen.engine == "extension" else f"{client}, or client = madtree.connect(...) in Python,"
    screen.say(f"{opens} opens this database; everything above is in the schema demo. For example:")
    for call in NEXT:
        screen.show_call(call)
    screen.show(NODES)
    screen.say(FORESTS)


def train(screen: Screen, training: ShownCall, model: str, levels: int) -> None:
    """Train, and say what was trained on and how fast."""
    with screen.connection.transaction():
        line, seconds = screen.call(training, "growing", levels)
        mark(screen.connection, model)
    screen.say(line)
    summary = f"SELECT total_rows_processed, total_rows_skipped FROM demo.{model}_summary"
    ((processed, skipped),) = screen.connection.execute(summary).fetchall()
    screen.say(
        f"{processed:,} rows in {seconds:.2f} s: {processed / seconds:,.0f} rows a second. "
        f"{skipped:,} rows were left out: cancelled and diverted flights, whose late is NULL."
    )


def show_top(screen: Screen) -> None:
    """The nodes down to a depth, and how to read them."""
    display, _ = screen.call(DISPLAY, "reading")
    for line in [LEGEND, *display.splitlines()]:
        screen.say(line)


def score(screen: Screen, model: str, scored: str) -> None:
    """Score the held-out flights."""
    with screen.connection.transaction():
        drop(screen.connection, scored)
        names = f"demo.{model}", "demo.flights_held_out", f"demo.{scored}", "prob"
        _, seconds = screen.call(ShownCall("tree_predict", names), "scoring")
        mark(screen.connection, scored)
    n_rows = count(screen.connection, scored)
    screen.say(f"{n_rows:,} rows scored in {seconds:.2f} s: {n_rows / seconds:,.0f} rows a second.")


def measure(screen: Screen, model: str) -> None:
    """How well the model does on the held-out flights, of all its groups together."""
    call = ShownCall("tree_evaluate", (f"demo.{model}", "demo.flights_held_out"), columns="tree_id, metric, value")
    rows, _ = screen.rows(call, "measuring")
    whole = rows[0][0]  # of a grouped model the first rows are those of all its trees
    screen.table(("metric", "value"), [(name, f"{value:,.6g}") for tree, name, value in rows if tree == whole])
