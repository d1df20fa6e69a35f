"""Decisions under asymmetric costs: which model, with which shift of its scores."""
