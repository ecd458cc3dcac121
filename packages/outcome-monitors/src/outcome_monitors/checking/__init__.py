"""The run time: a result is held against its contract, and the agent is advised where it breaks it.

A tool, its arguments and its result come in; violations, or the result with a receipt beside it, go out. It never raises, never calls a tool, never changes what it is given.
"""
