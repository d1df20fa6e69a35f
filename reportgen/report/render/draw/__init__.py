"""Figures as SVG: the only home of matplotlib."""
