"""Models to report on: trained on small data, or written by hand where they must be large."""

from __future__ import annotations

import random

import psycopg
from datasets import load_iris, load_mtcars
from make_model import Sketch, inner, leaf, random_tree, write_model
from training import train

from madtree.sqltext.relation import Column
from madtree.trees import Feature, FeatureKind

X, Y = (
    Feature("x", "double precision", FeatureKind.CONTINUOUS),
    Feature("y", "double precision", FeatureKind.CONTINUOUS),
)
COLOUR = Feature("colour", "text", FeatureKind.UNORDERED)
THRESHOLDS = {"x": [0.25, 0.5, 2.125], "y": [1.0, 3.5]}
LEVELS = {"colour": ["red", "green", "blue", "a very long name of a colour indeed", None]}
ODD = 'Odd "Näme" <b>&amp;</b> 木\' */ ;'
ODD_CLASSES = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "", "line\nbreak", "木🌳")


def train_iris(db: psycopg.Connection, **arguments: object) -> None:
    """A model `iris_tree` of five nodes: 0 is split, 1 a leaf, 2 is split, 5 and 6 are leaves."""
    load_iris(db)
    arguments = {"max_depth": 2, **arguments}
    train(db, "iris", "iris_tree", "species", "sepal_length, sepal_width, petal_length, petal_width", **arguments)


def train_cars(db: psycopg.Connection, **arguments: object) -> None:
    """A regression `cars_tree` on 32 rows."""
    load_mtcars(db)
    train(db, "mtcars", "cars_tree", "mpg", "disp, hp, drat, wt, qsec", min_split=6, **arguments)


def train_places(db: psycopg.Connection) -> None:
    """A model `places` of one split by a hundred categories."""
    db.execute(
        "CREATE TABLE visits AS SELECT g AS id, 'place number ' || g % 100 AS place, g % 4 < 2 AS late "
        "FROM generate_series(1, 400) AS g"
    )
    train(db, "visits", "places", "late", "place", max_depth=1)


def write_random(
    db: psycopg.Connection,
    schema: str,
    name: str,
    depth: int,
    classes: tuple[str, ...] = ("no", "yes"),
    groups: int = 0,
    split_share: float = 1.0,
    seed: int = 1,
) -> None:
    """A model of random trees of that depth; whole ones, if every node above the last level is split."""
    rng = random.Random(seed)
    features = [X, Y, COLOUR]
    trees = [random_tree(rng, features, depth, THRESHOLDS, LEVELS, classes, split_share) for _ in range(max(groups, 1))]
    grouping = [Column("Group", '"Group"', "text")] if groups else []
    values = [[f"<g{number}>"] for number in range(groups)]
    write_model(db, schema, name, Sketch(features, trees, classes=classes, grouping=grouping, groups=values, levels={}))


def write_chain(db: psycopg.Connection, schema: str, name: str) -> None:
    """A model of one tree as deep as can be; every true branch is a leaf."""
    nodes = {}
    at = 0
    for _ in range(60):
        nodes[at] = inner(at, "x", 0.5, prediction="no", class_weights=(1.0, 1.0))
        nodes[2 * at + 1] = leaf(2 * at + 1, "no", (1, 0))
        at = 2 * at + 2
    nodes[at] = leaf(at, "yes", (0, 1))
    write_model(db, schema, name, Sketch([X], [nodes]))


def train_odd(db: psycopg.Connection) -> str:
    """A model whose every name and class is odd; returns its name as SQL."""
    table, model = '"T </script> ""x"""', '"M </script> <b>"'
    column = '"' + ODD.replace('"', '""') + '"'
    db.execute(f'CREATE TABLE {table} (id int, {column} text, "X<y" float8, "Out\'come" text)'.encode())
    insert = f"INSERT INTO {table} VALUES (%s, %s, %s, %s)".encode()
    rows = [(i, ODD_CLASSES[i % 5], (i * 37 % 101) / 101, ODD_CLASSES[i % 5 if i % 2 else 0]) for i in range(500)]
    db.cursor().executemany(insert, rows)
    train(db, table, model, '"Out\'come"', f'{column}, "X<y"')
    return model
