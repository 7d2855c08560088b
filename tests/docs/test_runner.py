"""The runner of examples: sessions last for a page, failures are told, what cannot be run is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import examples, fences, run, same, updated

PAGE = """\
```sql
CREATE TABLE t AS SELECT 1 AS one;
\\set two 2
```

```python
import os, psycopg
three = psycopg.connect().execute("SELECT one + 2 FROM t").fetchone()[0]
```

```sql
SELECT :two AS two;
```

```text
 two
-----
   2
(1 row)
```

```shell
four=$(psql -XAtc 'SELECT one + 3 FROM t')
```

```python
print(three)
```

```text
0
```

<!-- not run: would not end -->
```shell
sleep infinity
```

```text
as it is
```

```shell
echo "$four in 0.25 s"
```

```text
4 in 0.50 s
```
"""


def test_each_language_has_one_session_in_the_same_schema(dsn: str, schema_name: str, tmp_path: Path) -> None:
    printed = run(dsn, schema_name, examples(PAGE), tmp_path)
    assert printed == ["\n", "\n", " two\n-----\n   2\n(1 row)\n", "\n", "3\n", "", "4 in 0.25 s\n"]


def test_only_outputs_that_differ_are_written_anew(dsn: str, schema_name: str, tmp_path: Path) -> None:
    printed = run(dsn, schema_name, examples(PAGE), tmp_path)
    assert updated(PAGE, printed) == PAGE.replace("```text\n0\n", "```text\n3\n")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("```sql\nSELECT 1/0;\n```\n", "division by zero"),
        ("```python\nprint(1)\n{}['missing']\n```\n", "KeyError"),
        ("```shell\nno_such_program\n```\n", "no_such_program"),
        ("```shell\nfalse\n```\n", "false"),
        ("```shell\nfalse | cat\n```\n", "false"),
    ],
)
def test_an_example_that_fails_is_told(dsn: str, schema_name: str, tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        run(dsn, schema_name, examples(code), tmp_path)


def test_an_example_that_does_not_end_is_told(
    dsn: str, schema_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.LONGEST", 0.2)
    with pytest.raises(AssertionError, match="sleep 9; true"):
        run(dsn, schema_name, examples("```shell\nsleep 9; true\n```\n"), tmp_path)


def test_an_output_need_not_end_a_line(dsn: str, schema_name: str, tmp_path: Path) -> None:
    assert run(dsn, schema_name, examples("```shell\nprintf '1\\n2'\n```\n"), tmp_path) == ["1\n2\n"]


def test_fences_are_found_wherever_they_stand() -> None:
    assert fences("```sql\n```\n\n    ```shell\n    ```\n\n~~~python title='x'\n~~~\n") == [
        ("", "sql"), ("    ", "shell"), ("", "python title='x'"),
    ]  # fmt: skip


def test_seconds_are_equal_and_other_numbers_are_not() -> None:
    assert same("4 rows in 0.51 s  \n", "4 rows in 12.00 s\n\n")
    assert not same("4 rows", "5 rows")


def test_a_table_is_as_wide_as_its_seconds() -> None:
    def drawn(seconds: str, other: str = "1") -> str:
        words = f" 4 rows in {seconds} s"
        width = len(words) + 1
        return f"{'tree_train':^{width}}\n{'-' * width}\n{words}\n(1 row)\n\n n\n---\n {other}\n(1 row)\n"

    assert same(drawn("9.51"), drawn("11.02"))
    assert not same(drawn("9.51"), drawn("11.02", other="  1"))
    assert not same(drawn("9.51"), drawn("11.02").replace("4 rows", "5 rows"))
