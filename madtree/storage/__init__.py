"""Where blocks are kept while trees grow, and who counts them: this process, resident workers of a parallel query, or
the SQL aggregate over a table of blocks, on one server or on the servers of a Citus cluster.

Its modules are its public names: a parallel worker loads what it needs, and nothing else.
"""
