"""AER-1 receipts, chains and workflows. Not built yet: nothing here makes or checks a receipt."""
