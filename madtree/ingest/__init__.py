"""Rows out of PostgreSQL: the first look at them, page ranges, the sample that bins are found in, and the reading of
rows as numbers.
"""

from __future__ import annotations

from madtree.ingest.bin_finder import BinFinder, binned_features
from madtree.ingest.categories import Categories, read_categories, read_folds
from madtree.ingest.images import as_rows, range_queries, read_images
from madtree.ingest.page_ranges import OID, PageRange, PageRanges
from madtree.ingest.placement import (
    distribute_beside,
    distribution_column,
    has_citus,
    placement,
    plain_tables,
)
from madtree.ingest.profile import (
    Groups,
    Profile,
    classes_at_most,
    estimate_profile,
    groups_of,
    read_profile,
)
from madtree.ingest.row_reader import Packed, Packing, RowPacker
from madtree.ingest.row_spool import RowSpool
from madtree.ingest.unfit_rows import no_usable_row

__all__ = [
    "OID",
    "BinFinder",
    "Categories",
    "Groups",
    "Packed",
    "Packing",
    "PageRange",
    "PageRanges",
    "Profile",
    "RowPacker",
    "RowSpool",
    "as_rows",
    "binned_features",
    "classes_at_most",
    "distribute_beside",
    "distribution_column",
    "estimate_profile",
    "groups_of",
    "has_citus",
    "no_usable_row",
    "placement",
    "plain_tables",
    "range_queries",
    "read_categories",
    "read_folds",
    "read_images",
    "read_profile",
]
