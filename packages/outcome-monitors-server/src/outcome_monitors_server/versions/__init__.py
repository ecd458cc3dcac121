"""Versions of contracts: learned as a job, tried on some conversations, promoted, taken back."""
