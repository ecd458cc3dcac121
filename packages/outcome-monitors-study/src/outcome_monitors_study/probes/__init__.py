"""Probes: one decision of a model, at the moment it is shown a result.

An episode of a frozen study is cut where the first wrong result comes; each arm says what the model is shown there, and what in
place of a right result with a false alarm. `freeze` writes it all down, `requests` asks a model of each, and `score` counts what
it did next. Whole tasks are out of reach for small models, and dear with large ones; one decision is neither.
"""
