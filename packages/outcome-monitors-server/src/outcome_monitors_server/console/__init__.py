"""The console: a live dashboard on the state of one host or of a fleet.

`server` speaks HTTP and asks `access`; `site` makes the pages, which `feed` keeps live.
"""
