"""Tests of the metrics: a table of values, laws over the registry, independent truths."""
