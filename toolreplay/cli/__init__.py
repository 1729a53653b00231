"""Room 8, cli: the commands. One file a command; only this room parses arguments, prints or exits."""
