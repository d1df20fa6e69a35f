"""Data, method and provenance."""
