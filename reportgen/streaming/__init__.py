"""Statistics of rows that are read piece by piece: sums, and what is made of them.

What adds up over rows is found exactly, whatever the pieces, their order and who reads them.
"""
