"""Figures as SVG: the only home of matplotlib."""

from matplotlib.artist import Artist

from reportgen import signals

_DESCRIBE = "_update_set_signature_and_docstring"
"""What each class of matplotlib calls as it loads, for readers of `help`: a third of loading."""

if signals.is_program() and hasattr(Artist, _DESCRIBE):
    setattr(Artist, _DESCRIBE, classmethod(lambda _: None))
