"""What errors cost: what to use, in words, tables and RROC space."""
