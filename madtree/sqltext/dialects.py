"""Other databases than PostgreSQL, as plain facts: quotes, literals, NaN, and what tells texts apart by their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from madtree.records import dataclass

POSTGRESQL = "postgresql"


_QUOTE = str.maketrans({"'": "''"})
_BACKSLASHES = str.maketrans({"'": "''", "\\": "\\\\"})
_IN_BIGQUERY = str.maketrans({each: f"\\{each}" for each in "'`\\"} | {"\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Dialect:
    """What differs from database to database. Templates have `{}` for what they are about.

    Attributes:
        name: as users give it.
        quotes: what ends the name of a column, is doubled in it, and begins it, too, but for ']'. None: names are
            written as for PostgreSQL, bare where they can be, as the database reads these in capitals.
        text: of a literal, between whose quotes there is the text.
        escapes: for `str.translate`, what is written otherwise in a literal.
        escapes_names: whether in a name, too, where nothing is doubled then.
        double: the type of numbers.
        casts_numbers: whether a literal is made a number of that type by a cast; else an exponent does that.
        by_bytes: of a text that is compared by its bytes.
        is_number: of the condition that a number is not NaN; empty where there is none, or comparisons with it are
            false.
        truths: true and false.
        moments: of a literal of PostgreSQL's type, by its name; types that are missing cannot be written.
        least, greatest: functions.
        has_sub_selects: whether an expression may have a sub-select from a sub-select of the row's own columns.
        hidden: columns that are functions in such a sub-select, in quotes, too.
    """

    name: str
    quotes: str | None = '"'
    text: str = "'{}'"
    escapes: Mapping[int, str] = field(default_factory=lambda: _QUOTE)
    escapes_names: bool = False
    double: str = "DOUBLE"
    casts_numbers: bool = False
    by_bytes: str = "{}"
    is_number: str = ""
    truths: tuple[str, str] = ("TRUE", "FALSE")
    moments: Mapping[str, str] = field(default_factory=dict)
    least: str = "LEAST"
    greatest: str = "GREATEST"
    has_sub_selects: bool = True
    hidden: frozenset[str] = frozenset()


_DATE, _TIME = "date", "time without time zone"
_STAMP, _ZONED = "timestamp without time zone", "timestamp with time zone"
_OF_SESSIONS = (
    "user current_user session_user current_role current_catalog current_schema current_date current_time "
    "current_timestamp localtime localtimestamp"
)
_STANDARD = {_DATE: "DATE '{}'", _TIME: "TIME '{}'", _STAMP: "TIMESTAMP '{}'"}
# In the order in which they are told of.
DIALECTS = {
    each.name: each
    for each in (
        Dialect(
            "duckdb",
            is_number="NOT isnan({})",
            moments={**_STANDARD, _ZONED: "TIMESTAMPTZ '{}'"},
            hidden=frozenset(_OF_SESSIONS.split()),
        ),
        # A name in double quotes that no column has would be a text there.
        Dialect(
            "sqlite",
            quotes="`",
            double="REAL",
            by_bytes="{} COLLATE BINARY",
            moments={_DATE: "'{}'"},
            least="MIN",
            greatest="MAX",
        ),
        Dialect(
            "bigquery",
            quotes="`",
            escapes=_IN_BIGQUERY,
            escapes_names=True,
            double="FLOAT64",
            moments={_DATE: "DATE '{}'", _TIME: "TIME '{}'", _STAMP: "DATETIME '{}'", _ZONED: "TIMESTAMP '{}'"},
        ),
        Dialect(
            "snowflake",
            quotes=None,
            escapes=_BACKSLASHES,
            casts_numbers=True,
            is_number="{} <> CAST('NaN' AS DOUBLE)",
            moments={**_STANDARD, _ZONED: "CAST('{}:00' AS TIMESTAMP_TZ)"},
        ),
        Dialect(
            "redshift",
            escapes=_BACKSLASHES,
            double="DOUBLE PRECISION",
            is_number="{} <> CAST('NaN' AS DOUBLE PRECISION)",
            moments={**_STANDARD, _ZONED: "CAST('{}' AS TIMESTAMPTZ)"},
            has_sub_selects=False,
        ),
        Dialect(
            "mysql",
            quotes="`",
            escapes=_BACKSLASHES,
            by_bytes="CAST({} AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin",
            moments={**_STANDARD, _ZONED: "TIMESTAMP '{}:00'"},
        ),
        Dialect(
            "sqlserver",
            quotes="]",
            text="N'{}'",
            double="FLOAT",
            by_bytes="{} COLLATE Latin1_General_100_BIN2",
            truths=("1", "0"),
            moments={
                _DATE: "CAST('{}' AS DATE)",
                _TIME: "CAST('{}' AS TIME)",
                _STAMP: "CAST('{}' AS DATETIME2)",
                _ZONED: "CAST('{}:00' AS DATETIMEOFFSET)",
            },
        ),
    )
}
