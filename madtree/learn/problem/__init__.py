"""The problem: what there is to learn from once bins, grids and trees are known; and how rows become its blocks."""
