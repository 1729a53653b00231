"""An MCP server that gives back what it is called with, and does nothing else."""

import json
import sys

for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "tools/call":
        text = json.dumps(request["params"]["arguments"])
        result = {"content": [{"type": "text", "text": text}], "isError": False}
    elif request["method"] == "tools/list":
        result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    else:
        info = {"name": "echo", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
