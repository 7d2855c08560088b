"""madtree: decision trees inside PostgreSQL.

The package has two halves. The server half (``madtree.server`` and what it imports: ``core``, ``host.plpy``,
``sqltext``, ``render`` and the orchestrators) runs inside PostgreSQL and needs numpy only. The client half (``cli``,
``embedded``, ``install``) runs on the user's side.
"""

__version__ = "0.1.0"
