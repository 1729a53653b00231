"""The normal form of tool names: one tool, however its hosts spell it."""

import unittest

from toolreplay.records.tool_name import normal_tool

ONE_TOOL = [
    ("mcp__orders__get_order", {}),
    ("mcp__orders__get_order", {"servers": ["orders"]}),
    ("mcp_orders_get_order", {"servers": ["orders"]}),
    ("MCP:orders:get_order", {}),
    ("get_order", {"namespace": "mcp__orders"}),
    ("get_order", {"namespace": "mcp__orders__"}),
    ("get_order", {"namespace": "orders"}),
    ("get_order", {"scope": "mcp:orders"}),
]

HARD: list[tuple[str, dict, tuple[str | None, str]]] = [
    # Names that tell of no server.
    ("get_order", {}, (None, "get_order")),
    ("Bash", {"servers": ["orders"]}, (None, "Bash")),
    ("mcp_orders_get_order", {}, (None, "mcp_orders_get_order")),
    ("mcp_orders_get_order", {"servers": ["order"]}, (None, "mcp_orders_get_order")),
    ("mcp__orders", {}, (None, "mcp__orders")),
    ("mcp__orders__", {}, (None, "mcp__orders__")),
    ("mcp____get_order", {}, (None, "mcp____get_order")),
    ("MCP:orders", {}, (None, "MCP:orders")),
    ("mcp:orders:get_order", {}, (None, "mcp:orders:get_order")),
    ("", {}, (None, "")),
    ("get_order", {"scope": "mcp:"}, (None, "get_order")),
    ("get_order", {"scope": "run"}, (None, "get_order")),
    ("get_order", {"namespace": ""}, (None, "get_order")),
    # Underscores in names of servers and tools.
    ("mcp__my_shop__get_order", {}, ("my_shop", "get_order")),
    ("mcp__my_shop__get__order", {}, ("my_shop", "get__order")),
    ("mcp__my__shop__get", {}, ("my", "shop__get")),
    ("mcp__my__shop__get", {"servers": ["my", "my__shop"]}, ("my__shop", "get")),
    ("mcp_my_shop_get", {"servers": ["my", "my_shop"]}, ("my_shop", "get")),
    ("mcp_my_shop_get", {"servers": ["my"]}, ("my", "shop_get")),
    ("mcp__shop___hidden", {}, ("shop", "_hidden")),
    ("mcp__shop__", {"servers": ["shop"]}, (None, "mcp__shop__")),
    # What a host had to spell otherwise.
    ("mcp__my_shop__get", {"servers": ["my shop"]}, ("my shop", "get")),
    ("mcp__caf___get", {"servers": ["café"]}, ("café", "get")),
    ("mcp__café__holen_ä", {}, ("café", "holen_ä")),
    ("get", {"namespace": "mcp__my_shop", "servers": ["my.shop"]}, ("my.shop", "get")),
    ("MCP:注文:取得", {}, ("注文", "取得")),
    ("MCP:a:b:c", {}, ("a", "b:c")),
    ("MCP:a:b:c", {"servers": ["a:b"]}, ("a:b", "c")),
    ("取得", {"scope": "mcp:注文"}, ("注文", "取得")),
    ("mcp__\ud800__get", {}, ("\ud800", "get")),
    # On the wire of a server its own names are never taken apart.
    ("mcp__orders__get", {"scope": "mcp:gateway"}, ("gateway", "mcp__orders__get")),
    ("mcp_gate_way", {"scope": "mcp:gate"}, ("gate", "mcp_gate_way")),
    ("a__b", {"scope": "mcp:x:y"}, ("x:y", "a__b")),
]


class OneNormalForm(unittest.TestCase):
    """Decided by us: the observed spelling is kept, and this is what is compared."""

    def test_every_spelling_of_one_tool(self) -> None:
        for name, more in ONE_TOOL:
            with self.subTest(name=name, **more):
                self.assertEqual(normal_tool(name, **more), ("orders", "get_order"))

    def test_hard_cases(self) -> None:
        for name, more, wanted in HARD:
            with self.subTest(name=name, **more):
                self.assertEqual(normal_tool(name, **more), wanted)

    def test_the_order_in_which_servers_are_known_decides_nothing(self) -> None:
        servers = ["a b", "a.b", "a"]
        found = {normal_tool("mcp__a_b__c", servers=each) for each in (servers, servers[::-1])}
        self.assertEqual(found, {("a b", "c")})


if __name__ == "__main__":
    unittest.main()
