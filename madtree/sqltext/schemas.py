"""The schema of functions and types that users do not call; what they call is in the schema `madtree`."""

INTERNAL = "madtree_internal"
