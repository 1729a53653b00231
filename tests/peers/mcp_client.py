"""The official Python client: MODE CMD ARG…; prints what each call came to.

Standard input is a JSON list of [tool, arguments]; those in a list of their own are made at once.
"""

import asyncio
import json
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client


async def made(client: Client, tool: str, arguments: dict[str, object]) -> object:
    """Make one call; an error of the protocol is a result too."""
    try:
        result = await client.call_tool(tool, arguments)
    except Exception as error:  # noqa: BLE001 - whatever the client makes of it is compared
        return [type(error).__name__, str(error)]
    return result.model_dump(mode="json", by_alias=True)


async def session(mode: str, calls: list[object], command: list[str]) -> list[object]:
    """Run one session and return what was seen."""
    found: list[object] = []
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server, mode=mode) as client:
        listed = await client.list_tools()
        found.append([tool.name for tool in listed.tools])
        for call in calls:
            many = call if isinstance(call[0], list) else [call]
            found.append(await asyncio.gather(*[made(client, *each) for each in many]))
    return found


if __name__ == "__main__":
    seen = asyncio.run(session(sys.argv[1], json.loads(sys.stdin.read()), sys.argv[2:]))
    print(json.dumps(seen))
