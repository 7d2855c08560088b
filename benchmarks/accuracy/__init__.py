"""How well trees predict, beside those of other programs on the same splits."""
