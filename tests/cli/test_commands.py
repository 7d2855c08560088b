"""The commands that make, use and drop models; each is checked against the extension's own functions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psycopg
import pytest
from terminal import Said, run

Command = Callable[..., Said]
Answer = Callable[..., Any]


def one(db: psycopg.Connection, statement: str, *parameters: Any) -> Any:
    row = db.execute(statement, parameters).fetchone()
    assert row
    return row[0]


def all_tables(db: psycopg.Connection) -> list[str]:
    statement = (
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND relkind = 'r'"
    )
    return sorted(name for (name,) in db.execute(statement).fetchall())


def test_training_says_the_servers_line(madtree: Command, points: str, schema: str, db: psycopg.Connection) -> None:
    said = madtree("train", points, f"{schema}.m", "--id", "id", "-y", "late", "-x", "hour", "--max-depth", "1")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{schema}.m: classification, 400 rows, 1 tree, 2 leaves, ")
    assert one(db, "SELECT max_depth FROM m_summary") == 1


def test_training_in_json(answer: Answer, points: str, schema: str) -> None:
    told = answer("train", points, f"{schema}.m", "--id", "id", "-y", "speed", "-x", "hour, carrier")
    assert {name: told[name] for name in ("model", "kind", "rows", "trees")} == {
        "model": f"{schema}.m",
        "kind": "regression",
        "rows": 400,
        "trees": 1,
    }
    assert told["leaves"] >= 2
    assert told["seconds"] >= 0


def test_a_single_leaf_is_counted_too(answer: Answer, points: str, schema: str) -> None:
    told = answer("train", points, f'{schema}."m: x, 3 rows"', "--id", "id", "-y", "late", "--max-depth", "0")
    assert (told["rows"], told["trees"], told["leaves"]) == (400, 1, 1)


def test_every_option_of_training_arrives(madtree: Command, points: str, schema: str, db: psycopg.Connection) -> None:
    db.execute("ALTER TABLE points ADD w float8 DEFAULT 2, ADD fold int DEFAULT 1")
    db.execute("UPDATE points SET fold = id % 4")
    options = (
        "--exclude day --exclude speed,fold --group-by carrier --weights w --criterion entropy --max-depth 7 "
        "--min-split 9 --min-bucket 4 --bins 50 --max-surrogates 2 --surrogate-style 1 --null-as-category --cp 0.01 "
        "--rule 1se --fold-column fold --seed 7 --replace --memory-mb 32 --max-leaf-nodes 5 "
        "--min-impurity-decrease 0.01 --class-params class_weight=balanced --feature-costs hour=2 --max-competitors 1"
    )
    said = madtree("train", points, f"{schema}.m", "--id", "id", "-y", "late", *options.split())
    assert said.code == 0, said.err
    with db.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        summary = cursor.execute("SELECT * FROM m_summary").fetchone()
    assert summary
    wanted = {
        "features": ["hour"],
        "grouping_columns": ["carrier"],
        "weights": "w",
        "split_criterion": "entropy",
        "max_depth": 7,
        "min_split": 9,
        "min_bucket": 4,
        "n_bins": 50,
        "max_surrogates": 2,
        "surrogate_style": 1,
        "null_as_category": True,
        "input_cp": 0.01,
        "rule": "1se",
        "fold_col": "fold",
        "seed": 7,
        "max_leaf_nodes": 5,
        "min_impurity_decrease": 0.01,
        "class_params": "class_weight=balanced",
        "feature_costs": "hour=2",
        "max_competitors": 1,
    }
    assert {name: summary[name] for name in wanted} == wanted


def test_verbose_prints_the_servers_lines_to_stderr(madtree: Command, points: str, schema: str) -> None:
    words = ["train", points, f"{schema}.m", "--id", "id", "-y", "late", "-x", "hour", "--max-depth", "3"]
    said = madtree(*words, "--verbose")
    assert said.err.startswith("level 0: 1 frontier node, 400 rows in play, ")
    assert said.out.count("\n") == 1
    assert madtree(*words, "--replace").err == ""


def test_a_notice_of_the_server_is_passed_on(
    madtree: Command, points: str, schema: str, db: psycopg.Connection
) -> None:
    db.execute("ALTER TABLE points ADD place point")
    said = madtree("train", points, f"{schema}.m", "--id", "id", "-y", "late")
    assert said.code == 0
    assert said.err.startswith("notice: ")
    assert "place" in said.err


def test_an_error_is_the_servers_sentence_and_hint(madtree: Command, model: str, points: str) -> None:
    said = madtree("train", points, model, "--id", "id", "-y", "late")
    assert (said.code, said.out) == (1, "")
    error, hint = said.err.splitlines()
    assert error.startswith("error: model: ")
    assert hint.startswith("hint: Choose another name")


def test_predictions_are_those_of_the_extension(
    answer: Answer, model: str, points: str, schema: str, db: psycopg.Connection
) -> None:
    told = answer("predict", model, points, f"{schema}.scored", "--type", "prob")
    assert told["output"] == f"{schema}.scored"
    db.execute("SELECT madtree.tree_predict('m', 'points', 'expected', 'prob')")
    assert one(db, "SELECT count(*) FROM (TABLE scored EXCEPT TABLE expected) AS d") == 0
    assert one(db, "SELECT count(*) FROM scored") == 400


@pytest.mark.parametrize("verbose", [False, True])
def test_a_model_is_shown_as_tree_display_shows_it(
    madtree: Command, grouped: str, db: psycopg.Connection, verbose: bool
) -> None:
    said = madtree("show", grouped, *(["--verbose"] if verbose else []))
    assert said.out.rstrip("\n") == one(db, "SELECT madtree.tree_display('g', false, %s)", verbose).rstrip("\n")
    assert "Ünï" in said.out


def test_one_group_is_shown_by_its_value_or_number(madtree: Command, grouped: str, db: psycopg.Connection) -> None:
    by_name, by_value = madtree("show", grouped, "--group", "carrier=Ünï"), madtree("show", grouped, "--group", "Ünï")
    number = one(db, "SELECT tree_id FROM g WHERE carrier = 'Ünï'")
    assert by_name.out == by_value.out == madtree("show", grouped, "--tree", str(number)).out
    assert by_name.out != madtree("show", grouped, "--group", "UA").out
    said = madtree("show", grouped, "--group", "carrier=XX")
    assert said.code == 1
    assert "has no tree of the group XX" in said.err
    assert "B6, UA, Ünï" in said.err


def test_a_group_of_a_model_without_groups(madtree: Command, model: str) -> None:
    said = madtree("show", model, "--group", "carrier=UA")
    assert said.code == 2
    assert "is not grouped" in said.err


def test_surrogates_are_shown_or_missed(madtree: Command, grouped: str, model: str, db: psycopg.Connection) -> None:
    shown = madtree("show", grouped, "--surrogates").out
    assert shown.rstrip("\n") == one(db, "SELECT madtree.tree_surr_display('g')").rstrip("\n")
    said = madtree("show", model, "--surrogates")
    assert (said.code, said.out) == (1, "")
    assert "Train it with --max-surrogates" in said.err


def test_a_picture_is_well_formed_and_a_graph_is_the_extensions(
    madtree: Command, model: str, tmp_path: Path, db: psycopg.Connection
) -> None:
    picture = madtree("show", model, "--svg").out
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert madtree("export", model, "-f", "svg").out == picture
    said = madtree("export", model, "--format", "dot", "-o", str(tmp_path / "m.dot"))
    assert (said.code, said.out) == (0, "")
    assert (tmp_path / "m.dot").read_text().strip() == one(db, "SELECT madtree.tree_display('m')").strip()


def test_rules_are_those_of_the_extension(madtree: Command, grouped: str, db: psycopg.Connection) -> None:
    lines = madtree("show", grouped, "--rules").out.splitlines()
    rules = db.execute("SELECT rule, prediction, n_rows FROM madtree.tree_rules('g')").fetchall()
    shown = [line for line in lines if "  -->  " in line]
    assert len(shown) == len(rules) == len(lines) - 3
    for line, (rule, prediction, n_rows) in zip(shown, rules, strict=True):
        assert line.startswith(f"{rule}  -->  {prediction}  ({n_rows} row")
    one_group = madtree("show", grouped, "--rules", "--group", "Ünï").out.splitlines()
    begin = lines.index("carrier = Ünï")
    assert one_group == lines[begin : begin + len(one_group)]


def test_rules_of_a_regression_tell_the_spread(
    madtree: Command, points: str, schema: str, db: psycopg.Connection
) -> None:
    madtree("train", points, f"{schema}.r", "--id", "id", "-y", "speed", "-x", "hour", "--max-depth", "0")
    (line,) = madtree("show", f"{schema}.r", "--rules").out.splitlines()
    mean, sd = db.execute("SELECT avg(speed), stddev_pop(speed) FROM points").fetchone() or ()
    assert line == f"all rows  -->  {float(mean):.6g}  (400 rows, standard deviation {float(sd):.6g})"


@pytest.mark.parametrize(("format_", "function"), [("json", "tree_to_json"), ("pmml", "tree_to_pmml")])
def test_documents_are_those_of_the_extension(
    madtree: Command, grouped: str, db: psycopg.Connection, format_: str, function: str
) -> None:
    said = madtree("export", grouped, "-f", format_)
    assert said.out.strip() == one(db, f"SELECT madtree.{function}(%s)::text", grouped).strip()
    tree, group = db.execute(f"SELECT tree_id, carrier FROM {grouped} ORDER BY tree_id DESC LIMIT 1").fetchone() or ()
    expected = one(db, f"SELECT madtree.{function}(%s, {tree})::text", grouped).strip()
    for asked in (["--tree", str(tree)], ["--group", f"carrier={group}"]):
        assert madtree("export", grouped, "-f", format_, *asked).out.strip() == expected


def test_two_kinds_of_drawing_at_once(madtree: Command, model: str) -> None:
    said = madtree("show", model, "--svg", "--dot")
    assert (said.code, said.out) == (2, "")
    assert "choose one of" in said.err


def test_exported_sql_scores(madtree: Command, model: str, db: psycopg.Connection) -> None:
    expression = madtree("export", model, "--format", "sql", "--type", "leaf").out
    leaves = db.execute(f"SELECT DISTINCT {expression} FROM points ORDER BY 1").fetchall()
    assert leaves == db.execute("SELECT node_id FROM m_nodes WHERE is_leaf ORDER BY 1").fetchall()


def test_a_file_that_cannot_be_written(madtree: Command, model: str, tmp_path: Path) -> None:
    said = madtree("export", model, "-f", "svg", "-o", str(tmp_path / "nowhere" / "m.svg"))
    assert said.code == 1
    assert "cannot be written: No such file or directory" in said.err
    assert list(tmp_path.iterdir()) == []


def test_evaluation(madtree: Command, answer: Answer, model: str, points: str, db: psycopg.Connection) -> None:
    db.execute("CREATE TABLE unseen AS TABLE points")  # of the training table it would say that it is that
    points = points.replace("points", "unseen")
    told = {row["metric"]: row["value"] for row in answer("evaluate", model, points)}
    assert told == dict(db.execute("SELECT metric, value FROM madtree.tree_evaluate('m', 'unseen')").fetchall())
    assert "accuracy" in told
    assert "rmse" not in told  # that is a regression's
    shown = [line.split()[-2:] for line in madtree("evaluate", model, points).out.splitlines()]
    assert ["accuracy", f"{told['accuracy']:.6g}"] in shown
    cells = answer("evaluate", model, points, "--confusion")
    assert sum(cell["n"] for cell in cells) == 400
    curve = answer("evaluate", model, points, "--curve", "--points", "3", "--class", cells[0]["actual"])
    assert sum(point["n"] for point in curve) == 400
    assert len(curve) <= 3
    for words, said in (
        (["--curve", "--confusion"], "choose one of"),
        (["--points", "3"], "--points is for --curve"),
        (["--class", "a"], "is for --curve and"),
        (["--bins", "3"], "--bins is for"),
    ):
        refused = madtree("evaluate", model, points, *words)
        assert (refused.code, said in refused.err) == (2, True)


def test_importance_is_sorted_and_leaves_no_table(answer: Answer, grouped: str, db: psycopg.Connection) -> None:
    before = all_tables(db)
    told = answer("importance", grouped)
    for carrier in ("UA", "B6", "Ünï"):
        measures = [row["impurity_var_importance"] for row in told if row["group_values"]["carrier"] == carrier]
        assert len(measures) == 3
        assert measures == sorted(measures, reverse=True)
        assert sum(measures) == pytest.approx(100)
    assert all_tables(db) == before
    db.execute("SELECT madtree.get_var_importance('g', 'written')")
    names = ("feature", "impurity_var_importance", "raw_importance")
    written = db.execute(f"SELECT carrier, {', '.join(names)} FROM written").fetchall()  # type: ignore[arg-type]
    shown = [(row["group_values"]["carrier"], *(row[name] for name in names)) for row in told]
    assert sorted(map(tuple, written)) == sorted(shown)


def test_groups_are_written_as_they_are_asked_for(
    madtree: Command, db: psycopg.Connection, schema: str, points: str
) -> None:
    db.execute("CREATE TYPE mood AS ENUM ('sad', 'Very happy')")
    db.execute(
        "CREATE VIEW felt AS SELECT *, id % 3 = 0 AS third, 2024 AS year, "
        "CASE WHEN id % 2 = 0 THEN 'sad' ELSE 'Very happy' END::mood AS mood FROM points"
    )
    db.execute("SELECT madtree.tree_train('felt', 'm', 'id', 'late', 'hour', grouping_cols => 'mood, third, year')")
    for words in (["importance", f"{schema}.m"], ["evaluate", f"{schema}.m", f"{schema}.felt"]):
        out = madtree(*words).out
        assert "mood=Very happy" in out
        assert "third=true" in out
        assert "year=2024" in out
    asked = madtree(
        "show", f"{schema}.m", "--group", "mood=Very happy", "--group", "third=true", "--group", "year=2024"
    )
    assert asked.code == 0


def test_the_cp_table_is_that_of_tree_cp(
    madtree: Command, answer: Answer, grouped: str, db: psycopg.Connection
) -> None:
    told = answer("cp", grouped)
    names = ("tree_id", "group_values", "cp", "n_splits", "rel_error", "chosen", "root_error")
    written = db.execute(f"SELECT {', '.join(names)} FROM madtree.tree_cp('g')").fetchall()
    assert [tuple(row[name] for name in names) for row in told] == [tuple(row) for row in written]
    assert {row["group_values"]["carrier"] for row in told} == {"UA", "B6", "Ünï"}
    shown = madtree("cp", grouped).out.splitlines()
    assert shown[0].split()[-1] == "root_error"
    assert "xerror" not in shown[0]  # it was trained without cross-validation


def test_pruning_makes_a_new_model(answer: Answer, model: str, schema: str, db: psycopg.Connection) -> None:
    told = answer("prune", model, f"{schema}.small", "--cp", "1")
    assert told["pruned_from"] == model
    assert one(db, "SELECT n_leaves FROM small") == 1
    assert one(db, "SELECT n_leaves FROM m") > 1


def test_dropping_drops_all_or_none(madtree: Command, model: str, grouped: str, db: psycopg.Connection) -> None:
    before = all_tables(db)
    said = madtree("drop", model, f"{model}_that_is_not_there", grouped)
    assert said.code == 1
    assert "does not exist" in said.err
    assert all_tables(db) == before
    assert madtree("drop", model, grouped).code == 0
    assert all_tables(db) == ["points"]


def test_models_are_listed(
    answer: Answer, madtree: Command, model: str, grouped: str, schema: str, db: psycopg.Connection
) -> None:
    told = {row["model"]: row for row in answer("models") if row["schema"] == schema}
    assert list(told) == [grouped, model]
    m = told[model]
    assert (m["kind"], m["dependent"], m["n_rows"], m["n_trees"]) == ("classification", "late", 400, 1)
    assert (m["depth"], m["n_leaves"]) == db.execute("SELECT tree_depth, n_leaves FROM m").fetchone()
    assert told[grouped]["n_leaves"] == one(db, "SELECT sum(n_leaves) FROM g")
    assert m["parameters"]["max_depth"] == 3
    assert told[grouped]["n_trees"] == 3
    assert madtree("models", PGDATESTYLE="German", PGOPTIONS="-c intervalstyle=iso_8601").err == ""
    shown = madtree("models").out.splitlines()
    assert shown[0].split() == [
        "model",
        "kind",
        "dependent",
        "n_rows",
        "n_trees",
        "depth",
        "n_leaves",
        "version",
        "age",
    ]
    assert any(line.split()[:2] == [grouped, "classification"] for line in shown)


def test_models_of_others_are_not_listed(
    answer: Answer, model: str, schema: str, dsn: str, db: psycopg.Connection, ordinary_user: tuple[str, str]
) -> None:
    name, password = ordinary_user
    db.execute(f'GRANT USAGE ON SCHEMA {schema} TO "{name}"')
    login = psycopg.conninfo.make_conninfo(dsn, user=name, password=password)
    listed = json.loads(run("models", "--json", "--dsn", login).out)
    assert [row for row in listed if row["schema"] == schema] == []
    assert "no models" in run("models", "--dsn", login).err
    db.execute(f'GRANT SELECT ON m, m_nodes, m_summary TO "{name}"')
    assert [row["model"] for row in json.loads(run("models", "--json", "--dsn", login).out)] == [model]


def test_a_report_is_one_file(madtree: Command, model: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    said = madtree("report", model, "-o", str(page))
    assert (said.code, said.out) == (0, "")
    assert f"report of {model} written to {page}" in said.err
    assert page.read_text().lower().startswith("<!doctype html>")
    assert page.stat().st_mode & 0o777 == 0o666 & ~current_umask()
    assert madtree("report", model, "-o", str(page), "--tree", "99").err.startswith("error: --tree must be")


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_show_in_json_is_the_document_of_the_trees_asked_for(answer: Answer, grouped: str) -> None:
    whole = answer("show", grouped)
    assert whole["format"] == "madtree-tree"
    assert [tree["group"] for tree in whole["trees"]] == [["B6"], ["UA"], ["Ünï"]]
    assert answer("show", grouped, "--group", "carrier=UA")["trees"] == whole["trees"][1:2]
    rules = answer("show", grouped, "--rules", "--tree", "2")
    assert {rule["tree_id"] for rule in rules} == {2}
    assert {"rule", "predicate", "n_rows"} <= set(rules[0])


def test_the_server_may_stand_before_the_command(dsn: str, model: str) -> None:
    """As it does with git and kubectl; the command's own says more."""
    said = run("--dsn", dsn, "show", model)
    assert (said.code, said.err) == (0, "")
    assert run("--dsn", "host=/nonexistent", "show", model, "--dsn", dsn) == said
    assert run("--dsn", "host=/nonexistent", "show", model).code == 3
    for words, message in ((["status"], "madtree status takes no --dsn"), ([], "--dsn is there, but no command")):
        said = run("--dsn", dsn, *words)
        assert (said.code, said.out) == (2, "")
        assert message in said.err


def test_full_names_all_categories(db: psycopg.Connection, madtree: Command, answer: Answer, schema: str) -> None:
    db.execute("CREATE TABLE many AS SELECT i AS id, 'c' || i AS c, i % 2 = 0 AS y FROM generate_series(1, 300) AS i")
    answer("train", f"{schema}.many", f"{schema}.m", "--id", "id", "-y", "y", "-x", "c", "--max-depth", "1")
    for words in (["show"], ["show", "--dot"], ["show", "--rules"], ["export", "--format", "dot"]):
        short, full = (madtree(words[0], f"{schema}.m", *words[1:], *more).out for more in ([], ["--full"]))
        assert " more}" in short
        assert " more}" not in full
        assert full.count(",c") > 140
    assert "c300" in str(answer("show", f"{schema}.m", "--rules"))
    assert madtree("export", f"{schema}.m", "--format", "json", "--full").code == 2


def test_groups_without_a_tree_are_no_trees_in_json(
    answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    db.execute("UPDATE points SET late = NULL WHERE carrier = (SELECT min(carrier) FROM points)")
    told = answer("train", points, f"{schema}.m", "--id", "id", "-y", "late", "-x", "hour", "--group-by", "carrier")
    ((groups, failed),) = db.execute("SELECT num_all_groups, num_failed_groups FROM m_summary").fetchall()
    assert failed > 0
    assert told["trees"] == groups - failed


def test_show_draws_down_to_a_depth_and_into_a_file(madtree: Command, model: str, tmp_path: Path) -> None:
    assert "leaves below" in madtree("show", model, "--max-depth", "0").out
    target = tmp_path / "tree.svg"
    said = madtree("show", model, "--svg", "-o", str(target))
    assert target.read_text().startswith("<svg")
    assert "<svg" not in said.out


def test_explaining_a_table(madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('points', 'm', 'id', 'late', 'hour, carrier')")
    said = madtree("shap", f"{schema}.m", points, f"{schema}.why", "--layout", "long", "--top", "1")
    assert said.out.startswith(f"tree_shap: {points} explained with {schema}.m (prob of true) into {schema}.why, ")
    whole = "SELECT id::text, feature, contribution FROM why ORDER BY id"
    found = db.execute(whole).fetchall()
    db.execute("SELECT madtree.tree_shap('m', 'points', 'own', layout => 'long', top => 1)")
    assert found == db.execute(whole.replace("why", "own")).fetchall()
    again = madtree("shap", f"{schema}.m", points, f"{schema}.why", "--interactions", "--replace", "--json")
    assert json.loads(again.out)["output"] == f"{schema}.why"
    assert "had other columns and was made anew" in again.err
    assert db.execute('SELECT count("hour:carrier") FROM why').fetchone() == (len(found),)
    madtree("shap", f"{schema}.m", points, f"{schema}.new", "--interactions", "--background", points)
    ((expected, mean),) = db.execute('SELECT min(expected), avg(hour + carrier + "hour:carrier") FROM new').fetchall()
    assert 0 < expected < 1
    assert mean == pytest.approx(0, abs=1e-12)  # over the rows that they are held against


def test_what_is_predicted_by_a_features_values(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    db.execute("SELECT madtree.tree_train('points', 'm', 'id', 'late', 'hour, carrier')")
    found = answer("dependence", f"{schema}.m", points, "hour", "--grid-size", "3", "--accumulated")
    call = "madtree.partial_dependence('m', 'points', 'hour', grid_size => 3, accumulated => true)"
    wanted = db.execute(f"SELECT value, estimated, n FROM {call}").fetchall()  # type: ignore[arg-type]
    assert [(row["value"], row["estimated"], row["n"]) for row in found] == wanted
    lines = madtree("dependence", f"{schema}.m", points, "carrier").out.splitlines()
    assert lines[0].split()[:3] == ["class", "value", "estimated"]
    none = madtree("dependence", f"{schema}.m", points, "nothing")
    assert (none.code, "nothing is no feature of" in none.err) == (1, True)


def test_importance_on_a_table(
    madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection
) -> None:
    db.execute("SELECT madtree.tree_train('points', 'm', 'id', 'late', 'hour, carrier')")
    found = answer("importance", f"{schema}.m", "--data", points, "--features", "[hour, carrier], hour")
    call = "madtree.permutation_importance('m', 'points', '[hour, carrier], hour')"
    wanted = db.execute(f"SELECT features, importance FROM {call}").fetchall()  # type: ignore[arg-type]
    assert [(row["features"], row["importance"]) for row in found] == wanted
    alone = madtree("importance", f"{schema}.m", "--metric", "accuracy")
    assert (alone.code, "--metric is for --data" in alone.err) == (2, True)


def test_explaining_a_row(madtree: Command, answer: Answer, points: str, schema: str, db: psycopg.Connection) -> None:
    db.execute("SELECT madtree.tree_train('points', 'm', 'id', 'late', 'hour, carrier')")
    found = answer("explain", f"{schema}.m", points, "--id", "7")
    statement = "SELECT rank, feature, value, contribution, estimated FROM madtree.tree_explain('m', 'points', '7')"
    own = ("rank", "feature", "value", "contribution", "estimated")
    assert [tuple(row[name] for name in own) for row in found] == db.execute(statement).fetchall()
    lines = madtree("explain", f"{schema}.m", points, "--id", "7", "--top", "1").out.splitlines()
    strongest, others = f"{found[1]['feature']} = {found[1]['value']}", "1 other feature"
    assert [line.split("  ")[0] for line in lines] == ["class true", "expected", strongest, others, "prediction"]
    for more, total in (("", "raw score"), (", offsets => 'day'", "raw score without its offset")):
        db.execute(
            f"SELECT madtree.boost_train('points', 'b', 'id', 'late', 'hour', num_trees => 2, replace => true{more})"  # type: ignore[arg-type]
        )
        assert madtree("explain", f"{schema}.b", points, "--id", "7").out.splitlines()[-1].startswith(f"{total}  ")
    missing = madtree("explain", f"{schema}.m", points, "--id", "-1")
    assert (missing.code, missing.out) == (1, "")
    assert "no row has id = -1" in missing.err
