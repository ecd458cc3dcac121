"""Which tools can stand in for which, and what calling them does: kept apart from detection.

Declarations, interfaces and traces come in; the tools that a receipt may name go out. No tool is ever called.
"""
