"""The demo's steps: each a title, the SQL that does it, and what came of it."""

from __future__ import annotations

import re
from pathlib import Path

from psycopg import sql

from madtree.cli.demo.errors import DemoError
from madtree.cli.demo.flights import N_FLIGHTS
from madtree.cli.demo.screen import Screen

# All of it is known days before a flight leaves. What happened on the day (dep_delay, air_time, ...) would be a leak.
FEATURES = "carrier, origin, dest, month, weekday, dep_minute, arr_minute, distance"
OURS = "made by madtree demo"  # comment on the schema
MAX_DEPTH = 10
CARRIER_DEPTH = 6
TOP_LEVELS = 3

CREATE_FLIGHTS = """\
CREATE TABLE demo.flights (
    id bigint GENERATED ALWAYS AS IDENTITY,
    year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int, arr_time int,
    sched_arr_time int, arr_delay int, carrier text, flight int, tailnum text, origin text, dest text,
    air_time int, distance int, hour int, minute int, time_hour timestamptz,
    weekday int GENERATED ALWAYS AS (extract(isodow FROM make_date(year, month, day))) STORED,
    dep_minute int GENERATED ALWAYS AS (sched_dep_time / 100 * 60 + sched_dep_time % 100) STORED,
    arr_minute int GENERATED ALWAYS AS (sched_arr_time / 100 * 60 + sched_arr_time % 100) STORED,
    late boolean GENERATED ALWAYS AS (arr_delay > 15) STORED
)"""
COPY_FLIGHTS = """\
COPY demo.flights (year, month, day, dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time,
    arr_delay, carrier, flight, tailnum, origin, dest, air_time, distance, hour, minute, time_hour)
FROM STDIN (FORMAT csv, HEADER, NULL 'NA')"""
SPLIT = "(hashint8(id) & 3)"
CREATE_PART = "CREATE TABLE demo.{part} AS SELECT * FROM demo.flights WHERE {split} {which} 0"
TRAIN_ONE = f"""\
SELECT madtree.tree_train('demo.flights_train', 'demo.late', 'id', 'late',
    '{FEATURES}',
    max_depth => {MAX_DEPTH}, min_split => 600, min_bucket => 200, verbose => true, replace => true)"""
TRAIN_CARRIERS = f"""\
SELECT madtree.tree_train('demo.flights_train', 'demo.late_by_carrier', 'id', 'late',
    '{FEATURES.removeprefix("carrier, ")}', grouping_cols => 'carrier',
    max_depth => {CARRIER_DEPTH}, min_split => 600, min_bucket => 200, verbose => true, replace => true)"""
DISPLAY = "SELECT madtree.tree_display('demo.late', false)"
SCORE = "SELECT madtree.tree_predict('{model}', 'demo.flights_held_out', '{scored}', 'prob')"
# AUC is the chance that a late flight gets a higher probability than one in time, ties counting half (Mann-Whitney):
# one sort of the distinct probabilities, no pairs.
QUALITY = """\
WITH scored AS (
    SELECT 1 - s.estimated_prob_false AS p, f.late
    FROM {scored} s JOIN demo.flights_held_out f USING (id)
    WHERE f.late IS NOT NULL AND s.estimated_prob_false IS NOT NULL
), per_value AS (
    SELECT p, count(*) AS n, count(*) FILTER (WHERE late) AS late FROM scored GROUP BY p
), ranked AS (
    SELECT *, sum(n - late) OVER (ORDER BY p) - (n - late) / 2.0 AS in_time_below FROM per_value
)
SELECT sum(n)::int AS flights,
    (sum(CASE WHEN p > 0.5 THEN late ELSE n - late END) / sum(n))::float8 AS accuracy,
    (greatest(sum(late), sum(n - late)) / sum(n))::float8 AS majority,
    (sum(late * in_time_below) / (sum(late) * sum(n - late)))::float8 AS auc
FROM ranked"""
CARRIERS = """\
SELECT m.carrier, m.n_rows, m.n_leaves, m.tree_depth,
    round(100 * (n.class_weights[2] / n.weight)::numeric, 1)::float8 AS late_percent, coalesce(n.feature, '-')
FROM demo.late_by_carrier m JOIN demo.late_by_carrier_nodes n ON n.tree_id = m.tree_id AND n.node_id = 0
ORDER BY m.n_rows DESC"""
NEXT = (
    "SELECT madtree.tree_display('demo.late')",
    "SELECT madtree.tree_sql('demo.late')",
    "SELECT * FROM demo.late_nodes ORDER BY n_rows DESC LIMIT 10",
    "SELECT madtree.tree_train('demo.flights', 'demo.delay', 'id', 'arr_delay::float8',\n"
    "    'carrier, dest, dep_minute', split_criterion => 'mse', max_depth => 6)",
    "SELECT madtree.tree_train()",
)
NODE_LINE = re.compile(r"\s*\((\d+)\)")


def tell(screen: Screen, flights: Path, client: str) -> None:
    """All steps, on the file `flights`; `client` is the command that opens the database afterwards.

    Raises:
        DemoError: the database has a schema named demo that is somebody else's.
    """
    # The statements are written to be read, with bare operators. Tables are named with their schema.
    screen.connection.execute("SET search_path = pg_catalog, pg_temp")
    screen.title("1. The data: every flight out of New York in 2013")
    load(screen, flights)
    screen.title("2. A tree: will this flight arrive more than 15 minutes late?")
    train(screen, TRAIN_ONE, "demo.late", MAX_DEPTH)
    show_top(screen)
    screen.title("3. How good is it? Score the quarter that it has not seen")
    score(screen, "demo.late", "demo.scored")
    screen.title("4. A tree for each carrier, in one call")
    train(screen, TRAIN_CARRIERS, "demo.late_by_carrier", CARRIER_DEPTH)
    rows, _ = screen.run(CARRIERS, "reading")
    screen.table(("carrier", "flights", "leaves", "depth", "% late", "first question"), rows)
    score(screen, "demo.late_by_carrier", "demo.scored_by_carrier")
    screen.title("What to try next")
    screen.say(f"{client} opens this database; everything above is in the schema demo. For example:")
    for statement in NEXT:
        screen.show(statement)


def load(screen: Screen, flights: Path) -> None:
    """Load the flights, unless an earlier run has; cut them in two by a hash of the id."""
    connection = screen.connection
    make_schema(screen)
    if loaded(screen):
        screen.say(f"demo.flights has its {N_FLIGHTS:,} rows from an earlier run.")
    else:
        with connection.transaction():  # so that an interrupted run leaves no half of a table
            connection.execute("DROP TABLE IF EXISTS demo.flights")
            screen.run(CREATE_FLIGHTS, "creating")
            seconds = screen.copy_csv(COPY_FLIGHTS, flights)
        screen.say(f"{N_FLIGHTS:,} rows loaded in {seconds:.1f} s.")
    for part, which in (("flights_train", "<>"), ("flights_held_out", "=")):
        with connection.transaction():
            connection.execute(sql.SQL("DROP TABLE IF EXISTS demo.{}").format(sql.Identifier(part)))
            screen.run(CREATE_PART.format(part=part, split=SPLIT, which=which), "copying")
    connection.execute("ANALYZE demo.flights_train, demo.flights_held_out")


def make_schema(screen: Screen) -> None:
    """Create the schema demo, unless an earlier run has. Its comment says that its tables are ours to drop."""
    connection = screen.connection
    found = connection.execute("SELECT obj_description(to_regnamespace('demo'), 'pg_namespace')").fetchone()
    if found == (OURS,):
        return
    if connection.execute("SELECT to_regnamespace('demo') IS NULL").fetchone() != (True,):
        raise DemoError("The database has a schema named demo that madtree demo did not make; rename or drop it first.")
    with connection.transaction():
        connection.execute("CREATE SCHEMA demo")
        connection.execute(sql.SQL("COMMENT ON SCHEMA demo IS {}").format(OURS))


def loaded(screen: Screen) -> bool:
    """Whether demo.flights is there and whole."""
    if screen.connection.execute("SELECT to_regclass('demo.flights') IS NULL").fetchone() == (True,):
        return False
    return screen.connection.execute("SELECT count(*) FROM demo.flights").fetchone() == (N_FLIGHTS,)


def train(screen: Screen, statement: str, model: str, levels: int) -> None:
    """Train, and say what was trained on and how fast."""
    rows, seconds = screen.run(statement, "growing", levels)
    screen.say(rows[0][0])
    summary = f"SELECT total_rows_processed, total_rows_skipped FROM {model}_summary"
    ((processed, skipped),) = screen.connection.execute(summary).fetchall()
    screen.say(
        f"{processed:,} rows in {seconds:.2f} s: {processed / seconds:,.0f} rows a second. "
        f"{skipped:,} rows were left out: cancelled and diverted flights, whose late is NULL."
    )


def show_top(screen: Screen) -> None:
    """The display's header and the nodes down to a depth."""
    ((display,),), _ = screen.run(DISPLAY, "reading")
    lines = display.splitlines()
    nodes = [line for line in lines if NODE_LINE.match(line)]
    header = lines[: lines.index(nodes[0])]
    top = [line for line in nodes if depth_of(line) <= TOP_LEVELS]
    for line in [*header, *top]:
        screen.say(line)
    screen.say(f"... the top {TOP_LEVELS} levels: {len(top)} of {len(nodes)} nodes.")


def depth_of(line: str) -> int:
    """The depth of a displayed node: its id is in parentheses, and children are 2i + 1 and 2i + 2."""
    match = NODE_LINE.match(line)
    return 0 if match is None else (int(match[1]) + 1).bit_length() - 1


def score(screen: Screen, model: str, scored: str) -> None:
    """Score the held-out flights, and measure in SQL how good the probabilities are."""
    screen.connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(*scored.split("."))))
    _, seconds = screen.run(SCORE.format(model=model, scored=scored), "scoring")
    ((count,),) = screen.connection.execute(f"SELECT count(*) FROM {scored}").fetchall()
    screen.say(f"{count:,} rows scored in {seconds:.2f} s: {count / seconds:,.0f} rows a second.")
    (((flights, accuracy, majority, auc),), _) = screen.run(QUALITY.format(scored=scored), "measuring")
    headings = ("on flights never seen", "accuracy", "AUC")
    tree = (f"{model} ({flights:,} flights)", f"{accuracy:.2%}", f"{auc:.4f}")
    screen.table(headings, [tree, ("always the majority: in time", f"{majority:.2%}", "0.5000")])
