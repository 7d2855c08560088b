"""Feature lists, without a database: what `*` stands for, and what kinds there are."""

from __future__ import annotations

import pytest

from madtree.errors import MadtreeError
from madtree.request.catalog import SourceColumn, Type
from madtree.request.features import Item, kind_of, list_items
from madtree.trees import FeatureKind

COLUMNS = {
    name: SourceColumn(name, sql, 0, "")
    for name, sql in {"id": "id", "y": "y", "x": "x", "delay": "delay", "Mixed": '"Mixed"', "g": "g", "w": "w"}.items()
}
ID, Y, G = (
    Item(a, c, COLUMNS[c]) for a, c in (("id_col_name", "id"), ("dependent_variable", "y"), ("grouping_cols", "g"))
)


def listed(given: str, excluded: str | None = None, taken: tuple[Item, ...] = (ID, Y, G)) -> list[str]:
    return told_and_listed(given, excluded, taken)[1]


def told_and_listed(
    given: str, excluded: str | None = None, taken: tuple[Item, ...] = (ID, Y, G)
) -> tuple[list[str], list[str]]:
    told: list[str] = []
    return told, [item.text for item in list_items(told.append, COLUMNS, "data", given, excluded, taken)]


def refusal(given: str, excluded: str | None = None, taken: tuple[Item, ...] = (ID, Y, G)) -> str:
    with pytest.raises(MadtreeError) as caught:
        listed(given, excluded, taken)
    return caught.value.message


def test_a_star_is_every_column_that_has_no_other_part() -> None:
    assert listed("*") == ["x", "delay", '"Mixed"', "w"]


def test_a_star_leaves_out_exclusions() -> None:
    assert listed("*", ' "Mixed",X ') == ["delay", "w"]


def test_a_star_leaves_out_what_the_dependent_is_made_of() -> None:
    dependent = Item("dependent_variable", "(DELAY > 15) AND \"Mixed\" = 'w'", None)
    assert listed("*", taken=(ID, dependent)) == ["y", "x", "g", "w"]


def test_a_star_may_stand_among_expressions_and_repeats_nothing() -> None:
    assert listed("ln(x), w, *") == ["ln(x)", "w", "x", "delay", '"Mixed"']


def test_a_list_keeps_its_order_and_spelling_of_expressions() -> None:
    assert listed('W, "x",  ln(x) + 1 , "Mixed"') == ["w", "x", "ln(x) + 1", '"Mixed"']


def test_exclusions_also_thin_out_a_list() -> None:
    assert listed("x, w", "w") == ["x"]


@pytest.mark.parametrize(
    ("given", "words", "left"),
    [
        ("x, w, X", "x (listed twice)", ["x", "w"]),
        ('"x", x', "x (listed twice)", ["x"]),
        ("w, *, *", "* (listed twice)", ["w", "x", "delay", '"Mixed"']),
        ("ln(x), ln(x)", "ln(x) (listed twice)", ["ln(x)"]),
        ("x, y", "y (the dependent variable)", ["x"]),
        ("id, x", "id (the id)", ["x"]),
        ("G, id, x, w, x", "g (a grouping column), id (the id), w (the weights), x (listed twice)", ["x"]),
    ],
)
def test_what_cannot_be_a_feature_is_left_out_with_a_notice(given: str, words: str, left: list[str]) -> None:
    taken = (ID, Y, G, *([Item("weights", "w", COLUMNS["w"])] if "the weights" in words else []))
    assert told_and_listed(given, None, taken) == ([f"list_of_features: left out: {words}"], left)


def test_an_exclusion_that_does_not_exist_is_told() -> None:
    told, left = told_and_listed("*", "mixed, x")
    assert left == ["delay", '"Mixed"', "w"]
    assert told == [
        "list_of_features_to_exclude: column mixed does not exist in data, and excludes nothing. Did you mean "
        '"Mixed"? A name with capitals must be in double quotes.'
    ]


@pytest.mark.parametrize(
    ("given", "excluded", "words"),
    [
        ("id, y", None, "list_of_features: no feature is left of 'id, y' in data"),
        ("x, nope", None, "list_of_features: column nope does not exist in data"),
        ("x, data.x", None, "list_of_features: name the column without its table, not as data.x"),
        ("x,,w", None, "list_of_features has an empty item"),
        ("*", "ln(x)", "list_of_features_to_exclude: ln(x) is not the name of a column"),
        ("x", "x", "list_of_features: no feature is left of 'x' in data"),
        ("*", 'x, delay, "Mixed", w', "list_of_features: no feature is left of '*' in data"),
    ],
)
def test_a_mistake_is_named(given: str, excluded: str | None, words: str) -> None:
    assert words in refusal(given, excluded)


def test_a_misspelt_name_gets_a_hint() -> None:
    for given, hint in (
        ("Mixed", 'Did you mean "Mixed"? A name with capitals must be in double quotes.'),
        ("delai", "Did you mean delay?"),
        ("zzz", 'Its columns are id, y, x, delay, "Mixed", g, w.'),
        ("data.x", "Write x."),
    ):
        with pytest.raises(MadtreeError) as caught:
            listed(given)
        assert caught.value.hint == hint


def type_of(base: str, typtype: str = "b", category: str = "N") -> Type:
    return Type(base, base, False, typtype, category, ())


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        *((type_of(base), FeatureKind.CONTINUOUS) for base in ("real", "double precision", "numeric")),
        *((type_of(base), FeatureKind.ORDERED) for base in ("smallint", "integer", "bigint")),
        *(
            (type_of(base, category="S"), FeatureKind.UNORDERED)
            for base in ("text", "character varying", "bpchar", "name")
        ),
        *(
            (type_of(base, category="D"), FeatureKind.CONTINUOUS)
            for base in ("date", "timestamp with time zone", "interval")
        ),
        (type_of('"char"', category="Z"), FeatureKind.UNORDERED),
        (type_of("public.citext", category="S"), FeatureKind.UNORDERED),
        (type_of("boolean", category="B"), FeatureKind.UNORDERED),
        (type_of("public.mood", "e", "E"), FeatureKind.ORDERED),
        (type_of("public.numeric"), None),
        *((type_of(base), None) for base in ("oid", "money", "uuid", "json", "point", "inet", "bytea", "record")),
    ],
)
def test_kinds_of_types(type_: Type, kind: FeatureKind | None) -> None:
    assert kind_of(type_) is kind
