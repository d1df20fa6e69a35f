"""What would change the answer: single rows, sets of rows, other draws, other settings."""
