"""Curves as figures, their words and their tables."""
