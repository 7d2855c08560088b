"""What the page says in figures is what the database says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from datasets import load_iris
from models import train_cars, train_iris, write_random
from training import train

from madtree.errors import MadtreeError


def bars(page: Any) -> dict[str, float]:
    names = page.locator("#importance .name").all_inner_texts()
    values = page.locator("#importance .value").all_inner_texts()
    return {name: float(value.removesuffix(" %")) for name, value in zip(names, values, strict=True)}


def tiles(page: Any) -> dict[str, str]:
    return dict(text.split("\n")[:2] for text in page.locator("#errors .tile").all_inner_texts())


def blocks(page: Any) -> dict[str, dict[str, str]]:
    """The tiles of each block of metrics, by its title; the second line of a value is left out."""
    return {
        block.locator("h3").inner_text(): dict(
            text.split("\n")[:2] for text in block.locator(".tile").all_inner_texts()
        )
        for block in page.locator("#errors .block").all()
    }


def test_importance_is_that_of_get_var_importance(db: psycopg.Connection, show: Any) -> None:
    train_cars(db)
    db.execute("SELECT madtree.get_var_importance('cars_tree', 'importance')")
    expected = dict(db.execute("SELECT feature, impurity_var_importance FROM importance").fetchall())
    shown = bars(show("cars_tree"))
    assert shown == {name: pytest.approx(share, abs=0.05) for name, share in expected.items() if share > 0}
    assert list(shown.values()) == sorted(shown.values(), reverse=True)


def test_importance_of_many_features_is_told_of_the_first(db: psycopg.Connection, show: Any) -> None:
    columns = ", ".join(f"sin(i * {n + 1} * 0.37) AS f{n}" for n in range(120))
    total = " + ".join(f"f{n}" for n in range(120))
    rows = f"SELECT i AS id, {columns} FROM generate_series(1, 1200) AS i"
    db.execute(f"CREATE TABLE t AS SELECT *, {total} AS y FROM ({rows}) AS s".encode())
    train(db, "t", "many", "y", "*", max_depth=10, min_split=6)
    page = show("many")
    used = db.execute("SELECT count(*) FROM many, unnest(impurity_var_importance) AS i WHERE i > 0").fetchone()[0]
    assert used > 40
    assert len(bars(page)) == 40
    assert f"and {used - 40} more features with less" in page.inner_text("#importance")


def test_the_cp_curve_has_its_points_and_the_1_se_line(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, pruning_params="n_folds=8")
    rows = db.execute("SELECT cp, n_splits, xerror, xstd, chosen FROM cars_tree_cv ORDER BY cp DESC").fetchall()
    page = show("cars_tree")
    assert page.locator("#cp circle").count() == len(rows) > 3
    _, _, least, spread, _ = min(rows, key=lambda row: row[2])
    assert f"1 SE: {float(f'{least + spread:.3g}'):g}" in page.inner_text("#cp")
    heights = page.eval_on_selector_all("#cp circle", "all => all.map(each => Number(each.getAttribute('cy')))")
    line = float(page.get_attribute("#cp .limit", "y1"))
    below = [row[2] < least + spread for row in rows]
    assert [height > line for height in heights] == below  # downwards
    chosen = next(row for row in rows if row[4])
    assert page.locator("#cp .chosen title").text_content().startswith(f"cp {chosen[0]:.6g}: {chosen[1] + 1} leaves")
    page.click("#cp-section summary")
    assert page.locator("#cp-table tbody tr").count() == len(rows)


def test_each_group_has_its_own_cp_curve(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, grouping_cols="am", pruning_params="n_folds=4")
    page = show("cars_tree")
    for number, group in enumerate(("0", "1")):
        page.select_option("#picker", index=number)
        (points,) = db.execute("SELECT count(*) FROM cars_tree_cv WHERE am = %s", [group]).fetchone()
        assert page.locator("#cp circle").count() == points


def test_a_long_flat_curve_starts_where_it_matters(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, pruning_params="n_folds=2")
    db.execute("DELETE FROM cars_tree_cv")
    db.execute(
        "INSERT INTO cars_tree_cv (cp, n_splits, rel_error, cv_error_avg, cv_error_stddev, xerror, xstd, chosen) "
        "SELECT 1.0 / (i + 1)::float8 ^ 3, i, 0.1, 2.5, 0.25, 0.2 + 0.8 / (i + 1)::float8 ^ 4, 0.002, i = 8 "
        "FROM generate_series(0, 59) AS i"
    )
    page = show("cars_tree")
    first = 3  # 0.8 / 4^4 is the first below three standard errors
    assert page.locator("#cp circle").count() == 60 - first
    assert "Left out: the 3 smallest trees, of 1 to 3 leaves and errors from 1 to 0.21." in page.inner_text("#cp")
    assert page.locator("#cp .chosen").count() == 1
    heights = page.eval_on_selector_all("#cp circle", "all => all.map(each => Number(each.getAttribute('cy')))")
    assert max(heights) - min(heights) > 40
    page.get_by_role("button", name="From the root").click()
    assert page.locator("#cp circle").count() == 60
    page.get_by_role("button", name="From where it matters").click()
    assert page.locator("#cp circle").count() == 60 - first


def test_metrics_say_that_they_are_of_the_training_rows(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    for arguments in ({}, {"data": "iris"}):
        page = show("iris_tree", **arguments)
        assert blocks(page)["On the training rows"]["accuracy"] == "96%"
        said = page.inner_text("#errors")
        assert "on the very rows that the model was trained on" in said
        assert "madtree report iris_tree --data TABLE" in said
        assert "Confusion matrix on the training rows" in said
        assert "rows now" not in said
    db.execute("DELETE FROM iris WHERE id > 140")
    changed = "The table has 140 rows now; it had 150 when the model was trained."
    assert changed in show("iris_tree").inner_text("#errors")


def test_the_cross_validated_error_stands_beside(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, pruning_params="n_folds=4")
    rmse, spread, xerror, xstd = db.execute(
        "SELECT cv_error_avg, cv_error_stddev, xerror, xstd FROM cars_tree_cv WHERE chosen"
    ).fetchone()
    page = show("cars_tree")
    found = blocks(page)
    assert list(found) == ["On the training rows", "In cross-validation"]
    shown = {name: float(value) for name, value in found["In cross-validation"].items()}
    assert shown == pytest.approx({"RMSE": rmse, "R²": 1 - xerror, "error relative to the root's": xerror}, rel=2e-3)
    said = page.inner_text("#errors")
    assert f"± {float(f'{spread:.3g}'):g} between folds" in said
    assert f"± {float(f'{xstd:.3g}'):g} standard error" in said
    assert "4 folds: each row is held out once" in said
    db.execute("DROP TABLE mtcars")  # what cross-validation said is still known
    assert list(blocks(show("cars_tree"))) == ["In cross-validation"]


def test_each_group_has_its_own_metrics(db: psycopg.Connection, show: Any) -> None:
    load_iris(db)
    db.execute("ALTER TABLE iris ADD odd bool; UPDATE iris SET odd = id % 2 = 1")
    train(db, "iris", "m", "species", "petal_length, petal_width", grouping_cols="odd", pruning_params="n_folds=3")
    page = show("m")
    for number, group in enumerate(("false", "true")):
        page.select_option("#picker", index=number)
        (error,) = db.execute("SELECT cv_error_avg FROM m_cv WHERE chosen AND odd = %s", [group]).fetchone()
        found = blocks(page)
        assert list(found) == [
            "On the training rows, all trees together",
            f"On the training rows, odd = {group}",
            f"In cross-validation, odd = {group}",
        ]
        assert float(found[f"In cross-validation, odd = {group}"]["accuracy"].removesuffix("%")) == pytest.approx(
            100 * (1 - error), abs=0.051
        )
        assert [found[title]["rows"] for title in list(found)[:2]] == ["150", "75"]


def test_without_cross_validation_there_is_no_cp_curve(show_iris: Any) -> None:
    assert show_iris().locator("#cp-section").is_hidden()


def test_the_confusion_matrix_is_that_of_tree_confusion(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    expected = db.execute("SELECT n FROM madtree.tree_confusion('iris_tree', 'iris')").fetchall()
    page = show("iris_tree")
    assert page.locator(".matrix tbody td").all_inner_texts() == [str(n) for (n,) in expected]
    metrics = dict(db.execute("SELECT metric, value FROM madtree.tree_evaluate('iris_tree', 'iris')").fetchall())
    shown = tiles(page)
    assert shown["accuracy"] == f"{metrics['accuracy']:.1%}".replace(".0%", "%")
    assert float(shown["log loss"]) == pytest.approx(metrics["log_loss"], rel=1e-3)


def test_the_path_of_a_row_is_marked_and_its_leaf_selected(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    steps = "SELECT node_id::text FROM tree_path('iris_tree', 'iris', %s)"
    for row in (7, 120):
        path = [node for (node,) in db.execute(steps, [str(row)]).fetchall()]
        page = show("iris_tree", row=row)
        marked = page.locator("#tree .node.on-path")
        assert [node.get_attribute("data-node") for node in marked.all()] == path
        assert page.locator("#tree .node.is-selected").get_attribute("data-node") == path[-1]
        assert page.locator("#tree .link.on-path").count() == len(path) - 1
        assert f"The path of the row {row} of iris is marked." in page.inner_text("main")
    assert show("iris_tree").locator(".on-path").count() == 0
    with pytest.raises(psycopg.errors.NoDataFound, match="no row has id = 99999"):
        show("iris_tree", row=99_999)


def test_a_row_opens_the_page_at_the_tree_of_its_group(db: psycopg.Connection, show: Any) -> None:
    train_cars(db, grouping_cols="am")
    (row,) = db.execute("SELECT id FROM mtcars JOIN cars_tree USING (am) WHERE tree_id = 2 LIMIT 1").fetchone()
    page = show("cars_tree", row=row)
    assert page.locator("#tree .on-path").count() > 0
    assert "am = 1" in page.locator("#picker option:checked").inner_text()
    with pytest.raises(MadtreeError, match="goes down tree 2, which is not on the page") as caught:
        show("cars_tree", row=row, trees=[1])
    assert "--tree 2" in str(caught.value.hint)


def is_at(page: Any, chart: str, expected: Sequence[tuple[float, float]]) -> None:
    """Whether a chart's points are at these places, of 0 to 1 either way."""
    dots = page.locator(f"{chart} .point").all()
    drawn = [(float(dot.get_attribute("cx")), float(dot.get_attribute("cy"))) for dot in dots]
    line = page.locator(f"{chart} .limit")
    x0, y0, x1, y1 = (float(line.get_attribute(name)) for name in ("x1", "y1", "x2", "y2"))
    assert min(y for _, y in drawn) == drawn[-1][1]  # the last point is the highest
    found = [number for x, y in drawn for number in ((x - x0) / (x1 - x0), (y - y0) / (y1 - y0))]
    assert found == pytest.approx([number for each in expected for number in each], abs=1e-3)


def test_curves_are_drawn_of_two_classes(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    assert show("iris_tree").locator("#errors .curve").count() == 0
    db.execute("CREATE TABLE two AS SELECT *, species = 'virginica' AS late FROM iris")
    train(db, "two", "two_tree", "late", "sepal_length, sepal_width", pruning_params="cp=-1", max_depth=4)
    points = db.execute("SELECT recall, share, false_positive_rate FROM tree_curve('two_tree', 'two')").fetchall()
    page = show("two_tree")
    headings = page.locator("#errors h3").all_inner_texts()
    assert {"ROC", "Lift", "Reliability"} <= set(headings)
    bins = db.execute("SELECT estimated, actual, share FROM tree_reliability('two_tree', 'two')").fetchall()
    place_of = '#errors [aria-label="Reliability curve"]'
    bars = [float(bar.get_attribute("height")) for bar in page.locator(f"{place_of} .rows").all()]
    most = max(row[2] for row in bins)
    assert [bar / max(bars) for bar in bars] == pytest.approx([row[2] / most for row in bins], abs=1e-3)
    is_at(page, place_of, [row[:2] for row in bins])
    assert "expected calibration error" in page.locator("#errors").inner_text()
    for label, across in (("ROC curve", 2), ("Lift curve", 1)):
        is_at(page, f'#errors [aria-label="{label}"]', [(row[across], row[0]) for row in points])
    db.execute("CREATE TABLE ones AS SELECT * FROM two WHERE late")
    assert show("two_tree", data="ones").locator("#errors .curve").count() == 0


def test_a_matrix_of_fifty_classes_is_a_map_with_the_worst_confusions(db: psycopg.Connection, show: Any) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT id, n / 20.0 AS x, 'c' || lpad((n / 20)::text, 2, '0') AS y "
        "FROM (SELECT i AS id, i * 7919 % 1000 AS n FROM generate_series(1, 3000) AS i) AS s"
    )
    db.execute("UPDATE t SET y = 'c07' WHERE y = 'c08' AND id % 3 = 0")
    train(db, "t", "fifty", "y", "x", max_depth=7, min_bucket=1, min_split=2)
    page = show("fifty")
    assert page.locator(".heat tbody tr").count() == 50
    assert page.locator(".heat tbody td").count() == 2500
    worst = page.locator("#errors h3 + table tbody tr").first.inner_text().split("\t")
    expected = db.execute(
        "SELECT actual, predicted, n FROM madtree.tree_confusion('fifty', 't') "
        "WHERE actual <> predicted ORDER BY n DESC LIMIT 1"
    ).fetchone()
    assert worst[:3] == [str(value) for value in expected]
    assert page.locator("#legend > span").count() == 8
    assert "43 other classes" in page.inner_text("#legend")


def test_a_class_that_the_model_has_not_seen_is_in_the_matrix(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    db.execute("CREATE TABLE later AS SELECT * FROM iris")
    db.execute("UPDATE later SET species = 'rosa' WHERE id % 50 = 1")
    page = show("iris_tree", data="later")
    assert blocks(page)["On the rows of later"]["rows"] == "150"
    assert "Measured on later; the model was trained on iris." in page.inner_text("#errors")
    rows = page.locator(".matrix tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["setosa", "versicolor", "virginica", "rosa"]
    assert sum(map(int, rows[3].split("\t")[1:])) == 3


def test_residuals_of_few_rows_are_points(db: psycopg.Connection, show: Any) -> None:
    train_cars(db)
    page = show("cars_tree")
    assert page.locator("#errors .dot").count() == 32
    (rmse,) = db.execute(
        "SELECT value FROM madtree.tree_evaluate('cars_tree', 'mtcars') WHERE metric = 'rmse'"
    ).fetchone()
    assert float(tiles(page)["RMSE"]) == pytest.approx(rmse, rel=1e-3)


def test_residuals_of_many_rows_are_boxes_of_quantiles(db: psycopg.Connection, show: Any) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i AS id, i % 4 AS x, (i % 4) * 10 + (i % 101) / 101.0::float8 AS y "
        "FROM generate_series(1, 4000) AS i"
    )
    db.execute("INSERT INTO t VALUES (5000, 1, 'NaN'), (5001, 1, NULL)")
    db.execute("CREATE VIEW fit AS SELECT * FROM t WHERE id < 5000")
    train(db, "fit", "steps", "y", "x")
    page = show("steps", data="fit")
    texts = page.locator("#errors .range title").all_text_contents()
    assert len(texts) == 4
    assert all("1,000 rows" in text for text in texts)
    assert re.search(r"predicted about 10\.5: .* middle half from -0\.2\d* to 0\.2\d*", texts[1])


@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_training_table_that_is_gone_is_a_note(db: psycopg.Connection, show: Any, in_transaction: bool) -> None:
    train_iris(db)
    db.execute("DROP TABLE iris")
    if in_transaction:
        db.execute("BEGIN")
    page = show("iris_tree")
    assert "relation" in page.inner_text("#errors .note")
    assert page.locator("[role=treeitem]").count() == 5
    assert db.execute("SELECT 1").fetchone() == (1,)
    db.rollback()


def test_a_training_table_that_lost_a_column_is_a_note(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    db.execute("ALTER TABLE iris DROP COLUMN petal_width")
    assert "lacks petal_width" in show("iris_tree").inner_text("#errors .note")


def test_large_groups_share_a_page(db: psycopg.Connection, schema: str, show: Any) -> None:
    write_random(db, schema, "m", depth=3, groups=20)
    page = show("m", evaluate=False)
    assert page.locator("#picker option").count() == 20
    assert page.locator("#errors-section").is_hidden()


def test_the_copied_sql_runs(db: psycopg.Connection, show: Any) -> None:
    train_iris(db)
    page = show("iris_tree", {"permissions": ["clipboard-read", "clipboard-write"]})
    copied = []
    for button in page.get_by_role("button", name="Copy").all():
        button.click()
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    predict, expression = copied
    assert db.execute(predict.encode()).fetchone()[0].startswith("tree_predict: 150 rows")
    (wrong,) = db.execute(
        f"SELECT count(*) FROM iris JOIN iris_tree_scored USING (id) WHERE estimated_species <> ({expression})".encode()
    ).fetchone()
    assert wrong == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_fill_their_room_and_their_words_are_apart(db: psycopg.Connection, show: Any, width: int) -> None:
    train_cars(db, pruning_params="n_folds=8", split_criterion="mse")
    page = show("cars_tree", {"viewport": {"width": width, "height": 844}})
    for place in ("#cp", "#errors"):
        drawn = page.eval_on_selector(f"{place} svg.chart", "(svg) => svg.viewBox.baseVal.width / svg.clientWidth")
        assert drawn == pytest.approx(1, abs=0.02), place
    words = page.eval_on_selector_all(
        "#cp svg text", "(all) => all.map((each) => [each.textContent, each.getBoundingClientRect().toJSON()])"
    )
    for i, (first, one) in enumerate(words):
        for second, other in words[:i]:
            beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            below = one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1
            assert beside or below, (first, second)


def test_the_details_are_as_tall_as_the_drawing(show_iris: Any) -> None:
    page = show_iris()
    tree, details = page.locator("#tree").bounding_box(), page.locator("#details").bounding_box()
    assert details["height"] == pytest.approx(tree["height"], abs=1)
