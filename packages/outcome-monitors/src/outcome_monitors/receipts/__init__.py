"""What the agent is told of a result that breaks its contract, and how that travels beside the result.

A finding comes in; a receipt goes out, and the raw result stays as it is. A receipt states and offers; it orders nothing.
"""
