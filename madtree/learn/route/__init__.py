"""The way of rows down trees that grow: splits as rows follow them, and which node each row of a block has reached."""

from __future__ import annotations

from madtree.learn.route.leaves import WayDown, to_agreement
from madtree.learn.route.positions import POSITION_BYTES, Positions
from madtree.learn.route.routing import Routing, category_table
from madtree.learn.route.stored_nodes import MOST_NODES, NewSplits, StoredNodes, node_bytes, places
