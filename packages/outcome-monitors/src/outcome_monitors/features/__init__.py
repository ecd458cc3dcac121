"""The records of a call: every value by its path, and each object as the named facts that relations speak of.

A call comes in; what stood where, and the features of its records, go out. Bounded in depth, width and number, whatever the result; nothing is kept between two calls.
"""
