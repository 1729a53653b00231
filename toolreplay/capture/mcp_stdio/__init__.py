"""Adapter: a wrapper around an MCP server that speaks over standard input and output.

The bytes pass through as they come; a copy is looked at. See session.py for what becomes a call.
"""
