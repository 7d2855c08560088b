"""Text from elsewhere, made safe to show.

Names, categories, groups and messages come from tables that other people may have filled. An escape sequence in one
would command the terminal: colour it, clear it, change its title, write lines that look like ours. So all characters
that do something instead of showing something are written as escapes, as Python writes them.
"""

from __future__ import annotations

import unicodedata

# Control characters, format characters (bidirectional controls among them), surrogates, line and paragraph separators.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escaped(text: str) -> str:
    r"""`text` with all but its line ends made harmless: ``\x1b`` and ``\u202e`` in words."""
    if text.isprintable():
        return text
    return "\n".join(map(escaped_line, text.split("\n")))


def escaped_line(text: str) -> str:
    r"""`text` on one line: its line ends, too, are shown, as ``\n``."""
    if text.isprintable():
        return text
    return "".join(_shown(each) if unicodedata.category(each) in _ACTING else each for each in text)


def _shown(character: str) -> str:
    number = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
