"""Rows become blocks: what the numbers of a row are, their bins, and the grids on which sums are exact."""

from __future__ import annotations

from madtree.learn.packing.packing import Packer, block_fields, pack_images, pack_values, packer_of, require_images
from madtree.learn.packing.prepare import BinLimits, prepare, preparing
from madtree.learn.packing.raw_rows import RawRows
from madtree.learn.packing.row_format import NullNumberError, RowFormat
from madtree.learn.packing.scale import Scale
