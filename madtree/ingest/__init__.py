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
    from madtree.ingest.group_spool import GroupSpool
    from madtree.ingest.groups import Groups, check_group_values, copy_groups, groups_query, make_groups
    from madtree.ingest.page_ranges import (
        OID,
        PageRange,
        PageRanges,
        Reading,
        as_rows,
        check_in_place,
        distribute,
        distribute_to_stay,
        distribution_column,
        oid_of,
        placement,
        plain_tables,
        range_queries,
        read_images,
        refuse_others_schema,
    )
    from madtree.ingest.profile import Profile, classes_at_most, count_by_group, estimate_profile, read_profile
    from madtree.ingest.row_ids import warn_of_repeated_ids, warn_of_repeats
    from madtree.ingest.row_reader import Packed, Packing, RowPacker
    from madtree.ingest.row_spool import RowSpool
    from madtree.ingest.sources import fold_feature, relation_of, row_format, row_source
    from madtree.ingest.unfit_rows import check_heaviest, no_usable_row, telling_of_expressions


_MODULES = {
    "bin_finder": "BinFinder Binned binned_features takes_all",
    "categories": "Categories check_labels in_all_rows read_categories read_folds",
    "group_spool": "GroupSpool",
    "groups": "Groups check_group_values copy_groups groups_query make_groups",
    "page_ranges": "OID PageRange PageRanges Reading as_rows check_in_place distribute distribute_to_stay "
    "distribution_column oid_of placement plain_tables range_queries read_images refuse_others_schema",
    "profile": "Profile classes_at_most count_by_group estimate_profile read_profile",
    "row_ids": "warn_of_repeats warn_of_repeated_ids",
    "row_reader": "Packed Packing RowPacker",
    "row_spool": "RowSpool",
    "sources": "fold_feature relation_of row_format row_source",
    "unfit_rows": "check_heaviest no_usable_row telling_of_expressions",
}

__getattr__ = attributes_of(globals(), _MODULES)
