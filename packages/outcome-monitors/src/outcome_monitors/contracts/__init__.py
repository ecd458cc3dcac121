"""Contracts as data: the file, cross-fitted folds, shapes, what people decided about clauses, and the public sources that contracts come from.

Clauses come in, from mining or from a schema; one canonical file goes out, and is read back with every field checked. Nothing here checks a result.
"""
