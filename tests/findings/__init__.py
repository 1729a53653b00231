"""What an audit says: findings, checks, words, and what they mean for the exit status."""
