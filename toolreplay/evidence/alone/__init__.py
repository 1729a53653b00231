"""Receipts without a bundle around them: alone, as a timeline, or behind a workflow close."""
