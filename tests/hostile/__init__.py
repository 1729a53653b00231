"""What broken and hostile inputs may do: nothing but end with the tabled status and one safe line."""
