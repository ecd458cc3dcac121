"""One JSON value at a time: its canonical form, types, paths, texts, times and secrets, and how it is shown.

A decoded value comes in; facts about it go out. Nothing here knows of files, tools, calls or contracts.
"""
