"""The five domains: each a module with `tables` and a function for each tool of its tools.json."""
