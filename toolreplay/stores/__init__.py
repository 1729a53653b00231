"""Room 5, stores: where receipts rest. Not built yet."""
