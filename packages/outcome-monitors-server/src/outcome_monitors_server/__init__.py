"""Outcome Monitors for a team: state shared in PostgreSQL, the console, reports, versions of contracts, retention."""
