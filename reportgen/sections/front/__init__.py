"""The first page: the verdict, what it rests on, what to look at."""
