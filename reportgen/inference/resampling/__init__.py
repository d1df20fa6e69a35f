"""Draw resampling weights and evaluate statistics under them."""
