"""A contract as one generated function that says, fast, "surely nothing is wrong"."""
