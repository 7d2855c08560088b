"""The only package where SQL text is made, and the only one that quotes. Nothing in it talks to a database."""
