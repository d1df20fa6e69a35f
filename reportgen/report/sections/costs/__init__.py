"""Costs: what to use at each asymmetry."""
