"""AER-1 receipts, chains and workflow closes, read as the newest obtainable revision reads them."""
