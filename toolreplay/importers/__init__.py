"""Room 5, importers: foreign sessions become runs. One folder a format."""
