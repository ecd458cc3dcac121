"""The five domains: each a module with `tables` and a function for each tool of its tools.json.

A function returns what its tool's output schema names, or more: `WorldTool.answer` adds the arguments, counts and times, and
leaves out the rest.
"""
