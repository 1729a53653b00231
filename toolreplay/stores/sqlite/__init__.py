"""sqlite: the embedded store, one file, the log of everything that is recorded.

Every entry is a leaf of a Merkle tree (RFC 6962); beside the leaves stand what they commit to,
the heads that were signed, and tables for finding. Two triggers refuse every change of a leaf or a
checkpoint, which stops accidents: against whoever can write the file there is the tree, and the
head that others remember.

`STORE` on the command line is the path of the file, or `sqlite:` and the path.
"""
