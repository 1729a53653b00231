"""What each draft of AER-1 changed, as far as it is known here, and how that is known.

The specification is a series of Internet-Drafts (draft-zambo-aer1-NN). Texts after -08 could not be
had; for those the code of readers and release notes say what changed. A line of this table is no
rule: the rules are in the modules that hold receipts to them.
"""

from typing import NamedTuple

__all__ = ["CODE", "DRAFTS", "NOTES", "OPEN", "READER", "TEXT", "Change"]

TEXT = "the draft's text was read"
CODE = "a program that implements it was read and run"
NOTES = "release notes and abstracts alone"

READER = "aer1-verify 0.2.19"
"""The newest reader that could be compared with; it says that it implements -26."""


class Change(NamedTuple):
    """One thing that a draft brought: the draft's number, what, and one of TEXT, CODE, NOTES."""

    draft: str
    what: str
    known_from: str


DRAFTS = (
    Change("06", "a chain of entries, linked by the digest of the decoded bytes alone", TEXT),
    Change("07", "a link covers eight members of its entry; the earlier rule is historical", TEXT),
    Change(
        "08", "the tables of a receipt's eight members and of a workflow close, as read here", TEXT
    ),
    Change("09", "the external commitment to a chain's last entry and its length", CODE),
    Change("09", "offsets of times are hours 00 to 23 and minutes 00 to 59", CODE),
    Change("12", "outer and committed schema version must agree", CODE),
    Change("21", "the nil UUID is no id, and the id is held against what was expected", CODE),
    Change("21", "what is accepted in a legacy shape is said to be", CODE),
    Change("22", "the result of the id binding has a verdict of its own", CODE),
    Change("22", "announced: one base64 text for one value, unused bits zero", CODE),
    Change("23", "the outcome of an anchor is reported, and changes no verdict", CODE),
    Change("25", "the root of a workflow close covers the results, not the ids", CODE),
    Change("26", "metadata_hash is required from schema version 0.4 on", NOTES),
)
"""Each change that is known, in the order of the drafts."""

OPEN = (
    "what metadata_hash covers, byte for byte; so it is neither written nor checked here",
    "which draft brought schema version 0.4, and with it the committed provenance class",
    "which draft began to ask that the committed bytes are their own canonical form",
    "the text of -26, and the conformance kit's cases of version 1.6.1",
    f"whether readers after {READER} require metadata_hash",
)
"""What could not be found out."""
