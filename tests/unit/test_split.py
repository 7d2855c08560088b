"""Taking SQL text apart: lists, names, names in expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madtree.errors import MadtreeError
from madtree.sqltext.quote import ident, literal
from madtree.sqltext.split import (
    are_columns,
    check_expression,
    columns_computed,
    columns_in,
    fold,
    in_ascii,
    is_plain,
    names_in,
    parse_name,
    split_alias,
    split_list,
)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a", ["a"]),
        (" a ,\n b\t", ["a", "b"]),
        ("f(a, b), c", ["f(a, b)", "c"]),
        ("f(g(a, b), (c, d)), e", ["f(g(a, b), (c, d))", "e"]),
        ("ARRAY[a, b], c[1]", ["ARRAY[a, b]", "c[1]"]),
        ('"a,b", c', ['"a,b"', "c"]),
        ('"a"",b", c', ['"a"",b"', "c"]),
        ("x = 'a,b', c", ["x = 'a,b'", "c"]),
        ("'it''s, so', c", ["'it''s, so'", "c"]),
        (r"E'\', ', c", [r"E'\', '", "c"]),
        ("E'a' \n '\\', b' , c", ["E'a' \n '\\', b'", "c"]),
        ("E'a''b'\r\n\n'\\'(' , c", ["E'a''b'\r\n\n'\\'('", "c"]),
        ("'a'\n'\\', c", ["'a'\n'\\'", "c"]),
        ("$$a,b$$, c", ["$$a,b$$", "c"]),
        ("$t$a,$$,b$t$, c", ["$t$a,$$,b$t$", "c"]),
        ("a$b, c$d", ["a$b", "c$d"]),
        ("U&\"d\\0061ta,\", U&'a,'", ['U&"d\\0061ta,"', "U&'a,'"]),
        ("date'2020-01-01', b", ["date'2020-01-01'", "b"]),
        ("'(', ')'", ["'('", "')'"]),
        ("a - - b, c", ["a - - b", "c"]),
        ("'--', '/* ; */'", ["'--'", "'/* ; */'"]),
        ("*", ["*"]),
        ("木, ñ", ["木", "ñ"]),
    ],
)
def test_a_list_splits_at_its_top_level_commas(text: str, items: list[str]) -> None:
    assert split_list(text, "argument") == items


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "argument is empty"),
        ("  ", "argument is empty"),
        ("a,,b", "empty item (number 2 of 3)"),
        ("a,", "empty item (number 2 of 2)"),
        (",", "empty item (number 1 of 2)"),
        ("f(a, b", "a bracket that is not closed () is missing)"),
        ("a[1, b", "a bracket that is not closed (] is missing)"),
        ("a), b", "a bracket ()) that was not opened"),
        ("(a], b", "a bracket (]) that was not opened"),
        ("'a, b", "a quote (') that is not closed"),
        ('"a, b', 'a quote (") that is not closed'),
        ("E'a\\'", "a quote (E') that is not closed"),
        ("f(e'\\')", "a quote (e') that is not closed"),
        ("E'a'\n'\\'", "a quote (E') that is not closed"),
        ("E'a''b'\n'\\'", "a quote (E') that is not closed"),
        ("E'a'\n'\\' || ' ; DROP TABLE b --'", "a comment or a semicolon"),
        ("a; DROP TABLE b", "a comment or a semicolon"),
        ("a -- b", "a comment or a semicolon"),
        ("a /* b */", "a comment or a semicolon"),
        ("a + $1", "a parameter of a statement"),
        ("a \\! rm b", "a backslash outside of quotes"),
        ("f(a\n\\g b)", "a backslash outside of quotes"),
    ],
)
def test_a_list_that_could_change_its_surroundings_is_refused(text: str, words: str) -> None:
    with pytest.raises(MadtreeError) as caught:
        split_list(text, "argument")
    assert words in caught.value.message
    assert caught.value.message.startswith("argument ")


def test_an_expression_has_no_comma_at_its_top_level() -> None:
    check_expression("f(a, b)", "weights")
    with pytest.raises(MadtreeError, match="weights must be one column or expression, not a list: 'a, b'"):
        check_expression("a, b", "weights")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        (" Schema . TABLE ", ("schema", "table")),
        ('"Schema"."my ""table"""', ("Schema", 'my "table"')),
        ('"a.b".c', ("a.b", "c")),
        ("a.b.c", ("a", "b", "c")),
        ("_a$1", ("_a$1",)),
        ("ÄÖ", ("ÄÖ",)),
        ('"line\nbreak"', ("line\nbreak",)),
        ("", None),
        ('""', None),
        ("1a", None),
        ("a.", None),
        (".a", None),
        ("a b", None),
        ('a"b"', None),
        ("a-b", None),
        ("a,b", None),
        ("f(x)", None),
        ("'a'", None),
        ('U&"a"', None),
    ],
)
def test_names_are_read_as_postgresql_reads_them(text: str, parts: tuple[str, ...] | None) -> None:
    assert parse_name(text) == parts


@given(st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1), min_size=1, max_size=3))
def test_quoted_names_come_back(parts: list[str]) -> None:
    assert parse_name(".".join(map(ident, parts))) == tuple(parts)


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).flatmap(
            lambda text: st.sampled_from(
                [ident(text), literal(text), f"f({literal(text)}, {ident(text)})", f"$x${text}$x$"]
            )
        ),
        min_size=1,
    )
)
def test_joined_items_come_back(items: list[str]) -> None:
    items = [item for item in items if not (item.startswith("$x$") and "$x" in item[3:-3])] or ["a"]
    assert split_list(", ".join(items), "argument") == items


def test_only_ascii_letters_fold() -> None:
    assert fold("ABCÄß木İ") == "abcÄß木İ"


def test_names_in_an_expression() -> None:
    assert names_in("""date_part('epoch', "Dep Time") > X + 1e5 AND note = 'ignore me' """) == {
        "date_part",
        "Dep Time",
        "x",
        "and",
        "note",
    }


@pytest.mark.parametrize(
    ("expressions", "found"),
    [
        (["a", '"B c"'], {"a", "B c"}),
        (["A * 2", "coalesce(d, 1)"], {"a", "d"}),
        (["'a' || d", "$$a$$", "now()"], {"d"}),
        (["(SELECT max(o.z) FROM other AS o WHERE o.k = a)"], {"a"}),
        (['"A"'], set()),
        (["madtree_source::text"], None),
        (["a", "(Madtree_Source).d"], None),
        (['U&"\\0061" + 1'], None),
    ],
)
def test_the_columns_that_expressions_may_use(expressions: list[str], found: set[str] | None) -> None:
    assert columns_in(expressions, ["a", "B c", "d", "e"]) == found


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("pg_catalog.concat(a)", set()),
        ('PG_CATALOG . Concat ( "B c" )', set()),
        ("pg_catalog.concat((a)[2])", set()),
        ("(CASE WHEN pg_catalog.num_nulls(a) OPERATOR(pg_catalog.=) 0 THEN pg_catalog.concat(a) END)", set()),
        ("'a' || $$a$$", set()),
        ("pg_catalog.concat(a) < A", {"a"}),
        ("concat(a)", {"a"}),
        ('"pg_catalog".concat(a)', {"a"}),
        ("pg_catalog.concat(a, d)", {"a", "d"}),
        ("pg_catalog.concat((a)[d])", {"a", "d"}),
        ("pg_catalog.concat_ws(a)", {"a"}),
        ("'pg_catalog.concat(' || a", {"a"}),
        ('"pg_catalog.concat(a)"', {"pg_catalog.concat(a)"}),
        ("pg_catalog.concat(a)::d", {"d"}),
        ('U&"\\0061"', {"a", "B c", "d", "pg_catalog.concat(a)"}),
        ('f("madtree_source")', {"a", "B c", "d", "pg_catalog.concat(a)"}),
    ],
)
def test_columns_of_which_more_is_made_than_their_text(expression: str, found: set[str]) -> None:
    assert columns_computed(expression, ["a", "B c", "d", "pg_catalog.concat(a)"]) == found


@pytest.mark.parametrize(
    "text",
    [
        "a",
        " a , b\n",
        '"a,b", "a ""b"" c"',
        "*, b",
        '(a)[3], ("B c")[12]',
        'a AS b, "a" as "b, c"',
        "(a)[3] \n As b",
        "木 AS ñ",
        "",
        "a,",
        "a b",
        "a AS",
        "AS b",
        "a AS b c",
        "a AS b.c",
        "a.b",
        "f(a)",
        "a, f(b), c",
        "a + b",
        "(a)",
        "a[3]",
        "(a)[b]",
        "(f(a))[3]",
        "(a)[1] + (b)[2]",
        "'a'",
        '"a',
        "a; b",
        "a -- b",
        "a::int",
        "1",
    ],
)
def test_a_list_of_columns_is_found_by_a_pattern_as_by_its_pieces(text: str) -> None:
    assert are_columns(text) == _are_columns_by_pieces(text)


def _are_columns_by_pieces(text: str) -> bool:
    try:
        columns = [split_alias(item, "x")[0] for item in split_list(text, "x")]
    except MadtreeError:
        return False
    return all(column == "*" or is_plain(column) for column in columns)


LONG = "c" * 63


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (f"f({LONG}cd)", {LONG}),
        (f'f("{LONG}cd")', {LONG}),
        (f"f({LONG[1:]})", set()),
        (f"pg_catalog.concat({LONG}cd)", set()),
        ("f(ÄNDERUNG)", {"änderung"}),
        ("f(ÄNDERUNGEN)", set()),
        ('f("İd")', {"id"}),
        ("f(id)", {"id"}),
        ("é" * 63, {"é" * 15, "é" * 31, LONG}),  # there are encodings in which a letter takes 4 bytes
        (" + ".join(f"é{n}" for n in range(101)), {LONG, "änderung", "id", "é" * 15, "é" * 31, "é" * 14}),
    ],
)
def test_a_name_may_be_cut_and_folded_as_the_database_says(expression: str, found: set[str]) -> None:
    columns = [LONG, "änderung", "id", "é" * 15, "é" * 31, "é" * 14]
    assert columns_computed(expression, columns) == found


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT 'a\\', x", "SELECT 'a\\', x"),
        ("'é\\'", " U&'\\+0000e9\\\\'"),
        ("'é' \n'\\0062'", " U&'\\+0000e9' \n'\\\\0062'"),
        ("'a'\n'é'", " U&'a'\n'\\+0000e9'"),
        ("x LIKE'é'", "x LIKE U&'\\+0000e9'"),
        ('"é", uescape', ' U&"\\+0000e9", uescape'),
        ("E'\\é\\\\é'", "E'\\U000000e9\\\\\\U000000e9'"),
        ('"É""\\", GRößE', ' U&"\\+0000c9""\\\\",  U&"gr\\+0000f6\\+0000dfe"'),
    ],
)
def test_a_statement_is_written_in_ascii(text: str, written: str) -> None:
    assert in_ascii(text) == written


@pytest.mark.parametrize("text", ["GRÖSSE", "$$é$$", "$é$a$é$", "N'é'", "U&'é'", 'U&"é"', "'é' uescape '!'"])
def test_what_is_not_written_in_ascii_is_refused(text: str) -> None:
    with pytest.raises(MadtreeError, match="in a database whose encoding is not UTF8"):
        in_ascii(f"f({text})")
