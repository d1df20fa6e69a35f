"""How sure one may be: from resamples and influence values to intervals, tests and bands.

It knows numbers, bounds and kinds of estimand; no metric's name, no column, no text.
"""
