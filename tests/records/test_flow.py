"""The protocols at which the edges meet."""

import inspect
import unittest

from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records import flow
from toolreplay.records.flow import Head, Importer, Source


class TheProtocols(unittest.TestCase):
    def test_each_public_name_is_a_protocol_without_code(self) -> None:
        """Decided by us: what is shared at the edges is a shape, never a base class."""
        for name in flow.__all__:
            protocol = getattr(flow, name)
            self.assertTrue(protocol._is_protocol, name)
            for member in vars(protocol).values():
                if inspect.isfunction(member) and member.__module__ == flow.__name__:
                    lines = inspect.getsource(member).splitlines()
                    self.assertTrue(lines[-1].strip().endswith('"""'), member)

    def test_a_class_of_the_right_shape_needs_no_base(self) -> None:
        """Decided by us."""

        class Sample:
            raw, records, document = b"", [], None

        class Runs:
            name = "x"

            def runs(self) -> list[object]:
                return []

        self.assertEqual(
            set(Head.__annotations__), {"raw", "records", "document"} & set(dir(Sample))
        )
        self.assertTrue(set(Source.__annotations__) <= set(dir(Runs)))

    def test_every_importer_has_the_shape(self) -> None:
        """Decided by us: a folder is an importer by what it defines."""
        methods = [
            name
            for name, member in vars(Importer).items()
            if inspect.isfunction(member) and not name.startswith("_")
        ]
        self.assertEqual(methods, ["sniff", "read"])
        for name in extensions_of("importers"):
            module = load_extension("importers", name)
            with self.subTest(name):
                for constant in Importer.__annotations__:
                    self.assertTrue(hasattr(module, constant), constant)
                for method in methods:
                    wanted = list(inspect.signature(getattr(Importer, method)).parameters)[1:]
                    self.assertEqual(
                        list(inspect.signature(getattr(module, method)).parameters), wanted
                    )
