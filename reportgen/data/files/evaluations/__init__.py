"""Logs of evaluations of language models, each format in a file of its own.

The text of prompts and answers is never kept.
"""
