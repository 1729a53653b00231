"""Room 2, findings: what an audit says, and what that means for the exit status."""
