"""Rows out of PostgreSQL: the first look at them, page ranges, the sample that bins are found in, and the reading of
rows as numbers.

A name's module is loaded when the name is first asked for: numpy comes with those that read rows, and a session that
scores by an expression does without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from madtree.late import attributes_of

if TYPE_CHECKING:
    from madtree.ingest.bin_finder import BinFinder, Binned, binned_features, takes_all
    from madtree.ingest.categories import Categories, check_labels, in_all_rows, read_categories, read_folds
    from madtree.ingest.groups import Groups, check_group_values, copy_groups, groups_query, make_groups
    from madtree.ingest.page_ranges import (
        OID,
        PageRange,
        PageRanges,
        as_rows,
        distribute_beside,
        distribution_column,
        has_citus,
        oid_of,
        placement,
        plain_tables,
        range_queries,
        read_images,
    )
    from madtree.ingest.profile import Profile, classes_at_most, estimate_profile, read_profile
    from madtree.ingest.row_ids import tell_of_repeated, tell_of_repeated_ids
    from madtree.ingest.row_reader import Packed, Packing, RowPacker
    from madtree.ingest.row_spool import RowSpool
    from madtree.ingest.sources import fold_feature, relation_of, row_format, row_source
    from madtree.ingest.unfit_rows import check_heaviest, no_usable_row

__all__ = [
    "OID",
    "BinFinder",
    "Binned",
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
    "check_group_values",
    "check_heaviest",
    "check_labels",
    "classes_at_most",
    "copy_groups",
    "distribute_beside",
    "distribution_column",
    "estimate_profile",
    "fold_feature",
    "groups_query",
    "has_citus",
    "in_all_rows",
    "make_groups",
    "no_usable_row",
    "oid_of",
    "placement",
    "plain_tables",
    "range_queries",
    "read_categories",
    "read_folds",
    "read_images",
    "read_profile",
    "relation_of",
    "row_format",
    "row_source",
    "takes_all",
    "tell_of_repeated",
    "tell_of_repeated_ids",
]

_MODULES = {
    "BinFinder": "bin_finder",
    "Binned": "bin_finder",
    "Categories": "categories",
    "Groups": "groups",
    "OID": "page_ranges",
    "Packed": "row_reader",
    "Packing": "row_reader",
    "PageRange": "page_ranges",
    "PageRanges": "page_ranges",
    "Profile": "profile",
    "RowPacker": "row_reader",
    "RowSpool": "row_spool",
    "as_rows": "page_ranges",
    "binned_features": "bin_finder",
    "check_group_values": "groups",
    "check_heaviest": "unfit_rows",
    "check_labels": "categories",
    "classes_at_most": "profile",
    "copy_groups": "groups",
    "distribute_beside": "page_ranges",
    "distribution_column": "page_ranges",
    "estimate_profile": "profile",
    "fold_feature": "sources",
    "groups_query": "groups",
    "has_citus": "page_ranges",
    "in_all_rows": "categories",
    "make_groups": "groups",
    "no_usable_row": "unfit_rows",
    "oid_of": "page_ranges",
    "placement": "page_ranges",
    "plain_tables": "page_ranges",
    "range_queries": "page_ranges",
    "read_categories": "categories",
    "read_folds": "categories",
    "read_images": "page_ranges",
    "read_profile": "profile",
    "relation_of": "sources",
    "row_format": "sources",
    "row_source": "sources",
    "takes_all": "bin_finder",
    "tell_of_repeated": "row_ids",
    "tell_of_repeated_ids": "row_ids",
}

__getattr__ = attributes_of(globals(), _MODULES)
