"""Render a document to files: one module an output."""
