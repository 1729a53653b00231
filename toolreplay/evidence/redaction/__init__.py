"""Redaction: what must not be kept is found by rules, and hidden in exactly its bytes."""
