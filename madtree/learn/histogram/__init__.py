"""Histograms: how rows are counted by node, feature and bin, and what else is summed over the rows of nodes."""
