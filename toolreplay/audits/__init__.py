"""Room 4, audits: what is wrong with a run. One folder an audit; its docstring is its manual page."""
