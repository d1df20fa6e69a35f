"""Runs over time and what vouches for them: gates, digests, provenance, privacy, comparison."""
