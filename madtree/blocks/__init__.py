"""What the SQL functions do with one block: pack it, count it, grow the trees in it.

They know no session and no SQL: each gets a plan, the bytes of named values and arrays (core.codec), and a block's
bytes. Parallel workers load them for every query, so each module loads no more than it needs.
"""
