"""One JSON value at a time: what type it is, where things stand in it, how it is shown, and the files it comes from.

A decoded value or a file comes in; facts about it go out. Nothing here knows of tools, calls or contracts.
"""
