"""What the extension's SQL functions call, one Python function each, and the help texts."""
