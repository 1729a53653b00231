"""Editing the configuration of an MCP client: its formats, its servers, and the words put before them."""
