"""The small data sets of `tests/data` as tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg

DATA = Path(__file__).parent / "data"

GOLF = """
    CREATE TABLE golf (
        id integer, "OUTLOOK" text, temperature float8, humidity float8, "Temp_Humidity" float8[],
        clouds_airquality text[], windy boolean, class text, observation_weight float8)
"""
IRIS = """
    CREATE TABLE iris (
        id integer GENERATED ALWAYS AS IDENTITY, sepal_length float8, sepal_width float8, petal_length float8,
        petal_width float8, species text)
"""
MTCARS = """
    CREATE TABLE mtcars (
        id integer, model text, mpg float8, cyl integer, disp float8, hp integer, drat float8, wt float8, qsec float8,
        vs integer, am integer, gear integer, carb integer)
"""


def load_golf(db: psycopg.Connection) -> None:
    """14 rows: play golf or not (Quinlan 1986), as in MADlib's documentation."""
    _load(db, GOLF, "golf")


def load_iris(db: psycopg.Connection) -> None:
    """150 rows, 3 species (Fisher 1936)."""
    _load(db, IRIS, "iris (sepal_length, sepal_width, petal_length, petal_width, species)")


def load_mtcars(db: psycopg.Connection) -> None:
    """32 cars (Henderson and Velleman 1981)."""
    _load(db, MTCARS, "mtcars")


def facts(name: str) -> dict[str, Any]:
    """What another program made of a data set: `tests/data/<name>.json`."""
    content: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return content


def _load(db: psycopg.Connection, table: str, target: str) -> None:
    db.execute(table)
    with db.cursor().copy(f"COPY {target} FROM STDIN (FORMAT csv, HEADER)") as copy:
        copy.write((DATA / f"{target.partition(' ')[0]}.csv").read_bytes())
