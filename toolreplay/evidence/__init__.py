"""Room 3, evidence: why a record can be believed."""
