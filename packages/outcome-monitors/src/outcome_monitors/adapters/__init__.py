"""Adapters: one line puts a watch into a framework, or around any function.

Each framework has a module of its own, and only that module imports it.
"""

from ._observer import LearnIn

__all__ = ["LearnIn"]
