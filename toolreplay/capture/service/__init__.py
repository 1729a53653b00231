"""The recorder as a service: others tell it over a socket what they see, and only it can write the store."""
