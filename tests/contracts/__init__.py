"""What every extension of a room owes its room; each folder found is held to it."""
