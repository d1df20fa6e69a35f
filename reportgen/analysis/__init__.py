"""One dataset's answers: what is asked, its estimates, comparisons, curves and warnings."""
