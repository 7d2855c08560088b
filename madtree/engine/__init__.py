"""madtree's functions in the client's own process, over an ordinary connection: for servers that have no extension.

The server runs plain statements, by the rights of whoever has connected; rows are read, learnt from and scored here.
"""

from __future__ import annotations

from madtree.engine.call import Answer, call
