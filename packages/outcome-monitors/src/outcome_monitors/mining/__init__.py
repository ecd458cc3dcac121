"""From clean calls to contracts: observe, merge, accept.

Calls come in; the clauses that they support go out, in profile `paper` by its support rules and in profile `full` under a budget for false alarms. The same calls give the same bytes, in any order, in any number of processes. No label, solution or evaluator is read.
"""
