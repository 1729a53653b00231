"""What a command line names becomes runs: opening, recognising, folders, declared files."""
