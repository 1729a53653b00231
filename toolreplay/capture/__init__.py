"""Room 5, capture: live calls become receipts. Not built yet."""
