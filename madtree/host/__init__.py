"""Hosts: what the orchestrators need from a database session, and one small adaptor for each place they can run in."""
