"""What makes the documentation's generated parts: the reference of the SQL functions, the figures, MkDocs' hooks."""
