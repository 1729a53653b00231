"""The transparency log: notes, checkpoints, proofs. Not built yet."""
