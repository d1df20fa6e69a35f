"""How sure one may be: from statistics that are functions of weights to intervals and tests.

Inference is the choice of weights. It knows numbers, bounds and kinds of estimand; no metric's
name, no column, no text.
"""
