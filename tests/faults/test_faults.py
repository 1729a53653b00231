"""Each scenario on a sample of its points; the whole of them is `python3 -m tests.faults`."""

import contextlib
import io
import unittest

from tests.faults import proofs
from tests.faults.__main__ import SCENARIOS, main


class NothingIsLost(unittest.TestCase):
    def test_a_sample_of_every_scenario(self) -> None:
        for name, scenario in SCENARIOS.items():
            if scenario.__module__ == proofs.__name__:
                continue  # those are tests by themselves
            with self.subTest(name):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    status = main(["--quick", "--only", name])
                self.assertEqual(status, 0, out.getvalue())


if __name__ == "__main__":
    unittest.main()
