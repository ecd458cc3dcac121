"""The keeping of state, in a folder or in a fleet's PostgreSQL: moved, bounded, and rid of what is one person's."""
