"""What `doctor` looks at: configurations, the way of a call into a store, and the stores."""
