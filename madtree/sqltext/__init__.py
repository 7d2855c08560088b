"""All SQL text, and all quoting. Its modules are its public names; none of them talks to a database."""
