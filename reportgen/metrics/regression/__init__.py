"""Metrics of predicted amounts."""
