"""Room 5, world: the systems of record, read back. Not built yet."""
