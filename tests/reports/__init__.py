"""Results become text and documents."""
