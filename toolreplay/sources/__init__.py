"""Room 6, sources: what a command line names (a file, a folder, `-`) becomes runs."""
