"""Looks into a server that is to run madtree, and has a cure for each finding.

`facts` asks the server, `finding` is what the doctor says, and the ``check_*`` modules turn the one into the other:
`check_client` (the engine, a pooler, encryption), `check_server` (version, replica, cloud), `check_extension`
(PL/Python, madtree, its Python), `check_rights` (what the user may do), `check_settings` (workers, memory, jit) and
`check_cluster` (the workers of a Citus cluster). `examine` runs them all. Nothing is changed on the server.
"""

from madtree.doctor.examine import examine, examine_failed_connection
from madtree.doctor.facts import Finding, Status, worst
