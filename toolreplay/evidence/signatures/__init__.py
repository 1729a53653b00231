"""Signatures and keys. Not built yet: no command checks a signature."""
