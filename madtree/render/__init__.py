"""Text, graphs, pictures and documents made of a model's plain values."""
