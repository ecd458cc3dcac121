"""The console: a page that lives, on the folder that a proxy or an adapter learns in.

In comes the folder, as others write it; out goes HTML over HTTP, and what a person decides goes back into the folder by the same small
functions as the commands have. It never writes an event, calls a tool, or lets a word of a result become markup. It needs the extra
`console`.
"""
