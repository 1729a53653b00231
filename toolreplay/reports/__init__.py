"""Room 7, reports: results become text and documents. One folder a format."""
