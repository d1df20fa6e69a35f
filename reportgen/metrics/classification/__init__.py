"""Metrics of classes and labels."""
