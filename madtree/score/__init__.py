"""Prediction: what a prediction looks like, which route is taken, the CASE expression, the block scorer, and how good
predictions are.
"""
