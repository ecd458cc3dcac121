"""What the earlier calls of a session returned: facts of things, and answers to questions.

The calls of one session come in, in order; what the next result could contradict goes out (`state.SessionState`). Bounded, no I/O, and
no verdict: whether something is wrong is for a rule to say.
"""

__all__ = ["What"]

What = tuple[str, str, str]
"""What is recalled of a session: a path, a key and a field."""
