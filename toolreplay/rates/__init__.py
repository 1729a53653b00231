"""Room 6, rates: counting over many runs. Not built yet."""
