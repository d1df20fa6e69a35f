"""Metrics of ranked lists, query by query."""
