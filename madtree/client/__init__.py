"""The client: madtree from Python, over any connection to a database that has the extension."""

from madtree.client.client import Client, connect
from madtree.client.model import Model
from madtree.client.result import Evaluation, Result

__all__ = ["Client", "Evaluation", "Model", "Result", "connect"]
