"""Weighted sums of many resamples at once, in NumPy and in C."""
