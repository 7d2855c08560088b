"""Bins: which stretch of a feature's values each code stands for, and the codes of values."""
