"""The lines of a bundle: their kinds, their order, their exact bytes."""

import base64
import hashlib
import json
import unittest

from tests.evidence.bundle import made
from toolreplay.errors import CanonicalError
from toolreplay.evidence.bundle.lines import (
    ENTRY_LINE,
    FORMAT,
    PART_BYTES,
    STAGES,
    Logged,
    end_line,
    entry_line,
    erased_line,
    first_line,
    kind_of_line,
    line_of,
    piece_lines,
    read_piece_line,
    step_of,
)

SALT = bytes(range(32))
PLACE = Logged(b"leaf", 5, [bytes(32), SALT])


class EachLine(unittest.TestCase):
    """Decided by us: one JSON object in form aer1, and LF."""

    def test_what_is_written_fast_is_what_the_form_says(self) -> None:
        lines = [
            first_line("r-é"), entry_line(3, b'{"a":"\xc3\xa9"}', SALT), end_line(7, "ab" * 32),
            first_line("r", "log.example/é", 7), entry_line(3, b"{}", SALT, PLACE),
            erased_line(3, SALT), erased_line(3, SALT, PLACE),
            *piece_lines("ab" * 32, b"content"), *piece_lines("ab" * 32, b"content", SALT),
        ]  # fmt: skip
        for line in lines:
            self.assertEqual(line, made.form(json.loads(line)) + b"\n")

    def test_what_has_no_form_is_no_line(self) -> None:
        for value in ({"a": "\ud800"}, {"a": float("inf")}):
            with self.assertRaises(CanonicalError):
                line_of(value)

    def test_the_first(self) -> None:
        self.assertEqual(
            json.loads(first_line("r")),
            {"format": FORMAT, "run": "r", "origin": None, "size": None},
        )

    def test_an_erased_entry_has_no_payload_and_says_what_committed_to_it(self) -> None:
        line = json.loads(erased_line(3, SALT, PLACE))
        self.assertEqual(kind_of_line(line), "entry")
        self.assertEqual((line["payload"], line["salt"], line["commit"]), (None, None, SALT.hex()))
        self.assertEqual((line["index"], line["path"]), (5, ["00" * 32, SALT.hex()]))

    def test_kinds_are_known_by_their_members_alone(self) -> None:
        maker = made.on_the_wire()
        kinds = [kind_of_line(json.loads(line)) for line in maker.bundle().splitlines()]
        self.assertEqual(kinds[0], "first")
        self.assertEqual(kinds[-6:], ["step", "step", "step", "workflow", "commitment", "end"])
        for value in (None, [], {}, {"step": {}, "more": 1}, {"piece": "x"}, {"Step": {}}):
            self.assertIsNone(kind_of_line(value))
        optional = {"piece": "", "part": 0, "last": True, "b64": "", "key": ""}
        self.assertEqual(kind_of_line(optional), "piece")

    def test_stages_follow_the_page(self) -> None:
        order = ("first", "entry", "step", "workflow", "commitment", "declared", "link", "end")
        stages = [STAGES[kind] for kind in order]
        self.assertEqual(stages, sorted(set(stages)))
        self.assertEqual(STAGES["piece"], STAGES["entry"])


class Pieces(unittest.TestCase):
    """Decided by us: parts of at most a mebibyte, so that a reader never holds more at once."""

    def test_parts(self) -> None:
        for size, parts in ((0, 1), (1, 1), (PART_BYTES, 1), (PART_BYTES + 1, 2)):
            lines = [json.loads(line) for line in piece_lines("ab" * 32, bytes(size))]
            self.assertEqual([line["part"] for line in lines], list(range(parts)))
            self.assertEqual([line["last"] for line in lines], [False] * (parts - 1) + [True])
            joined = b"".join(base64.b64decode(line["b64"]) for line in lines)
            self.assertEqual(joined, bytes(size))
            self.assertTrue(all("key" not in line for line in lines))

    def test_a_sealed_one_has_its_key(self) -> None:
        (line,) = piece_lines("ab" * 32, b"x", SALT)
        self.assertEqual(json.loads(line)["key"], SALT.hex())
        self.assertIsNone(read_piece_line(line))


class ReadWithoutParsing(unittest.TestCase):
    """Decided by us: whatever matches is in form aer1."""

    def test_a_piece_line(self) -> None:
        (line,) = piece_lines("ab" * 32, b"x")
        self.assertIsNotNone(read_piece_line(line))
        for old, new in (
            (b'"part":0', b'"part":00'), (b'"part":0', b'"part":-1'), (b"true", b"True"),
            (b"ab", b"AB"), (b"\n", b"\r\n"), (b"\n", b""), (b":", b": "),
        ):  # fmt: skip
            self.assertIsNone(read_piece_line(line.replace(old, new)), new)

    def test_an_entry_line(self) -> None:
        line = entry_line(12, b'{"a":1}', SALT)
        found = ENTRY_LINE.fullmatch(line)
        assert found is not None
        wanted = (b"12", None, b'{"a":1}', SALT.hex().encode())
        self.assertEqual(found.group("entry", "leaf", "payload", "salt"), wanted)
        for old, new in ((b"12", b"012"), (b"12", b"9" * 16), (b"null", b"1"), (b"\n", b" \n")):
            self.assertIsNone(ENTRY_LINE.fullmatch(line.replace(old, new)), new)

    def test_an_entry_line_in_a_log(self) -> None:
        for hashes in (0, 1, 63):
            path = [bytes([number] * 32) for number in range(hashes)]
            line = entry_line(12, b'{"a":1}', SALT, Logged(b"leaf", 7, path))
            found = ENTRY_LINE.fullmatch(line)
            assert found is not None
            self.assertEqual(found.group("entry", "index", "leaf"), (b"12", b"7", b"bGVhZg=="))
            self.assertEqual(found["path"].count(b'"'), 2 * hashes)
            for old, new in ((b'"index":7', b'"index":07'), (b'"index":7', b'"index":null'), (b"==", b"=!")):  # fmt: skip
                self.assertIsNone(ENTRY_LINE.fullmatch(line.replace(old, new)), new)
        line = entry_line(12, b'{"a":1}', SALT, Logged(b"leaf", 7, [bytes(32)] * 64))
        self.assertIsNone(ENTRY_LINE.fullmatch(line))


class Steps(unittest.TestCase):
    """Decided by AER-1, table 3."""

    def test_a_step_says_what_the_committed_object_says(self) -> None:
        value = made.of_kind(made.apart(made.imported().bundle()), "call")[1]
        committed = made.committed_of(value)
        output = hashlib.sha256(made.form(committed)).hexdigest()
        self.assertEqual(
            step_of(2, output, committed),
            {
                "seq": 2, "tool": "tool_2", "receipt_id": value["payload"]["id"],
                "receipt_hash": output, "output_hash": output, "status": "ok",
                "started_at": committed["timing"]["started_at"],
                "ended_at": committed["timing"]["ended_at"],
            },
        )  # fmt: skip

    def test_without_times_it_says_when_it_was_made(self) -> None:
        maker = made.Maker().open().call(1, "t", {}, {}, untimed=True).close()
        values = made.apart(maker.bundle())
        committed = made.committed_of(made.of_kind(values, "call")[0])
        (step,) = [value["step"] for value in values if "step" in value]
        for member in ("started_at", "ended_at"):
            self.assertEqual(step[member], committed["binding"]["created_at"])


if __name__ == "__main__":
    unittest.main()
