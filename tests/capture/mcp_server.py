"""A little MCP server of both eras over standard input and output, for the tests of the wrapper.

Its tools: `echo` gives its arguments back, `fail` says it failed, `sum` adds; `ask` needs an input
first (MCP 2026-07-28); `wait` answers `n` milliseconds later, whether it was cancelled or not;
`never` never answers; an unknown tool is an error of the protocol.
"""

import json
import sys
import threading

INFO = {"name": "little", "version": "3.1"}
TOOLS = [
    {
        "name": name,
        "description": f"the tool {name}",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": name == "echo"},
    }
    for name in ("echo", "fail", "sum", "ask", "wait", "never")
]
PAGE = 4
LOCK = threading.Lock()


def send(message):
    """Print one message as a line."""
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def content(value, **more):
    """Return a result with one text."""
    return {"content": [{"type": "text", "text": json.dumps(value)}], **more}


def called(request_id, params):
    """Carry out one call."""
    name, args = params.get("name"), params.get("arguments", {})
    if name == "echo":
        send({"id": request_id, "result": content(args)})
    elif name == "fail":
        send({"id": request_id, "result": content("it failed", isError=True)})
    elif name == "sum":
        send({"id": request_id, "result": content(sum(args["of"]))})
    elif name == "ask":
        if "inputResponses" in params:
            send(
                {
                    "id": request_id,
                    "result": content(params["inputResponses"], resultType="complete"),
                }
            )
        else:
            asked = {
                "resultType": "input_required",
                "requestState": "s",
                "inputRequests": {"q": {}},
            }
            send({"id": request_id, "result": asked})
    elif name == "wait":
        answer = {"id": request_id, "result": content("waited")}
        threading.Timer(args["n"] / 1000, send, [answer]).start()
    elif name != "never":
        send({"id": request_id, "error": {"code": -32602, "message": f"unknown tool {name}"}})


def asked(message):
    """Answer one request."""
    method, request_id, params = message["method"], message.get("id"), message.get("params", {})
    if method == "initialize":
        result = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": INFO,
        }
        send({"id": request_id, "result": result})
        send({"id": 1, "method": "roots/list"})
    elif method == "server/discover":
        result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "serverInfo": INFO}
        send({"id": request_id, "result": result})
    elif method == "tools/list":
        first = int(params.get("cursor", 0))
        result = {"tools": TOOLS[first : first + PAGE]}
        if first + PAGE < len(TOOLS):
            result["nextCursor"] = str(first + PAGE)
        send({"id": request_id, "result": result})
    elif method == "tools/call":
        called(request_id, params)
    elif request_id is not None:
        send({"id": request_id, "error": {"code": -32601, "message": f"no method {method}"}})


if __name__ == "__main__":
    for line in sys.stdin:
        found = json.loads(line)
        for each in found if type(found) is list else [found]:
            if "method" in each:
                asked(each)
