"""Trace files: one tool call a line, from wherever it stands.

Files, stores and the logs of other systems come in; `Call` objects go out. A bad line is reported, counted and skipped; it never stops the rest.
"""
