"""Basis: the verdicts at a glance, what was compared, who signs."""
