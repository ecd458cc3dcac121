"""What a session has heard: what was said of things, which answers were given, how far counts have run.

The calls of one run come in, in order; what can be held against the next one goes out. Bounded, no I/O, and no verdict: whether something is wrong is for a rule to say.
"""

__all__ = ["What"]

What = tuple[str, str, str]
"""What is recalled of a session: a path, a key and a field."""
