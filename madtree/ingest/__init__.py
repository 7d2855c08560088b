"""Rows out of PostgreSQL: the first look at them, page ranges, the sample that bins are found in, and the reading of
rows as numbers.
"""
