"""The first page: the answer, and what it rests on."""
