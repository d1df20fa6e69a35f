"""Weighted sums of many weightings at once: the one place where speed is bought.

A leaf: it knows arrays and weights, and nothing of metrics, models or resampling plans.
"""
