"""Model tables: write, read, list, drop and prune them, and variable importance."""
