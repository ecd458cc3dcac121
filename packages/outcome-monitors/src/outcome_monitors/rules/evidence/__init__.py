"""What mining keeps of traffic: bounded samples of values and of records, with the tasks behind them.

What was seen of each call comes in; what stood where, how often and in how many tasks goes out. Two of it merge in any order; no call is kept whole.
"""
