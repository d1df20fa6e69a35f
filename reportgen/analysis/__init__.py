"""What is computed on one dataset: estimates, comparisons, curves, sensitivity and warnings."""
