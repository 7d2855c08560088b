"""Taking SQL text apart as far as madtree must: lists at their top-level commas, names, and the names in an expression.

PostgreSQL's parser has the last word on every expression; what is here finds where one ends, and refuses the few texts
that would change the statement around them (comments, semicolons, brackets that do not match).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from madtree.errors import MadtreeError
from madtree.sqltext.catalog import SOURCE_ALIAS
from madtree.sqltext.quote import MAX_IDENTIFIER_BYTES
from madtree.wording import BLANKS

# ASCII letters, _ and all that is not ASCII; with digits; with digits and $. Named by what they lack, as Python takes
# milliseconds to compile a set with most of Unicode in it, which every session and worker would wait for.
_LETTER, _DIGIT, _ANY = r"[^\x00-@\[-^`{-\x7f]", r"[^\x00-/:-@\[-^`{-\x7f]", r"[^\x00-#%-/:-@\[-^`{-\x7f]"
_NAME = rf"{_LETTER}{_ANY}*"
_TAG = rf"(?:{_LETTER}{_DIGIT}*)?"
# A string goes on behind an end of line, with escapes there, too, if it has some.
_ESCAPED = r"'(?:[^'\\]|''|\\.)*'(?!')"
_END_OF_LINE = r"[ \t\f\v]*[\n\r][ \t\n\r\f\v]*"
_PLAIN = r"'(?:[^']|'')*'"
_TOKEN = re.compile(
    rf"""
      (?P<space>[ \t\n\r\f\v]+)
    | (?P<comment>--|/\*)
    | (?P<string>[eE]{_ESCAPED}(?:{_END_OF_LINE}{_ESCAPED})*(?!{_END_OF_LINE}')
        |(?:[bBxXnN]|[uU]&)?{_PLAIN}(?:{_END_OF_LINE}{_PLAIN})*)
    | (?P<dollar>\$(?P<tag>{_TAG})\$.*?\$(?P=tag)\$)
    | (?P<unicode>[uU]&"(?:[^"]|"")+")
    | (?P<quoted>"(?:[^"]|"")+")
    | (?P<name>(?![eE]'){_NAME})
    | (?P<number>[0-9][0-9A-Za-z_]*)
    | (?P<open>[(\[])
    | (?P<close>[)\]])
    | (?P<other>[eE]'|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ELEMENT = re.compile(r"\((?P<array>.+)\)\[(?P<index>[0-9]{1,9})\]", re.DOTALL)
_CLOSING = {"(": ")", "[": "]"}
_ANY_NAME, _BLANKS = rf'(?:"(?:[^"]|"")+"|{_NAME})', f"[{BLANKS}]"
_SUBSCRIPT = re.compile(rf"(\()?({_ANY_NAME})(?(1)\)){_BLANKS}*\[{_BLANKS}*([1-9][0-9]{{0,8}}){_BLANKS}*\]")
_COLUMN = rf"(?:\*|{_ANY_NAME}|\({_ANY_NAME}\)\[[0-9]{{1,9}}\])(?:{_BLANKS}+[aA][sS]{_BLANKS}+{_ANY_NAME})?"
_COLUMNS = re.compile(rf"{_BLANKS}*{_COLUMN}{_BLANKS}*(?:,{_BLANKS}*{_COLUMN}{_BLANKS}*)*")
# `pg_catalog.concat(column)`, and the same of an array's element, among pieces of which each is a letter.
_TEXTS = re.compile(r"p\.c\((?:[npc]|\([npc]\)\[9\])\)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ESCAPE = re.compile(r"\\[\x00-\x7f]|\\?([^\x00-\x7f])")
_MOST_ODD = 100  # names in an expression that are compared with those of columns, letter by letter
_LETTER_BYTES = 4  # at most, in any encoding
_NAMES = ("name", "quoted")
_CALLED = {("name", "pg_catalog"): "p", ("name", "concat"): "c", ("name", "num_nulls"): "c"}
_LETTERS = {"name": "n", "quoted": "n", "number": "9", **dict.fromkeys(("string", "dollar", "unicode", "comment"), "s")}
_MOST_ITEMS = 2**16  # as many as a model may have features


def split_list(text: str, argument: str) -> list[str]:
    """The items of a comma-separated SQL list, trimmed; commas in brackets and quotes do not separate.

    Args:
        text: the list.
        argument: name of the argument that it came in, for errors.

    Raises:
        MadtreeError: there are more than 65,536 items, one is empty, a quote or bracket is not closed, or there is a
            comment or a semicolon.
    """
    items: list[str] = []
    begin = 0
    depth = 0
    for kind, start, piece in _checked(text, argument):
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif piece == "," and kind == "other" and depth == 0:
            items.append(text[begin:start].strip(BLANKS))
            begin = start + 1
            if len(items) == _MOST_ITEMS:
                raise MadtreeError(f"{argument} has more than {_MOST_ITEMS:,} names or expressions", sqlstate="54000")
    items.append(text[begin:].strip(BLANKS))
    if not all(items):
        where = "is empty" if len(items) == 1 else f"has an empty item (number {items.index('') + 1} of {len(items)})"
        raise MadtreeError(f"{argument} {where}: {text!r}; it must be names or expressions separated by single commas")
    return items


def check_expression(text: str, argument: str) -> None:
    """Raise MadtreeError unless `text` is one closed piece of SQL without a comma at its top level."""
    if len(split_list(text, argument)) != 1:
        raise MadtreeError(f"{argument} must be one column or expression, not a list: {text!r}")


def are_columns(text: str) -> bool:
    """Whether all items of a list are `*`, columns or elements of these, perhaps with other names behind AS.

    By one pattern, not by `split_list`, `split_alias` and `is_plain`, whose pieces would say the same: a forged summary
    may have 64 MB here, and without a look for cancels these take 5 to 10 times as long, a minute and more.

    >>> are_columns('x, "My y" AS y, (readings)[3]'), are_columns("x, f(y)")
    (True, False)
    """
    return _COLUMNS.fullmatch(text) is not None


def split_alias(text: str, argument: str) -> tuple[str, str | None]:
    """An expression and the name behind its `AS`, unquoted and folded; None where there is no `AS`.

    Raises:
        MadtreeError: behind `AS` is no single name, or nothing before it.
    """
    depth = 0
    for kind, start, piece in _tokens(text):
        depth += (kind == "open") - (kind == "close")
        if depth == 0 and kind == "name" and fold(piece) == "as":
            expression, given = text[:start].strip(BLANKS), text[start + len(piece) :].strip(BLANKS)
            parts = parse_name(given)
            if not expression or parts is None or len(parts) > 1:
                raise MadtreeError(
                    f"{argument}: AS must stand between an expression and one name, but not so in {text!r}",
                    hint="Write expression AS name. A name with other characters must be in double quotes.",
                )
            return expression, parts[0]
    return text, None


def name_of_words(expression: str) -> str:
    """A name for an expression to which PostgreSQL gives none: its names, numbers and strings, joined by underscores.

    >>> name_of_words("delay > 180")
    'delay_180'
    """
    words = [piece for kind, _, piece in _tokens(expression) if kind in ("name", "quoted", "number", "string")]
    return re.sub(r"[\W_]+", "_", "_".join(words).lower()).strip("_") or "expression"


def parse_name(text: str) -> tuple[str, ...] | None:
    """The parts of a dotted name, unquoted and folded as PostgreSQL does (like `parse_ident`); None if it is no name.

    >>> parse_name('Public."My Table"')
    ('public', 'My Table')
    """
    parts: list[str] = []
    wants_part = True
    for kind, _, piece in _tokens(text.strip(BLANKS)):
        if kind == "space":
            continue
        if wants_part and kind in _NAMES:
            parts.append(_unquoted(kind, piece))
        elif wants_part or piece != ".":
            return None
        wants_part = not wants_part
    return tuple(parts) if parts and not wants_part else None


def element_of(text: str) -> tuple[str, int] | None:
    """The array and the index of one of its elements, as training names it; None for what is no such name.

    >>> element_of("(readings)[3]")
    ('readings', 3)
    """
    found = _ELEMENT.fullmatch(text)
    return None if found is None else (found["array"], int(found["index"]))


def feature_key(text: str) -> tuple[str, int]:
    """What all spellings of a feature have in common: its name, unquoted, and which element of an array it is, or 0.

    >>> feature_key("(arr)[3]") == feature_key('"arr"[3]') == feature_key("Arr[ 3 ]")
    True
    """
    found = _SUBSCRIPT.fullmatch(text)
    parts = parse_name(found[2] if found else text)
    return parts[-1] if parts else text, int(found[3]) if found else 0


def fold(name: str) -> str:
    """An unquoted name in lower case, as PostgreSQL folds it: ASCII letters only."""
    return re.sub(r"[A-Z]+", lambda match: match[0].lower(), name)


def names_in(expression: str, *, but_texts: bool = False) -> set[str]:
    """Every name in an expression, unquoted and folded: its columns, and also functions, types and keywords.

    `but_texts`: without `pg_catalog.concat(column)`, which makes a text of a value and asks for nobody's cast.
    """
    pieces = [(kind, _unquoted(kind, piece)) for kind, _, piece in _tokens(expression) if kind != "space"]
    left_out: set[int] = set()
    if but_texts:
        letters = "".join(_CALLED.get(piece) or _LETTERS.get(piece[0], piece[1][:1]) for piece in pieces)
        left_out.update(*(range(*found.span()) for found in _TEXTS.finditer(letters)))
    return {word for place, (kind, word) in enumerate(pieces) if kind in _NAMES and place not in left_out}


def columns_named(expression: str, columns: Collection[str], *, but_texts: bool = False) -> set[str]:
    """The columns, among those of a relation by their unquoted names, that the names in an expression may mean.

    PostgreSQL cuts names, at 63 bytes of the database's encoding, and where each letter has one byte it folds letters
    that are not ASCII, too, by the locale: any such letter may mean any other one.
    """
    names = names_in(expression, but_texts=but_texts)
    odd = [name for name in names if not (name.isascii() and _is_whole(name))]
    if len(odd) > _MOST_ODD:
        return set(columns)
    return names & set(columns) | {column for column in columns if any(_may_mean(name, column) for name in odd)}


def _may_mean(name: str, column: str) -> bool:
    if len(name) < len(column) or (len(name) > len(column) and _is_whole(column)):
        return False
    return all(a == b or not a.isascii() for a, b in zip(name, column, strict=False))


def _is_whole(name: str) -> bool:
    """Whether a name is shorter than what is left of one that is cut, before a letter."""
    return sum(1 if each.isascii() else _LETTER_BYTES for each in name) <= MAX_IDENTIFIER_BYTES - _LETTER_BYTES


def columns_in(expressions: Iterable[str], columns: Collection[str], *, but_texts: bool = False) -> set[str] | None:
    """The columns, among those of a relation by their unquoted names, that expressions over its rows may use; None
    where that may be all: an expression takes a row as a whole, or spells a name by the numbers of its letters.

    `but_texts`: as of `names_in`.
    """
    names: set[str] = set()
    for text in expressions:
        if any(kind == "unicode" for kind, _, _ in _tokens(text)):
            return None
        names |= columns_named(text, [*columns, SOURCE_ALIAS], but_texts=but_texts)
    return None if SOURCE_ALIAS in names else names


def columns_computed(expression: str, columns: Collection[str]) -> set[str]:
    """The columns, among those of a relation by their unquoted names, with which an expression may do more than write
    them as text.
    """
    found = columns_in([expression], columns, but_texts=True)
    return set(columns) if found is None else found


def is_plain(expression: str) -> bool:
    """Whether an expression is one column, or one element of a column, of whatever table it is asked of."""
    element = element_of(expression)
    parts = parse_name(element[0] if element else expression)
    return parts is not None and len(parts) == 1


def in_ascii(text: str) -> str:
    """A statement that says the same in ASCII letters alone, whatever the encoding of the database that reads it.

    Raises:
        MadtreeError: a name without quotes has capitals that are not ASCII, which PostgreSQL folds as the database's
            locale says; or there is such a letter in a string in dollars, or in one with a letter in front of it.
    """
    pieces = [(kind, piece) for kind, _, piece in _tokens(text)]
    read = [(kind, piece) for kind, piece in pieces if kind != "space"]
    for (_, before), (kind, piece) in pairwise(read):
        if not before.isascii() and kind == "name" and fold(piece) == "uescape":  # it would be read as ours
            raise _not_read(piece)
    return "".join(piece if piece.isascii() else _in_ascii(kind, piece) for kind, piece in pieces)


def _in_ascii(kind: str, piece: str) -> str:
    if kind == "string" and piece[0] in "eE":
        return _ESCAPE.sub(lambda each: f"\\U{ord(each[1]):08x}" if each[1] else each[0], piece)
    if kind == "name" and fold(piece) == piece.lower():
        kind, piece = "quoted", f'"{fold(piece)}"'
    if kind != "quoted" and not (kind == "string" and piece[0] == "'"):
        raise _not_read(piece)
    escaped = _NOT_ASCII.sub(lambda each: f"\\+{ord(each[0]):06x}", piece.replace("\\", "\\\\"))
    return f" U&{escaped}"  # a word may stand right before it


def _not_read(piece: str) -> MadtreeError:
    message = f"in a database whose encoding is not UTF8, {piece[:100]} cannot be read"
    return MadtreeError(message, hint="Write a name in double quotes, a string in single quotes.", sqlstate="0A000")


def _unquoted(kind: str, piece: str) -> str:
    return piece[1:-1].replace('""', '"') if kind == "quoted" else fold(piece)


def _tokens(text: str) -> Iterator[tuple[str, int, str]]:
    """Kind, start and text of each piece; together they are the whole text."""
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or "other", match.start(), match[0]


def _checked(text: str, argument: str) -> Iterator[tuple[str, int, str]]:
    """Tokens of a text that cannot change the statement it is put into."""
    expected: list[str] = []
    for kind, start, piece in _tokens(text):
        if kind == "comment" or (kind == "other" and piece in (";", "\0")):
            raise MadtreeError(f"{argument} must not hold a comment or a semicolon, but has {piece!r} in {text!r}")
        if kind == "other" and piece == "\\":  # where the text is pasted, psql runs a program by it
            raise MadtreeError(f"{argument} must not hold a backslash outside of quotes, but has one in {text!r}")
        if kind == "other" and piece == "$":
            raise MadtreeError(f"{argument} must not hold a parameter of a statement, but has a $ in {text!r}")
        if kind == "other" and piece[-1] in ("'", '"'):
            raise MadtreeError(f"{argument} has a quote ({piece}) that is not closed: {text!r}")
        if kind == "open":
            expected.append(_CLOSING[piece])
        elif kind == "close" and (not expected or expected.pop() != piece):
            raise MadtreeError(f"{argument} has a bracket ({piece}) that was not opened: {text!r}")
        yield kind, start, piece
    if expected:
        raise MadtreeError(f"{argument} has a bracket that is not closed ({expected[-1]} is missing): {text!r}")
