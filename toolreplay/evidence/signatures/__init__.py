"""Signatures: Ed25519 in pure Python and with the extra `sign`; private keys; who signs."""
