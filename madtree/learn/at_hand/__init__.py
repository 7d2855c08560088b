"""Rows at hand: the provider whose blocks are in this process, and rows in the order of the nodes that they are in."""

from __future__ import annotations

from madtree.learn.at_hand.blocks_at_hand import BlocksAtHand
