"""From clean calls to contracts: observe, propose, validate, budget, write. `full` shows the steps in order.

The same calls give the same contracts, whatever their order and however they are split.
"""
