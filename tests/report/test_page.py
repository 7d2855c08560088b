"""The page as a file: what it may load, what it holds, and how large it gets."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psycopg
import pytest
from models import ODD_CLASSES, train_cars, train_iris, train_odd, train_places, write_chain, write_random
from psycopg.rows import dict_row
from psycopg_host import PsycopgHost

from madtree.errors import MadtreeError
from madtree.host.psycopg import as_host
from madtree.model import find_to_use
from madtree.report import build, build_report, figures, trees
from madtree.report.trees import Limits, choose_trees


class Parts(HTMLParser):
    """Tags with their attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[tuple[str, str]] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.inline.append((self._inside, data))
            self._inside = None


def test_nothing_is_loaded_and_the_policy_names_what_runs(db: psycopg.Connection) -> None:
    train_iris(db)
    parts = Parts(build_report(db, "iris_tree"))
    for tag, attributes in parts.tags:
        assert "src" not in attributes
        assert attributes.get("href", "#")[0] == "#" or (tag, attributes["href"]) == ("link", "data:,")
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
    policy = next(a["content"] for t, a in parts.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    (data, library, script), (style,) = (
        [text for kind, text in parts.inline if kind == k] for k in ("script", "style")
    )
    for text in (library, script, style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "url(" not in style
    assert "@import" not in style
    assert json.loads(data)["classes"] == ["setosa", "versicolor", "virginica"]


def test_odd_names_end_no_script(db: psycopg.Connection) -> None:
    parts = Parts(build_report(db, train_odd(db)))
    assert [tag for tag, _ in parts.tags].count("script") == 3
    assert "img" not in [tag for tag, _ in parts.tags]
    classes = json.loads(next(text for kind, text in parts.inline if kind == "script"))["classes"]
    assert ODD_CLASSES[0] in classes
    assert ODD_CLASSES[1] in classes


def test_the_licence_of_the_library_is_in_the_package() -> None:
    import madtree.report

    vendor = Path(madtree.report.__file__).parent / "static" / "vendor"
    assert "Copyright 2010-2026 Mike Bostock" in (vendor / "LICENSE-d3").read_text()
    assert "d3js.org v7" in (vendor / "d3.min.js").read_text()[:40]


def test_thousands_of_groups_do_not_blow_the_page(db: psycopg.Connection, schema: str) -> None:
    write_random(db, schema, "m", depth=2, groups=1_200)
    text = build_report(db, "m", evaluate=False)
    assert "200 of 1,200 trees are on this page" in text
    assert len(text) < 1_500_000
    assert "tree_sql" in text


def test_trees_are_chosen_by_rows_or_by_the_caller(db: psycopg.Connection, schema: str) -> None:
    write_random(db, schema, "m", depth=2, groups=5)
    db.execute("UPDATE m SET n_rows = 1000 * tree_id")
    assert ids(db, "m", max_trees=2) == [4, 3]
    assert ids(db, "m", trees=[1, 2]) == [2, 1]
    with pytest.raises(MadtreeError, match="trees must be some of m's trees, 0 to 4, not 9, 11") as caught:
        build_report(db, "m", trees=[9, 1, 11])
    assert caught.value.hint == "m says by its column tree_id which tree is of which group."
    with pytest.raises(MadtreeError, match="trees must be some of m's trees, 0 to 4, not none"):
        build_report(db, "m", trees=[])


def ids(db: psycopg.Connection, model: str, **arguments: object) -> list[int]:
    parts = Parts(build_report(db, model, evaluate=False, **arguments))  # type: ignore[arg-type]
    return [tree["id"] for tree in json.loads(parts.inline[1][1])["trees"]]


def test_a_tree_with_too_many_nodes_is_cut_at_a_depth(db: psycopg.Connection, schema: str) -> None:
    write_random(db, schema, "m", depth=8, groups=2)
    host = PsycopgHost(db)
    opened = find_to_use(host, "m", False)
    choice = choose_trees(opened, None, Limits(nodes=100))
    assert (choice.cut, choice.full_at) == (5, 100)
    assert [len(tree.nodes) for tree in choice.model.trees] == [63]
    both = choose_trees(opened, None, Limits(nodes=1022))
    assert (both.cut, both.full_at) == (None, None)
    assert [len(tree.nodes) for tree in both.model.trees] == [511, 511]


def test_the_page_names_the_limit_that_keeps_trees_and_nodes_away(
    db: psycopg.Connection, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_random(db, schema, "m", depth=6, groups=3)
    room = "A page has room for {} nodes of all its trees together."
    assert "A page has room" not in build_report(db, "m", evaluate=False)
    monkeypatch.setattr(build, "Limits", partial(Limits, nodes=300))
    page = build_report(db, "m", evaluate=False)
    assert "2 of 3 trees are on this page" in page
    assert room.format(300) in page
    assert "A page has room" not in build_report(db, "m", evaluate=False, max_trees=2)
    monkeypatch.setattr(build, "Limits", partial(Limits, nodes=100))
    page = build_report(db, "m", evaluate=False)
    assert "The tree has 127 nodes; this page has those down to depth 5." in page
    assert room.format(100) in page


def test_residuals_that_are_left_out_are_told_with_the_limit(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_cars(db)
    assert "No residuals" not in build_report(db, "cars_tree")
    monkeypatch.setattr(figures, "MAX_LEAVES", 2)
    assert "too large for one expression; 200 trees and 2 leaves are the most." in build_report(db, "cars_tree")


def test_lists_of_categories_that_are_cut_are_there_whole_for_tooltips(
    db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_places(db)
    nodes = nodes_of(build_report(db, "places"))
    test, whole = nodes["test"][0], nodes["whole"][0]
    assert test.endswith(" more}")
    assert len(test) < 200
    assert whole.startswith(test[:100])
    assert whole.count("place number") == 50
    assert nodes["whole"][1:] == [None, None]
    # Of a page with many nodes they are cut, too; where nothing is cut, there is nothing more.
    monkeypatch.setattr(trees, "TOOLTIPS_LENGTH", 900)
    shorter = nodes_of(build_report(db, "places"))["whole"][0]
    assert len(test) < len(shorter) < 330
    assert shorter.endswith(" more}")
    monkeypatch.setattr(trees, "TOOLTIPS_LENGTH", 100)
    assert "whole" not in nodes_of(build_report(db, "places"))


def nodes_of(page: str) -> dict[str, list[Any]]:
    (tree,) = json.loads(Parts(page).inline[1][1])["trees"]
    nodes: dict[str, list[Any]] = tree["nodes"]
    return nodes


def test_numbers_of_deep_nodes_keep_all_their_digits(db: psycopg.Connection, schema: str) -> None:
    write_chain(db, schema, "m")
    parts = Parts(build_report(db, "m", evaluate=False))
    (tree,) = json.loads(parts.inline[1][1])["trees"]
    assert tree["nodes"]["id"][-2:] == ["2305843009213693949", "2305843009213693950"]
    assert tree["nodes"]["parent"][-2:] == [118, 118]


def test_an_ordinary_user_may_report_in_a_read_only_transaction(
    db: psycopg.Connection, user_db: psycopg.Connection
) -> None:
    train_iris(db)
    for table in ("iris", "iris_tree", "iris_tree_nodes", "iris_tree_summary"):
        db.execute(f"GRANT SELECT ON {table} TO PUBLIC".encode())
    user_db.execute("SET search_path = ''")
    (schema,) = db.execute("SELECT current_schema").fetchone()
    db.execute(f"UPDATE iris_tree_summary SET source_table = '{schema}.iris'".encode())
    user_db.execute("BEGIN READ ONLY")
    text = build_report(user_db, f"{schema}.iris_tree")
    user_db.execute("ROLLBACK")
    assert '"confusion":[[0,0,50]' in text


def test_a_row_factory_of_the_callers_is_kept(db: psycopg.Connection) -> None:
    train_iris(db)
    db.row_factory = dict_row
    assert "<h1>iris_tree</h1>" in build_report(db, "iris_tree")


def test_mistakes_are_told(db: psycopg.Connection) -> None:
    train_iris(db)
    with pytest.raises(MadtreeError, match="nosuch"):
        build_report(db, "nosuch")
    with pytest.raises(MadtreeError, match="iris is not a madtree model"):
        build_report(db, "iris")
    with pytest.raises(ValueError, match="max_trees must be 1 or more, not 0"):
        build_report(db, "iris_tree", max_trees=0)
    with pytest.raises(MadtreeError, match="nodata"):
        build_report(db, "iris_tree", data="nodata")
    db.execute("CREATE TABLE other (id int)")
    with pytest.raises(psycopg.errors.UndefinedColumn, match=r"test_table: other lacks .*, which the model needs"):
        build_report(db, "iris_tree", data="other")
    with pytest.raises(TypeError, match="connection must be a psycopg connection or a madtree client, not str"):
        as_host("postgresql:///")


def test_a_host_and_what_holds_one_will_do(db: psycopg.Connection) -> None:
    train_iris(db)

    class Client:
        host = PsycopgHost(db)

    for given in (Client(), Client.host):
        assert "<h1>iris_tree</h1>" in build_report(given, "iris_tree")
