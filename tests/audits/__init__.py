"""What each audit decides, call by call; its cases and contract are in tests/contracts."""
