"""What `benchmarks/train.py` measures: one module for each side of a comparison, and what they share."""
