"""Call a server with the official client, over and over, and print the seconds of each call.

sdk_client.py ROUNDS COMMAND…
"""

import asyncio
import json
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    """Measure, and print a JSON array."""
    rounds, command = int(sys.argv[1]), sys.argv[2:]
    server = StdioServerParameters(command=command[0], args=command[1:])
    seconds = []
    async with (
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        for number in range(rounds):
            started = time.perf_counter()
            await session.call_tool("echo", {"text": "x" * 90, "n": number})
            seconds.append(time.perf_counter() - started)
    print(json.dumps(seconds))


asyncio.run(main())
