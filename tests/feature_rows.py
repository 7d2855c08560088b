"""The table `rows`: random values of every type that a feature may have, and the features made of them."""

from __future__ import annotations

import itertools
import math
import random

import psycopg
from make_model import Value

from madtree.sqltext import values
from madtree.trees import Feature, FeatureKind

N_ROWS = 400

CONTINUOUS, ORDERED, UNORDERED = FeatureKind.CONTINUOUS, FeatureKind.ORDERED, FeatureKind.UNORDERED

# Values of every type of feature, with those at which conversions round, overflow or mean something else.
NUMBERS = {
    "smallint": ["-32768", "-1", "0", "1", "2", "32767"],
    "integer": ["-2147483648", "-2147483647", "-3", "0", "5", "6", "2147483647"],
    "bigint": ["-9223372036854775808", "-7", "0", "8", "9007199254740993", "9007199254740992", "9223372036854775807"],
    "real": ["NaN", "Infinity", "-Infinity", "0.1", "-0.1", "16777217", "3e38", "1e-40", "0"],
    "double precision": ["NaN", "Infinity", "-Infinity", "0.1", "0.30000000000000004", "-0.1", "1e300", "5e-324", "0"],
    "numeric": [
        *(
            "NaN",
            "Infinity",
            "-Infinity",
            "0",
            "0.1",
            "0.10000000000000000555",
            "0.10000000000000001",
            "-0.1",
            "123456",
        ),
        *("0.1000000000000000055511151231257827021181583404541015625", "9007199254740993", "1e-20", "1e100"),
    ],
    "date": ["infinity", "-infinity", "1999-12-31", "2000-01-01", "2024-02-29", "0044-03-15 BC", "12345-06-07"],
    "timestamp without time zone": [
        *("infinity", "-infinity", "2000-01-01", "1999-12-31 23:59:59.999999", "2024-02-29 12:30:00.25"),
        *("0044-03-15 BC", "294276-12-31 23:59:59.999999", "4714-11-24 BC", "2013-05-01 05:00"),
    ],
    "timestamp with time zone": ["infinity", "2000-01-01 00:00+02", "2024-02-29 12:30:00.25+00", "1969-12-31 23:00-05"],
    "time without time zone": ["00:00", "24:00", "12:30:00.000001", "23:59:59.999999"],
    "time with time zone": ["00:00+03", "12:30-05", "23:59:59.999999+00"],
    "interval": ["1 mon", "30 days", "1 year", "-3 hours", "00:00:00.5", "365 days 6 hours"],
}
LEVELS = {
    "boolean": ["true", "false"],
    "text": ["", " ", "a", "A", "b", "it's", "back\\slash", "line\nbreak", "ümläut", "a,b", "{x}", "NULL", "%s"],
    "character varying": ["a", "b ", "c"],
    "bpchar": ["a", "b", "ccc"],
    "name": ["a", "B", "c"],
}
LABELS = ("small", "it's medium", "LARGE", "x\\l")


def all_features(schema: str) -> list[Feature]:
    """A feature of every kind, and expressions."""
    integers = ("smallint", "integer", "bigint")
    columns = [Feature(f"c{i}", type_, ORDERED if type_ in integers else CONTINUOUS) for i, type_ in enumerate(NUMBERS)]
    columns += [Feature(f'"L {i}""x"', type_, UNORDERED) for i, type_ in enumerate(LEVELS)]
    return [
        *columns,
        Feature('"Größe"', f"{schema}.mood", ORDERED, LABELS),
        Feature("(numbers)[2]", "double precision", CONTINUOUS),
        Feature("c1 % 3", "integer", ORDERED),
        Feature("lower(letters) || '!'", "text", UNORDERED),
        Feature("c0 > 0", "boolean", UNORDERED),
    ]


def make_data(db: psycopg.Connection, schema: str, rng: random.Random) -> None:
    """Table `rows`: random values of every type; a tenth is NULL."""
    db.execute(f"CREATE TYPE {schema}.mood AS ENUM ({', '.join(quote(label) for label in LABELS)})")
    pools = {f"c{i}": (type_, pool) for i, (type_, pool) in enumerate(NUMBERS.items())}
    pools |= {f'"L {i}""x"': (type_, [*pool, "zzz"] if type_ != "boolean" else pool)
              for i, (type_, pool) in enumerate(LEVELS.items())}  # fmt: skip
    pools['"Größe"'] = (f"{schema}.mood", list(LABELS))
    pools["letters"] = ("text", ["x", "Y", "z"])
    columns = ", ".join(f"{name} {type_}" for name, (type_, _) in pools.items())
    db.execute(f"CREATE TABLE rows (id int, g1 text, g2 int, numbers float8[], {columns})")
    rows = []
    for number in range(N_ROWS):
        row = [None if rng.random() < 0.1 else rng.choice(pool) for _, pool in pools.values()]
        array = (
            None if rng.random() < 0.1 else [rng.random(), rng.choice([None, math.nan, 0.5, 1.5])][: rng.randint(1, 2)]
        )
        rows.append([number, rng.choice(["a", "b", "it's", None]), rng.choice([1, 2, None]), array, *row])
    db.cursor().executemany(
        f"INSERT INTO rows VALUES (%s, %s, %s, %s, {', '.join(f'%s::{type_}' for type_, _ in pools.values())})", rows
    )


def quote(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def observed(db: psycopg.Connection, features: list[Feature]) -> list[dict[str, Value]]:
    """Each row's features as the specification compares them: numbers as float8, levels as text."""
    columns = [
        f"{values.category(f)} AS v{i}" if f.kind is UNORDERED else f"({values.number(f)})::float8 AS v{i}"
        for i, f in enumerate(features)
    ]
    rows = db.execute(f"SELECT {', '.join(columns)} FROM rows ORDER BY id").fetchall()
    return [dict(zip((f.name for f in features), row, strict=True)) for row in rows]


def candidates(rows: list[dict[str, Value]], features: list[Feature]) -> dict[str, list[float]]:
    """Thresholds at, between and right beside the values that occur."""
    thresholds = {}
    for feature in features:
        if feature.kind is not UNORDERED:
            found = sorted({v for row in rows if (v := row[feature.name]) is not None and math.isfinite(float(v))})
            beside = [math.nextafter(v, to) for v in found for to in (-math.inf, math.inf)]
            thresholds[feature.name] = [*found, *beside, *(a / 2 + b / 2 for a, b in itertools.pairwise(found))]
    return thresholds


def levels(features: list[Feature]) -> dict[str, list[str]]:
    special = {"lower(letters) || '!'": ["x!", "y!", "z!"]}
    return {f.name: special.get(f.name, LEVELS[f.type]) for f in features if f.kind is UNORDERED}
