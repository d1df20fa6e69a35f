"""What would change the conclusion: single rows, sets of rows, other choices."""
