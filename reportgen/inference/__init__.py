"""From replicates and influence values to intervals, tests and bands."""
