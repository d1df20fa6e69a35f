"""Curves as figures, with their captions, findings and tables."""
