"""Parallel workers: how many there may be, when they pay, and the planner's settings for them."""
