"""Room 1, records: what was recorded and what was declared, read strictly. Imports no other room."""
