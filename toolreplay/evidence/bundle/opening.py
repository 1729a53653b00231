"""The first entry of a bundle: what is known of the run before its calls are read."""

from toolreplay.evidence.bundle.lines import BundleLine
from toolreplay.evidence.profile.entry import kind_by_profile
from toolreplay.evidence.profile.members import OPEN, faults_in
from toolreplay.records.call import JsonObject

__all__ = ["opening_of"]


def opening_of(lines: list[BundleLine]) -> JsonObject:
    """Return the payload of the first entry, or nothing where it is not what opens a run."""
    if lines and lines[0].kind == "entry" and lines[0].payload is not None:
        payload: JsonObject = lines[0].value["payload"]
        if kind_by_profile(payload) == "open" and not any(faults_in(payload, OPEN)):
            return payload
    return {}
