"""Room 8, web: the pages over stores and results. Not built yet."""
