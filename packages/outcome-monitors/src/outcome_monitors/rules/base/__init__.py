"""What rule kinds are made of: the life of a kind, and what kinds have in common that judge values, records or sessions."""
