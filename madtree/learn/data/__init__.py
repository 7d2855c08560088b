"""What the learner works on: blocks of binned rows, numbers on an exact grid, PostgreSQL's arrays as numpy arrays,
named arrays as bytes, and the parameters.
"""
