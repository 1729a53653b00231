"""Completion scripts, one module a shell; `words.py` is what they complete."""
