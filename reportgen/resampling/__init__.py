"""Weightings drawn again and again: how units are drawn, and what statistics are under them."""
