"""Sizes and limits of the learner. The trees do not depend on them; tests pass others in."""

from __future__ import annotations

from madtree.records import dataclass


@dataclass(frozen=True)
class SearchTuning:
    """Where one way to count or to search nodes takes over from another, and how much is worked on at once.

    Attributes:
        state_share: of the memory budget, what one array of histograms may take: 1 / this. Parents, children and a copy
            in transit stay within the budget.
        kept_states: histograms may be kept that are so many times as large, to save counting all children of their
            nodes.
        subtracted_values: rows times features from which on that saves time.
        copied_share: of the memory budget, what copied rows may take: 1 / this.
        gathered_below: share of a block's rows in play under which copying them out is quicker than counting all.
        rows_together: that are swept or screened together.
        bins_per_row: bins that cost as much to look through as a row costs to put in order: nodes with fewer rows than
            bins over this are swept. Measured by benchmarks/sweep.py: much the same for all numbers of bins and
            classes.
        chunk_values: bins times channels that are searched together, to bound temporary memory.
        rough_bins: whose rough gains are found together: arrays that stay in the cache.
        shortlist_cells: bins times channels of histograms from which on a rough look at all of them saves time.

    Of features with very many bins (learn.split.coarse):
        coarse_codes: codes of a feature from which on looking at coarse bins first pays,
        coarse_rows: for nodes of so many rows; smaller ones are swept.
        coarse_width: coarse codes of a feature, at most.

    Of many classes (learn.split.screen), where a cell is a bin of one class:
        many_classes: from which on screening pays where rows are counted,
        many_weighted_classes: and where their weights are summed,
        rows_per_cell: for nodes with at most so many rows for each class and bin of a feature.
        swept_classes: up to which nodes that are small enough are rather swept.
        cells_per_row: for each of a node's rows and of all classes, above which a sweep is quicker.
        node_cells: of a node that is screened, at most, and of all that are counted by an unordered feature at once.
        stack_cells: counted at once, where one feature of a node needs no more.
        stack_values: rows times features counted at once.
        stack_nodes: counted at once, at most.
        copied_codes: rows times features whose codes are copied out at once.

    Of waves of trees (learn.ensemble, learn.at_hand.node_order):
        wave_rows: of all trees that are grown together, unless one tree has more,
        wave_nodes: and nodes of two channels that they may have, at most, which take memory until they are written.
        stretch_rows: of neighbouring nodes that are worked off together, unless one has more.
        drawn_bytes: of histograms that are counted together, at most. More would take memory and save no time, or a
            tenth of it where rows are in a table.
        counted_cells: bins times channels of all nodes up to which these are counted, however few rows they have: in a
            single pass, where sweeps take several.
        node_rows: of an average node of these from which on they are worked off one by one,
        piece_rows: so many rows at a time.
        joint_rows: of a node from which on they are counted by two features at once (learn.counting.joint_tables),
        joint_piece_rows: so many at a time.
        large_tree: rows of a single tree from which on only those are copied that are counted.
    """

    state_share: int = 4
    kept_states: int = 2
    subtracted_values: int = 8_192
    copied_share: int = 2
    gathered_below: float = 0.7
    rows_together: int = 262_144
    bins_per_row: float = 1.25
    chunk_values: int = 120_000
    rough_bins: int = 64_000
    shortlist_cells: int = 32_768

    coarse_codes: int = 2_048
    coarse_rows: int = 512
    coarse_width: int = 512

    many_classes: int = 16
    many_weighted_classes: int = 8
    rows_per_cell: float = 1.5
    swept_classes: int = 24
    cells_per_row: float = 16
    node_cells: int = 1_048_576
    stack_cells: int = 524_288
    stack_values: int = 1_048_576
    stack_nodes: int = 4_096
    copied_codes: int = 8_388_608

    wave_rows: int = 1_048_576
    wave_nodes: int = 262_144
    stretch_rows: int = 131_072
    drawn_bytes: int = 6 * 2**20
    counted_cells: int = 131_072
    node_rows: int = 1_000
    piece_rows: int = 32_768
    joint_rows: int = 28_672
    joint_piece_rows: int = 327_680
    large_tree: int = 32_768
