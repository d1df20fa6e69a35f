"""The numeric core of asymmetric costs: losses, the shifts that lower them, lines of least cost."""
