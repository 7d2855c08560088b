"""Growing trees: which nodes are searched next, what has to be counted for that, and the nodes of trees that grow."""
