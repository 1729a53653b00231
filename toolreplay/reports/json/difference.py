"""The report of `diff` as JSON, format `toolreplay-diff/1`: every call that is not the same.

ASCII throughout. Its schema is diff.schema.json.
"""

from collections.abc import Iterator
from json import dumps

from toolreplay.records.run import RunInfo
from toolreplay.reports.difference import Compared, Entry

__all__ = ["FORMAT", "entry_text", "opening_text"]

FORMAT = "toolreplay-diff/1"


def opening_text(compared: Compared) -> Iterator[str]:
    """Yield the lines of everything but the calls, which follow; `]}` closes the document."""
    difference = compared.difference
    shared = None
    if compared.shared is not None:
        shared = {
            "links": compared.shared.count, "digest": compared.shared.digest,
            "fit_calls": compared.links_fit,
        }  # fmt: skip
    unaligned = dict(zip("ab", difference.unaligned, strict=True))
    yield f'{{"format": {dumps(FORMAT)},'
    yield f' "a": {dumps(_run(compared.a, compared.calls[0]))},'
    yield f' "b": {dumps(_run(compared.b, compared.calls[1]))},'
    yield f' "differ": {dumps(compared.differs)},'
    first = None if difference.first is None else difference.first._asdict()
    yield f' "first_difference": {dumps(first)},'
    yield f' "counts": {dumps(difference.counts)},'
    yield f' "unaligned": {dumps(unaligned)},'
    yield f' "shared_links": {dumps(shared)},'
    yield ' "differences": ['


def entry_text(entry: Entry) -> str:
    """Return one call on one line."""
    members = {
        "kind": entry.kind,
        "a": None if entry.a is None else entry.a._asdict(),
        "b": None if entry.b is None else entry.b._asdict(),
        "same_result": entry.same_result,
        "tool": entry.call.tool,
        "args": entry.call.args,
    }
    return dumps(members)


def _run(info: RunInfo, calls: int) -> dict[str, object]:
    return {
        "run": info.name, "file": info.file, "form": info.form, "agent": info.agent,
        "model": info.model, "provenance": info.provenance, "count": calls,
    }  # fmt: skip
