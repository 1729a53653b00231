"""The commands, as a user sees them: lines, files and exit status, byte for byte."""
