"""The numerical core of asymmetric costs."""
