"""What was made of the tables of a model with packed nodes, kept until the next call in the session.

It is handed out again only while the tables have the same versions of rows, which are looked at in each call, by the
caller's rights. A version is told by the file that it is in, its place there, and the transaction and the command that
wrote it: nobody can write others under the same. The checks of who may run what a model says come before, as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from madtree.model.opened import OpenModel
from madtree.sqltext.models import row_versions

T = TypeVar("T")

_READ = frozenset(("", "_group", "_packed", "_summary", "_surrogates"))  # suffixes of the tables that are read
_PLACE = "model"
MOST_BYTES = 64 * 2**20


def kept(opened: OpenModel, what: tuple[object, ...], make: Callable[[], T], size: Callable[[T], int]) -> T:
    """What `make` makes of the tables, and of nothing else but `what`; that of the last call if it is the same.

    Nodes that are rows are no quicker looked at than read: of such models nothing is kept.

    Args:
        size: about how many bytes that takes. More than `MOST_BYTES` are not kept, of versions neither.
    """
    host = opened.host
    if not opened.tables.is_packed:
        return make()
    of_tables = opened.tables.facts.tables
    oids = {each: of_tables[each].oid for each in sorted(_READ & of_tables.keys())}
    statement = row_versions(*opened.tables.at, oids)
    versions = host.query(statement)
    n_bytes = sum(len(row["rows"] or b"") for row in versions)
    # What is a table's by inheritance need not be in files.
    if n_bytes > MOST_BYTES or any(row["own"] is False for row in versions):
        return make()
    last = host.kept.get(_PLACE)
    if last is not None and last[0] == (what, versions):
        found: T = last[1]
        return found
    host.kept.pop(_PLACE, None)  # so that there are never two
    made = make()
    if size(made) <= MOST_BYTES and host.query(statement) == versions:  # nobody has changed them meanwhile
        host.kept[_PLACE] = (what, versions), made
    return made
