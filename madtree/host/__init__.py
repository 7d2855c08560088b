"""The database session that we work in, behind one protocol: an adaptor for the server's inside and one for the
client's side, settings for the length of a training, cancels, temporary files, the stopwatch.
"""
