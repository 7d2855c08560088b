"""A private PostgreSQL server with madtree in it, for people who have none at hand.

`home` says where everything is, `osuser` under which account the server runs, `prefix` mirrors the system's PostgreSQL
with madtree added, `config` writes the server's settings, `database` sets the database up, `server` ties them together.
"""

from madtree.embedded.home import Home, default_home
from madtree.embedded.osuser import PrivateServerError
from madtree.embedded.server import PrivateServer, ServerStatus
