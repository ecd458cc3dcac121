"""State that a fleet shares: in PostgreSQL, with a copy on each host that is enough to start and to serve.

A folder (`values.folders`) is the home of one host's state. A `postgresql://…` address, taken wherever a folder is, names a
home that many hosts share. What is small (contracts, decisions, tools, stages, what has become usual) each host has a copy of, in
a folder of the same form, so that whatever reads a folder reads the copy; what is large (events, traces) stays in the database.
"""
