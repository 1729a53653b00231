"""The transparency log, pure: tree, leaves, notes, checkpoints, proofs, policies, tiles, heads."""
