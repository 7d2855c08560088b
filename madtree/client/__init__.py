"""The client: madtree from Python, over any connection to a database that has the extension."""

from madtree.client.async_client import AsyncClient
from madtree.client.async_models import AsyncBoostedModel, AsyncForest, AsyncModel
from madtree.client.boosted import BoostedModel
from madtree.client.calls import CallError
from madtree.client.client import Client
from madtree.client.connecting import connect, connect_async
from madtree.client.drawing import Drawing
from madtree.client.forests import Forest
from madtree.client.model import Model
from madtree.client.result import Contributions, Evaluation, Result
from madtree.host.psycopg import LostConnectionError

__all__ = [
    "AsyncBoostedModel",
    "AsyncClient",
    "AsyncForest",
    "AsyncModel",
    "BoostedModel",
    "CallError",
    "Client",
    "Contributions",
    "Drawing",
    "Evaluation",
    "Forest",
    "LostConnectionError",
    "Model",
    "Result",
    "connect",
    "connect_async",
]
