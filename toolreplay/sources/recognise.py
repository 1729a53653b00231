"""Recognise what an input is, or say which forms came near and why each failed."""

from typing import NamedTuple

from toolreplay.errors import InputError, UsageError
from toolreplay.evidence.bundle.lines import FORMAT as BUNDLE_FORMAT
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.call import Json
from toolreplay.records.meta import META_FORMAT
from toolreplay.records.run import BUNDLE, RECEIPTS, SEALED, STORE, STRICT, TIMELINE, WORKFLOW
from toolreplay.records.transcript import FIELDS
from toolreplay.sources.head import DATABASE, InputHead
from toolreplay.sources.known_formats import known_format

__all__ = [
    "OWN_FORMS",
    "CompanionError",
    "NotRecognisedError",
    "Recognised",
    "form_words",
    "is_two_histories",
    "recognise",
    "refuse_unknown_form",
]


_START_BYTES = 256
_OUR_DATABASE = b"tool"
"""The application id of a store, where the header of a database has it."""

_TWO_HISTORIES = "toolreplay-two-histories/"
_ANY_BUNDLE = BUNDLE_FORMAT.partition("/")[0] + "/"

_WORDS = {
    "transcript": STRICT,
    "sealed": SEALED,
    "bundle": BUNDLE,
    "store": STORE,
    "receipts": RECEIPTS,
    "timeline": TIMELINE,
    "workflow": WORKFLOW,
}

OWN_FORMS = frozenset(_WORDS.values())
"""The forms that are ours, and are read without an importer."""


class NotRecognisedError(InputError):
    """Nothing that can be read; inside a folder it is counted, elsewhere it is an error."""


class CompanionError(NotRecognisedError):
    """The companion of an imported transcript: read with it, and no input of its own."""


class Recognised(NamedTuple):
    """A form: one of OWN_FORMS, or the word of an importer."""

    form: str

    @property
    def is_import(self) -> bool:
        """Whether an importer reads it."""
        return self.form not in OWN_FORMS


def is_two_histories(first: Json) -> bool:
    """Whether the first record is a proof that a log has shown two histories, which is no run."""
    return isinstance(first, dict) and str(first.get("format")).startswith(_TWO_HISTORIES)


def refuse_unknown_form(word: str) -> None:
    """Raise UsageError for what `--from` does not accept."""
    if word not in (words := form_words()):
        raise UsageError(f"no format '{word[:40]}' (there are: {', '.join(words)})")


def form_words() -> list[str]:
    """Return what `--from` accepts."""
    return [*_WORDS, *extensions_of("importers")]


def recognise(head: InputHead, name: str, forced: str | None = None) -> Recognised:
    """Return the form of an input. Raises NotRecognisedError naming the nearest forms."""
    if forced is not None:
        return Recognised(_WORDS.get(forced, forced))
    first: Json = head.records[0] if head.records else None
    if head.is_empty:
        return Recognised(STRICT)
    if head.raw.startswith(DATABASE):
        if head.raw[68:72] != _OUR_DATABASE:
            raise NotRecognisedError(name, "is a database, and no store of toolreplay")
        return Recognised(STORE)
    if isinstance(first, dict):
        if head.first_error is None and first.get("format") == META_FORMAT:
            raise CompanionError(name, "is the companion of an imported transcript")
        if is_two_histories(first):
            raise InputError(name, "is a proof of two histories (see: toolreplay verify)")
        if first.get("format") == BUNDLE_FORMAT:
            return Recognised(BUNDLE)
        if str(first.get("format")).startswith(_ANY_BUNDLE) and "run" in first:
            version = str(first["format"])[:40]
            raise InputError(
                name, f"line 1: is a bundle of another version ({version}), not read here"
            )
        if len(first.keys() & FIELDS) >= 3:
            is_sealed = "prev" in first or "digest" in first
            return Recognised(SEALED if is_sealed else STRICT)
    if head.evidence_form is not None:
        return Recognised(head.evidence_form)
    scores = {
        word: load_extension("importers", word).sniff(head) for word in extensions_of("importers")
    }
    best = max(scores.values(), default=0)
    if not best and head.first_error is not None and _begins_as_ours(head.raw) is not None:
        # Damaged, and still what it was: its reader names the line.
        return Recognised(_begins_as_ours(head.raw) or STRICT)
    if best:
        fits = [word for word, score in scores.items() if score == best]
        if len(fits) > 1:
            raise InputError(name, f"two formats fit: {', '.join(fits)} (--from)")
        return Recognised(fits[0])
    raise NotRecognisedError(name, _why_not(head, first))


def _begins_as_ours(raw: bytes) -> str | None:
    """Return the form that writers of ours begin a line with, where the line cannot be parsed."""
    start = raw[:_START_BYTES].translate(None, b" \t\r\n\0\xef\xbb\xbf\xff\xfe")
    if start.startswith(b'{"args":'):
        return SEALED
    return STRICT if start.startswith((b'{"index":', b'{"tool":')) else None


def _why_not(head: InputHead, first: Json) -> str:
    known = known_format(head)
    if known is not None:
        return f"is {known}, which has no importer yet (see: toolreplay formats)"
    if head.first_error is not None:
        number, what = head.first_error
        reason = f"line {number}: {what}"
        near = [f"transcript ({reason})"] if head.document is None else []
    elif isinstance(first, dict):
        missing = sorted(FIELDS - first.keys())
        reason = f"missing field(s): {', '.join(missing)}"
        near = [f"transcript ({reason})"]
    else:
        near = ["transcript (a record must be an object)"]
    for word in extensions_of("importers"):
        importer = load_extension("importers", word)
        near.append(f"{importer.TITLE} ({importer.MISSING})")
    return f"is not recognised: not a {'; not a '.join(near)}"
