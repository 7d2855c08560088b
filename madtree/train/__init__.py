"""The orchestrator of a training: from a checked request through its stages to a model's tables."""
