"""Numbers to words: every sentence is a function of numbers."""
